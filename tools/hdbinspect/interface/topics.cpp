// The topics of `hdbinspect help TOPIC`, from their files.
#include "assets.hpp"
#include "interface/help.hpp"
#include "text.hpp"

namespace hdb::inspect {

std::vector<Topic> all_topics() {
  std::vector<Topic> topics;
  for (const char* const name : {"names", "filters", "globs"}) {
    std::vector<std::string> lines = split(topic_file(name), '\n');
    Topic& topic = topics.emplace_back(Topic{name, lines.front(), {}});
    topic.text.assign(lines.begin() + 1, lines.end());
  }
  return topics;
}

}  // namespace hdb::inspect
