// Types as values: names as the compiler writes them, and keys that are equal in every module of a
// program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "hdb/detail/base/compiler.hpp"

namespace hdb::detail {

/// Says which type is meant: a table finds its record type by it, a handle field its table. The
/// null key means none.
///
/// An engine and its plugins (shared libraries, hidden visibility too) get equal keys for one type:
///   Y1  Within a module (the program, or one shared library), keys are equal exactly when the
///       types are the same.
///   Y2  Between modules, keys are equal when the compiler writes the types' full names alike.
///       Template arguments that are types are compared one by one, so it does not matter whether
///       default arguments were written.
///   Y3  Types in anonymous namespaces, lambdas and types without a name belong to their module: no
///       key of another module equals theirs. The same holds for types local to a function, where
///       the compiler writes the function's name (g++ does, clang does not: there a local type
///       looks like one outside of functions, so such types should not be records of several
///       modules).
/// Modules must be built by the same compiler from the same definitions. A key says nothing of a
/// type's content; tables compare RecordType::layout too.
///
/// Complexity: comparing is a few comparisons of numbers; the hash of the name is made by the
/// compiler.
class TypeKey {
 public:
  constexpr TypeKey() noexcept = default;
  /// `anchor` is an address that only this type has within its module; `module` is null for types
  /// that belong to it.
  constexpr TypeKey(std::uint64_t name_hash, const void* anchor, const void* module) noexcept
      : name_hash_(name_hash), anchor_(anchor), module_(module) {}

  friend constexpr bool operator==(const TypeKey& a, const TypeKey& b) noexcept {
    return a.name_hash_ == b.name_hash_ && (a.anchor_ == b.anchor_ || a.module_ != b.module_);
  }

  /// An order for maps. Equal keys have one place; so have local types of one name that clang does
  /// not tell apart (Y3).
  [[nodiscard]] static bool is_before(const TypeKey& a, const TypeKey& b) noexcept {
    if (a.name_hash_ != b.name_hash_) return a.name_hash_ < b.name_hash_;
    return a.module_ == nullptr && b.module_ == nullptr && std::less<>()(a.anchor_, b.anchor_);
  }

  /// Equal keys have equal hashes.
  struct Hash {
    [[nodiscard]] std::size_t operator()(const TypeKey& key) const noexcept {
      return static_cast<std::size_t>(key.name_hash_);
    }
  };
  /// Stricter than equal: also the code for the type is that of one module, which can be unloaded
  /// alone.
  struct IsOfOneModule {
    [[nodiscard]] bool operator()(const TypeKey& a, const TypeKey& b) const noexcept {
      return a.name_hash_ == b.name_hash_ && a.anchor_ == b.anchor_;
    }
  };

 private:
  std::uint64_t name_hash_ = 0;
  const void* anchor_ = nullptr;
  const void* module_ = nullptr;
};

template <class T>
[[nodiscard]] constexpr const char* function_text() noexcept {
  return HDB_FUNCTION_TEXT;
}

/// Where the name of T begins in function_text<T>(), and how many characters follow it.
struct NamePlace {
  std::size_t before = 0;
  std::size_t after = 0;
};
[[nodiscard]] constexpr NamePlace name_place() noexcept {
  const std::string_view text = function_text<double>();
  const std::size_t before = text.find("double");
  return {before, text.size() - before - std::string_view("double").size()};
}

/// Whether a type of this name may be another one in another module.
[[nodiscard]] constexpr bool belongs_to_a_module(std::string_view name) noexcept {
  for (const std::string_view mark :
       {"{anonymous}", "(anonymous", "<unnamed", "(unnamed", "<lambda", "(lambda", ")::", "`"}) {
    if (name.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

/// FNV-1a with a last mix; never 0.
[[nodiscard]] constexpr std::uint64_t hash_of_name(std::string_view name) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15;
  hash ^= hash >> 29;
  return hash == 0 ? 1 : hash;
}

/// Its address is one for each module, whatever the visibility.
HDB_HIDDEN inline constexpr char module_anchor = 0;

/// The name of a type without the word that MSVC writes before it: "struct game::Unit".
[[nodiscard]] constexpr std::string_view without_keyword(std::string_view name) noexcept {
  for (const std::string_view word : {"struct ", "class ", "union ", "enum "}) {
    if (name.starts_with(word)) return name.substr(word.size());
  }
  return name;
}

/// The name of T with its namespaces, as the compiler writes it: for messages.
template <class T>
[[nodiscard]] constexpr std::string_view type_name() noexcept {
  constexpr NamePlace place = name_place();
  const std::string_view text = function_text<T>();
  return without_keyword(text.substr(place.before, text.size() - place.before - place.after));
}

/// The identifier that a type's name ends with, without namespaces, template arguments and the
/// class that it is a member of: the same from every compiler. Empty for types without a name and
/// for numbers of several words.
[[nodiscard]] constexpr std::string_view identifier_of(std::string_view name) noexcept {
  const auto is_part = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  std::size_t begin = 0;
  std::size_t depth = 0;  // of brackets
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if ((c == '>' || c == ')' || c == '}' || c == ']') && depth != 0) --depth;
    if (depth == 0 && (c == ':' || c == ' ')) begin = i + 1;
  }
  std::size_t end = begin;
  while (end < name.size() && is_part(name[end])) ++end;
  constexpr std::size_t kMost = 255;  // bytes of a name in a file
  const bool is_whole = (end == name.size() || name[end] == '<') && end - begin <= kMost;
  return is_whole ? name.substr(begin, end - begin) : std::string_view();
}

template <template <class...> class C>
[[nodiscard]] constexpr const char* template_text() noexcept {
  return HDB_FUNCTION_TEXT;
}

template <template <std::size_t> class C>
[[nodiscard]] constexpr const char* template_text() noexcept {
  return HDB_FUNCTION_TEXT;
}

/// What a key keeps of a name.
struct NameParts {
  std::uint64_t hash = 0;
  bool is_local = false;  ///< Belongs to its module.

  [[nodiscard]] static constexpr NameParts of(std::string_view name) noexcept {
    return {hash_of_name(name), belongs_to_a_module(name)};
  }
  [[nodiscard]] constexpr NameParts with(NameParts argument) const noexcept {
    const std::uint64_t mixed = (hash ^ argument.hash >> 29) * 0x9e3779b97f4a7c15 + argument.hash;
    return {mixed == 0 ? 1 : mixed, is_local || argument.is_local};
  }
};

// Names of templates are put together from those of their arguments: g++ writes `Box<int>` or
// `Box<int, 4>` for one type, as the translation unit was the first to write it, where an argument
// has a default.
template <class T>
inline constexpr NameParts name_parts = NameParts::of(type_name<T>());
template <template <class...> class C, class... Arguments>
inline constexpr NameParts name_parts<C<Arguments...>> = [] {
  NameParts parts = NameParts::of(template_text<C>());
  ((parts = parts.with(name_parts<Arguments>)), ...);
  return parts;
}();

/// One for each type: in a module with hidden visibility, else perhaps in several. A variable, so
/// that all of a module read the same numbers even where two of its translation units would write
/// the name differently.
struct TypeIdentity {
  std::uint64_t name_hash;
  const void* module;

  [[nodiscard]] TypeKey key() const noexcept { return {name_hash, this, module}; }
};
template <class T>
constinit inline TypeIdentity type_identity{name_parts<T>.hash,
                                            name_parts<T>.is_local ? nullptr : &module_anchor};

/// The key of T, which may be incomplete.
template <class T>
[[nodiscard]] TypeKey type_key() noexcept {
  return type_identity<T>.key();
}

}  // namespace hdb::detail
