// Matches globs: names by going back to the last run, paths by the set of places where the walk may
// stand.
#include "hdb/inspect/paths.hpp"

#include <algorithm>
#include <charconv>

#include "hdb/inspect/text.hpp"

namespace hdb {

struct Glob::AtomMatch {
  // Takes what `atom` matches at the front of `name`; false when it does not match.
  static bool take(const Atom& atom, std::string_view name, std::size_t& at) {
    if (at == name.size()) return false;
    if (atom.kind == Atom::Kind::byte) return name[at] == atom.byte && ++at != 0;
    std::uint32_t code = 0;
    static_cast<void>(take_code_point(name, at, code));
    if (atom.kind == Atom::Kind::any) return true;
    const bool held = std::any_of(
        atom.ranges.begin(), atom.ranges.end(),
        [code](const auto& range) { return range.first <= code && code <= range.second; });
    return held == (atom.kind == Atom::Kind::set);
  }
};

bool Glob::matches_name(const std::vector<Atom>& atoms, std::string_view name) {
  std::size_t at = 0;
  std::size_t atom = 0;
  bool after_run = false;
  std::size_t run_atom = 0;  // the atom after the last run
  std::size_t run_at = 0;    // and where it was tried
  while (true) {
    if (atom < atoms.size() && atoms[atom].kind == Atom::Kind::run) {
      after_run = true;
      run_atom = ++atom;
      run_at = at;
    } else if (atom == atoms.size() && at == name.size()) {
      return true;
    } else if (atom < atoms.size() && AtomMatch::take(atoms[atom], name, at)) {
      ++atom;
    } else if (after_run && run_at < name.size()) {
      std::uint32_t code = 0;
      static_cast<void>(take_code_point(name, run_at, code));
      at = run_at;
      atom = run_atom;
    } else {
      return false;
    }
  }
}

// Any number of parts may also be none.
void Glob::close(State& state) const {
  for (std::size_t i = 0; i + 1 < parts_.size(); ++i) {
    if (state[i] && parts_[i].kind == Part::Kind::any_parts) state.set(i + 1);
  }
}

Glob::State Glob::after_name(const State& state, std::string_view name) const {
  State next;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!state[i]) continue;
    const Part& part = parts_[i];
    if (part.kind == Part::Kind::end || part.kind == Part::Kind::any_parts) next.set(i);
    if (part.kind == Part::Kind::name && matches_name(part.atoms, name)) next.set(i + 1);
  }
  close(next);
  return next;
}

Glob::State Glob::after_number(const State& state, Part::Kind kind,
                               std::optional<std::uint64_t> number) const {
  State next;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!state[i]) continue;
    const Part& part = parts_[i];
    if (part.kind != kind) {
      next.set(i);
    } else if (!part.number || part.number == number) {
      next.set(i + 1);
    }
  }
  close(next);
  return next;
}

Glob::State Glob::after_element(const State& state, std::optional<std::uint64_t> number) const {
  return after_number(state, Part::Kind::element, number);
}

Glob::State Glob::after_alternative(const State& state, std::uint64_t tag) const {
  return after_number(state, Part::Kind::alternative, tag);
}

Glob::State Glob::after_pair_part(const State& state, std::string_view name) const {
  return state | after_name(state, name);
}

Glob::State Glob::after_child(const State& state, const Field& field, std::size_t child,
                              std::optional<std::uint64_t> number) const {
  switch (field.kind) {
    case FieldKind::structure: return after_name(state, field.children[child].name);
    case FieldKind::optional: return state;
    case FieldKind::variant: return after_alternative(state, child);
    case FieldKind::map:
      return after_pair_part(after_element(state, number), child == 0 ? "key" : "value");
    default: return after_element(state, number);
  }
}

bool Glob::matches(std::string_view text) const {
  if (path_) return is_match(after_path(begin_, text));
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.kind == Part::Kind::name && matches_name(part.atoms, text);
  });
}

Glob::State Glob::after_path(State state, std::string_view path) const {
  for (std::size_t at = 0; at < path.size();) {
    const char c = path[at];
    const char close = c == '[' ? ']' : c == '<' ? '>' : '\0';
    const std::size_t end = close != '\0' ? path.find(close, at) : std::string_view::npos;
    if (end != std::string_view::npos) {
      std::uint64_t number = 0;
      const char* const last = path.data() + end;
      const auto [next, error] = std::from_chars(path.data() + at + 1, last, number);
      const bool known = error == std::errc{} && next == last;
      state = c == '<' ? after_alternative(state, number)
                       : after_element(state, known ? std::optional(number) : std::nullopt);
      at = end + 1;
    } else if (c == '.' || c == '?') {
      ++at;
    } else {
      const std::size_t stop = std::min(path.find_first_of(".[<?", at + 1), path.size());
      state = after_name(state, path.substr(at, stop - at));
      at = stop;
    }
  }
  return state;
}

}  // namespace hdb
