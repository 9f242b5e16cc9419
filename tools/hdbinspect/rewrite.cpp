// The library's atomic save, with the rules of a tool that never writes its input.
#include "rewrite.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "hdb/atomic_file.hpp"
#include "inputs.hpp"
#include "system/paths.hpp"

namespace hdb::inspect {
namespace {

Error named(Error error, const std::string& output) {
  if (error.file.empty()) error.file = output;
  return error;
}

}  // namespace

Result<std::unique_ptr<AtomicFile>> create_output(const std::string& output) {
  if (Status checked = check_is_not_read(output); !checked) return fail(std::move(checked.error()));
  AtomicFileOptions options;
  options.file_system = &output_files();
  auto file = AtomicFile::create(output, options);
  if (!file) return fail(named(std::move(file.error()), output));
  return file;
}

Status commit_durably(AtomicFile& file, const std::string& output) {
  // The input may have been opened after the output was begun.
  if (Status checked = check_is_not_read(output); !checked) return checked;
  const auto committed = file.commit();
  if (!committed) return fail(named(committed.error(), output));
  if (committed->outcome != SaveOutcome::durable) return fail(named(committed->problem, output));
  return {};
}

Status check_output(const std::string& input, const std::string& output, bool force) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto refused = [&](std::string what) {
    return fail(Error{ErrorCode::bad_path, std::move(what), kNoOffset, "output", output});
  };
  if (output == "-") return refused("the output must be a file, not standard output");
  // Names of the system, which lead to the files where a shell puts what is printed.
  for (const std::string name : {"/dev/stdout", "/dev/stderr"}) {
    if (fs::is_regular_file(utf8_path(name), error) &&
        fs::equivalent(utf8_path(name), utf8_path(output), error)) {
      return refused("what is printed goes to this file; choose another output");
    }
  }
  if (Status checked = check_is_not(input, output); !checked) return checked;
  if (!force && fs::exists(fs::symlink_status(utf8_path(output), error))) {
    return refused("the file exists already; use --force to replace it");
  }
  return {};
}

Result<WriteReport> write_file(const ImageSource& image, const std::string& output,
                               const WriteOptions& options,
                               const std::function<Status(const WriteReport&)>& approve) {
  auto file = create_output(output);
  if (!file) return fail(std::move(file.error()));
  auto written = write_image(image, **file, options);
  if (!written) return fail(std::move(written.error()));  // `file` deletes the temporary file
  if (approve) {
    if (Status approved = approve(*written); !approved) return fail(std::move(approved.error()));
  }
  if (auto committed = commit_durably(**file, output); !committed)
    return fail(std::move(committed.error()));
  return written;
}

Status write_text(std::string_view text, const std::string& output) {
  auto file = create_output(output);
  if (!file) return fail(std::move(file.error()));
  if (auto written = (*file)->write(std::as_bytes(std::span(text.data(), text.size()))); !written)
    return fail(named(std::move(written.error()), output));
  return commit_durably(**file, output);
}

}  // namespace hdb::inspect
