// Finds archives and saves by their names.
#include "archive/place.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "hdb/inspect/paths.hpp"
#include "inputs.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::string_view kLatest = "latest";

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || stopped != end || error != std::errc()) return std::nullopt;
  return number;
}

// "gate, cave and 3 more".
std::string listed(const std::set<std::string>& worlds) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::size_t shown = 0;
  for (const std::string& world : worlds) {
    if (shown == kMost) break;
    text += (shown++ == 0 ? "" : ", ") + world;
  }
  if (worlds.size() > kMost) text += fmt::format(" and {} more", worlds.size() - kMost);
  return text;
}

tl::unexpected<Error> no_save(Archive& archive, std::string what) {
  if (const auto faults = archive.backend().list_faults(); faults && !faults->empty())
    what += "; the list of saves is damaged, and may lack some";
  return fail(Error{
      ErrorCode::version_not_found, std::move(what), kNoOffset, {}, archive.backend().place()});
}

tl::unexpected<Error> no_world(Archive& archive, const std::string& world,
                               const std::set<std::string>& worlds) {
  return no_save(archive, fmt::format("the archive has no world '{}'; it has {}",
                                      escape_text(world), listed(worlds)));
}

}  // namespace

ArchivePlace split_archive_place(const std::string& text) {
  // The @ of a user in a URL is before the first slash of its path.
  std::size_t begin = 0;
  if (is_archive_url(text)) {
    const std::size_t host = text.find("://");
    begin = host == std::string::npos ? 0 : text.find('/', host + 3);
    if (begin == std::string::npos) return {text, {}};
  }
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || at < begin) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

bool is_archive(const std::string& path) {
  // The file is not read: closing it would release the locks that an open archive has on it.
  std::error_code error;
  return is_archive_url(path) ||
         (path.ends_with(".hdba") && std::filesystem::exists(utf8_path(path), error));
}

std::optional<ArchivePlace> archive_place(const std::string& text) {
  ArchivePlace place = split_archive_place(text);
  std::error_code error;
  if (place.version.empty() || !is_archive(place.archive)) return std::nullopt;
  if (!is_archive_url(text) && std::filesystem::exists(utf8_path(text), error)) return std::nullopt;
  return place;
}

Result<std::unique_ptr<Archive>> open_archive(const std::string& place, bool create) {
  note_input(place);
  auto archive = Archive::open(place, {.create = create});
  if (archive) return archive;
  Error error = std::move(archive.error());
  if (error.file.empty() && !is_archive_url(place)) error.file = place;
  return fail(std::move(error));
}

Result<ArchiveVersion> find_version(Archive& archive, const std::string& text) {
  auto versions = archive.versions();
  if (!versions) return fail(std::move(versions.error()));
  if (versions->empty()) return no_save(archive, "the archive has no saves");
  std::set<std::string> worlds;
  for (const ArchiveVersion& version : *versions) worlds.insert(version.world);
  std::string world = text;
  std::string number{kLatest};
  if (const std::size_t slash = text.rfind('/'); slash != std::string::npos) {
    world = text.substr(0, slash);
    number = text.substr(slash + 1);
  } else if (text == kLatest || (parse_number(text) && !worlds.contains(text))) {
    if (worlds.size() > 1) {
      return no_save(archive, fmt::format("the archive has {} worlds ({}): write WORLD/{}",
                                          worlds.size(), listed(worlds), escape_text(text)));
    }
    world = *worlds.begin();
    number = text;
  }
  if (!worlds.contains(world)) return no_world(archive, world, worlds);
  const ArchiveVersion* last = nullptr;
  for (const ArchiveVersion& version : *versions) {
    if (version.world != world) continue;
    if (parse_number(number) == version.sequence) return version;
    last = &version;
  }
  if (number == kLatest) return archive.latest(world);
  return no_save(archive, fmt::format("the world '{}' has no save '{}'; its last one is {}",
                                      escape_text(world), escape_text(number), last->sequence));
}

Result<std::vector<ArchiveVersion>> find_versions(Archive& archive, const std::string& text) {
  constexpr std::string_view kDots = "..";
  const std::size_t slash = text.rfind('/');
  const std::size_t dots = slash == std::string::npos ? slash : text.find(kDots, slash);
  if (dots == std::string::npos) {
    const auto version = find_version(archive, text);
    if (!version) return fail(version.error());
    return std::vector<ArchiveVersion>{*version};
  }
  const std::string first = text.substr(slash + 1, dots - slash - 1);
  const std::string last = text.substr(dots + kDots.size());
  const auto from = parse_number(first.empty() ? "0" : first);
  const auto to = last.empty() ? std::numeric_limits<std::uint64_t>::max() : parse_number(last);
  if (!from || !to || *from > *to) {
    return fail(ErrorCode::bad_name,
                fmt::format("'{}' is not a range of saves", escape_text(text)));
  }
  const auto all = archive.versions();
  if (!all) return fail(all.error());
  const std::string world = text.substr(0, slash);
  std::set<std::string> worlds;
  std::vector<ArchiveVersion> found;
  for (const ArchiveVersion& version : *all) {
    worlds.insert(version.world);
    if (version.world == world && version.sequence >= *from && version.sequence <= *to)
      found.push_back(version);
  }
  if (!worlds.contains(world)) return no_world(archive, world, worlds);
  return found;
}

Result<WorldFilter> worlds_that_fit(Archive& archive, const std::string& glob) {
  if (glob.empty()) return WorldFilter([](const std::string&) { return true; });
  auto parsed = Glob::of_name(glob);
  if (!parsed) return fail(std::move(parsed.error()));
  const auto all = archive.versions();
  if (!all) return fail(all.error());
  std::set<std::string> worlds;
  for (const ArchiveVersion& version : *all) worlds.insert(version.world);
  if (std::none_of(worlds.begin(), worlds.end(), [&](auto& each) { return parsed->matches(each); }))
    return no_world(archive, glob, worlds);
  return WorldFilter([fits = *std::move(parsed)](auto& world) { return fits.matches(world); });
}

Result<std::unique_ptr<ByteSource>> open_archived(const ArchivePlace& place,
                                                  const ReadLimits& limits) {
  auto archive = open_archive(place.archive);
  if (!archive) return fail(std::move(archive.error()));
  const auto version = find_version(**archive, place.version);
  if (!version) return fail(version.error());
  return (*archive)->source(*version, limits);  // which keeps what it needs of the archive
}

}  // namespace hdb::inspect
