// Copies rows into values that own their content.
#include "evolve/record_loader.hpp"

#include <utility>

#include "evolve/dynamic_access.hpp"
#include "evolve/type_names.hpp"

namespace hdb {
namespace {

using Inside = DynamicAccess;

void set_scalar(const Field& field, DynamicValue& to) {
  Inside::kind(to) = field.kind;
  Inside::leaf(to) = field.kind == FieldKind::handle ? FieldKind::structure : leaf_of(field);
  if (field.kind != FieldKind::handle) return;
  Inside::layout(to) = field.layout;
  Inside::text(to) = field.table;
}

std::shared_ptr<const std::vector<Enumerator>> names_of(const Field& field) {
  std::vector<Enumerator> enumerators = enumerators_of(field);
  if (enumerators.empty()) return nullptr;
  return std::make_shared<const std::vector<Enumerator>>(std::move(enumerators));
}

}  // namespace

RecordLoader::Node RecordLoader::node_of(const Field& field) {
  Node node;
  const bool is_kept = field.kind == FieldKind::variant || field.kind == FieldKind::array ||
                       field.kind == FieldKind::optional || evolve::is_place(field.name);
  if (is_kept) node.stored = std::make_shared<const Field>(field);
  const bool is_list = field.kind == FieldKind::list || field.kind == FieldKind::array;
  if (is_list && fixed_width(field.children.front()) != 0) {
    auto element = std::make_shared<DynamicValue>();
    set_scalar(field.children.front(), *element);
    Inside::enumerators(*element) = names_of(field.children.front());
    node.element = std::move(element);
    return node;
  }
  if (field.kind == FieldKind::enumeration) {
    node.enumerators = names_of(field);
    return node;
  }
  for (const Field& child : field.children) node.children.push_back(node_of(child));
  return node;
}

void RecordLoader::load(const Node& node, const Value& from, DynamicValue& to) {
  const Field& field = *from.field;
  auto& children = Inside::children(to);
  Inside::is_packed(to) = false;
  Inside::class_version(to) = Inside::kAnyVersion;
  Inside::bits(to) = 0;
  Inside::kind(to) = field.kind;
  Inside::leaf(to) = FieldKind::structure;
  if (Inside::stored(to) != node.stored) Inside::stored(to) = node.stored;
  const auto load_children = [&](auto node_of_child) {
    children.resize(from.children.size());
    for (std::size_t i = 0; i < children.size(); ++i)
      load(node_of_child(i), from.children[i], children[i]);
  };
  switch (field.kind) {
    case FieldKind::structure:
      Inside::class_version(to) = field.versioned ? field.class_version : 0;
      children.resize(from.children.size());
      for (std::size_t i = 0; i < children.size(); ++i) {
        const std::string& name = field.children[i].name;
        if (Inside::name(std::as_const(children[i])) != name) Inside::name(children[i]) = name;
        Inside::is_removed(children[i]) = false;
        load(node.children[i], from.children[i], children[i]);
      }
      return;
    case FieldKind::array:
    case FieldKind::list:
      Inside::kind(to) = FieldKind::list;
      if (node.element == nullptr) {
        return load_children([&](std::size_t) -> const Node& { return node.children.front(); });
      }
      children.clear();
      Inside::is_packed(to) = true;
      Inside::bits(to) = from.bits;
      Inside::leaf(to) = Inside::leaf(*node.element);
      Inside::element(to) = node.element;
      Inside::text(to).assign(from.text());
      return;
    case FieldKind::map:
      return load_children([&](std::size_t i) -> const Node& { return node.children[i % 2]; });
    case FieldKind::optional:
      return load_children([&](std::size_t) -> const Node& { return node.children.front(); });
    case FieldKind::variant:
      Inside::bits(to) = from.bits;
      return load_children([&](std::size_t) -> const Node& {
        return node.children[static_cast<std::size_t>(from.bits)];
      });
    case FieldKind::string:
    case FieldKind::opaque:
      children.clear();
      Inside::text(to).assign(from.text());
      return;
    default:
      children.clear();
      set_scalar(field, to);
      if (Inside::enumerators(to) != node.enumerators) Inside::enumerators(to) = node.enumerators;
      Inside::bits(to) = from.bits;
      return;
  }
}

}  // namespace hdb
