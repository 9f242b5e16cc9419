// Runs the program of an age and saves its file. For fixtures/make.sh and the tests.
#include "ages.hpp"

#include <stdexcept>

namespace hdb::test::ages {

std::unique_ptr<Game> opened(int age) {
  auto game = std::make_unique<Game>();
  kAges.at(static_cast<std::size_t>(age - 1)).open(*game);
  return game;
}

std::unique_ptr<Game> played(int age) {
  auto game = opened(age);
  kAges.at(static_cast<std::size_t>(age - 1)).play(*game);
  return game;
}

Bytes file_of(int age) {
  SaveOptions options;
  options.metadata.title = "Age " + std::to_string(age);
  options.metadata.play_time_ms = 60'000;
  options.metadata.date_unix_ms = 1'700'000'000'000;
  options.metadata.sequence = static_cast<std::uint64_t>(age);
  options.write.file_id = hash128(bytes_of(options.metadata.title));
  options.write.codec = Codec::none;
  MemorySink sink;
  const auto saved = save(played(age)->db.capture(), sink, options);
  if (!saved) throw std::runtime_error(saved.error().message());
  return sink.take();
}

std::string file_name(int age, bool is_first) {
  const bool has_versions = age >= 3 && !is_first;
  return "ages/age_" + std::to_string(age) + (has_versions ? "_with_versions.hdb" : ".hdb");
}

}  // namespace hdb::test::ages
