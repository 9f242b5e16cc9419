// Walks over schemas.
#include "hdb/inspect/paths.hpp"

#include <algorithm>

#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

class FieldMatcher {
 public:
  explicit FieldMatcher(const Glob& glob) : glob_(glob) {}

  std::vector<FieldPlace> run(const Field& root, const Glob::State& state) {
    visit(root, state);
    return std::move(found_);
  }

 private:
  void visit(const Field& field, const Glob::State& state) {
    if (state.none()) {
      column_ += count_columns(field);
    } else if (glob_.is_match(state)) {
      const std::uint32_t count = count_columns(field);
      found_.push_back({&field, column_, count});
      column_ += count;
    } else {
      column_ += leading_columns(field);
      if (field.kind == FieldKind::enumeration) return;
      for (std::size_t i = 0; i < field.children.size(); ++i)
        visit(field.children[i], glob_.after_child(state, field, i));
    }
  }

  const Glob& glob_;
  std::uint32_t column_ = 0;
  std::vector<FieldPlace> found_;
};

}  // namespace

std::uint32_t leading_columns(const Field& field) noexcept {
  if (field.kind == FieldKind::structure || field.kind == FieldKind::array) return 0;
  return field.kind == FieldKind::string || field.kind == FieldKind::opaque ? 2 : 1;
}

std::uint32_t count_columns(const Field& field) noexcept {
  std::uint32_t count = leading_columns(field);
  if (field.kind == FieldKind::enumeration) return count;
  for (const Field& child : field.children) count += count_columns(child);
  return count;
}

std::vector<std::string> field_paths(const Field& root) {
  std::vector<std::string> paths;
  const auto add = [&](std::string path) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end())
      paths.push_back(std::move(path));
  };
  for (const Column& column : columns_of(root)) {
    // Structures have no column of their own: "pos" of "pos.x".
    for (std::size_t at = column.path.find('.'); at != std::string::npos;
         at = column.path.find('.', at + 1)) {
      add(column.path.substr(0, at));
    }
    add(column.path);
  }
  return paths;
}

std::string near_field_hint(const Field& root, std::string_view path) {
  return did_you_mean(path, field_paths(root));
}

std::vector<FieldPlace> match_fields(const Field& root, const Glob& glob) {
  return match_fields(root, glob, glob.begin());
}

std::vector<FieldPlace> match_fields(const Field& root, const Glob& glob,
                                     const Glob::State& state) {
  return FieldMatcher(glob).run(root, state);
}

}  // namespace hdb
