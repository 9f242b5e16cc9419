// Sound files with a few edits, sealed again, through the C interface: into tables that were made
// from a sound file, or from the edited one.
//   F18  A refused file changes nothing and says why, also if tables are made from it.
//   F19  Every record of a loaded state is found by its handle, can be replaced by its own bytes,
//        and erased; tables take further records.
//   F20  A loaded state can be saved, and loads into the same tables with the same state hash.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "c/c_objects.hpp"
#include "require.hpp"
#include "sealed_file.hpp"
#include "sound_files.hpp"

namespace hdb::fuzz {
namespace {

using test::CDatabase;

// Frees an error when it goes.
struct CError {
  hdb_error* error = nullptr;
  CError() = default;
  CError(const CError&) = delete;
  CError& operator=(const CError&) = delete;
  ~CError() { hdb_error_free(error); }
  [[nodiscard]] const char* text() const {
    const char* const message = hdb_error_message(error);
    return message != nullptr ? message : "";
  }
};

// A file of this process, in the folder for temporary files.
class NamedFile {
 public:
  NamedFile()
      : path_((std::filesystem::temp_directory_path() / ("fuzz_c." + std::to_string(getpid())))
                  .string()) {}
  NamedFile(const NamedFile&) = delete;
  NamedFile& operator=(const NamedFile&) = delete;
  ~NamedFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const char* write(const Bytes& bytes) const {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path_.c_str();
  }

 private:
  std::string path_;
};

bool make_tables(const CDatabase& database, const Bytes& file) {
  static const NamedFile named;
  CError error;
  const hdb_status status = hdb_tables_create_from(database.get(), named.write(file), &error.error);
  if (status != HDB_OK) {
    require(*error.text() != '\0', "F18: a refusal says why");
    require(hdb_table_at(database.get(), 0) == nullptr, "F18: no table stays after", error.text());
  }
  return status == HDB_OK;
}

bool load(const CDatabase& database, const Bytes& file, FuzzedDataProvider& in) {
  hdb_load_options options{};
  options.struct_size = sizeof options;
  options.fork = in.ConsumeBool();
  options.keep_unknown = in.ConsumeBool();
  options.verify = in.ConsumeIntegralInRange(0, 3) == 0;
  options.max_memory = 1 << 25;
  options.unknown_values = in.ConsumeIntegralInRange(0U, 2U);
  if (options.keep_unknown != 0) options.unknown_values = 0;
  const Hash128 before = test::c_state_hash(database);
  CError error;
  char* summary = nullptr;
  const hdb_status status =
      hdb_load_bytes(database.get(), file.data(), file.size(), &options, &summary, &error.error);
  hdb_free(summary);
  if (status == HDB_OK) return true;
  require(*error.text() != '\0', "F18: a refusal says why");
  require(test::c_state_hash(database) == before, "F18: unchanged after", error.text());
  return false;
}

void touch(hdb_table* table, hdb_handle handle) {
  const Bytes record = test::c_record(table, handle);
  require(!record.empty() || hdb_find(table, handle, nullptr) != nullptr,
          "F19: a handle of the table names a record");
  std::size_t size = 0;
  if (const char* const name = hdb_name(table, handle, &size))
    require(hdb_find_named(table, name, size) == handle, "F19: a name finds its record");
  CError error;
  require(hdb_replace(table, handle, record.data(), record.size(), &error.error) == HDB_OK,
          "F19: a record takes its own bytes:", error.text());
}

void touch_all(const CDatabase& database) {
  for (std::size_t i = 0; hdb_table* const table = hdb_table_at(database.get(), i); ++i) {
    std::uint64_t count = 0;
    const std::uint64_t end = hdb_position_end(table);
    for (std::uint64_t at = 0; at < end; ++at) {
      const hdb_handle handle = hdb_handle_at(table, at);
      if (handle == 0) continue;
      ++count;
      touch(table, handle);
    }
    require(count == hdb_count(table), "F19: as many records as the table says");
  }
}

void change(const CDatabase& database) {
  for (std::size_t i = 0; hdb_table* const table = hdb_table_at(database.get(), i); ++i) {
    CError error;
    hdb_handle made = 0;
    const hdb_status status = hdb_insert(table, nullptr, 0, &made, &error.error);
    require(status == HDB_OK || *error.text() != '\0', "F18: a refusal says why");
    CError of_erase;
    if (status == HDB_OK)
      require(hdb_erase(table, made, &of_erase.error) == HDB_OK || *of_erase.text() != '\0',
              "F19: a record can be erased");
  }
}

void check_loaded(const CDatabase& database, const Bytes& tables) {
  touch_all(database);
  const Hash128 hash = test::c_state_hash(database);
  void* bytes = nullptr;
  std::size_t size = 0;
  CError of_save, of_load;
  require(hdb_save_bytes(test::c_capture(database).get(), nullptr, &bytes, &size, &of_save.error) ==
              HDB_OK,
          "F20: a loaded state can be saved:", of_save.text());
  const CDatabase other = test::c_database();
  require(make_tables(other, tables), "F20: the tables can be made again");
  hdb_load_options options{};
  options.struct_size = sizeof options;
  options.keep_unknown = 1;
  require(hdb_load_bytes(other.get(), bytes, size, &options, nullptr, &of_load.error) == HDB_OK,
          "F20: what was saved loads:", of_load.text());
  hdb_free(bytes);
  require(test::c_state_hash(other) == hash, "F20: with the same state hash");
  change(database);
  touch_all(database);
}

}  // namespace
}  // namespace hdb::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hdb::fuzz;
  FuzzedDataProvider in(data, size);
  SealedFile file = any_sound_file(in);
  const bool from_edited = in.ConsumeIntegralInRange(0, 3) == 0;
  const auto& sound = sound_files();
  const std::size_t tables = in.ConsumeIntegralInRange<std::size_t>(0, sound.size() - 1);
  const hdb::Bytes edited = edited_and_sealed(std::move(file), in);
  const hdb::Bytes& made_from = from_edited ? edited : sound[tables];
  const CDatabase database = hdb::test::c_database();
  if (make_tables(database, made_from) && load(database, edited, in))
    check_loaded(database, made_from);
  return 0;
}
