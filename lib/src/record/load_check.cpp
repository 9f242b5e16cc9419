// Runs a type's own load, and compares what it reads with what its save writes.
#include "record/load_check.hpp"

#include <algorithm>

#include "evolve/match.hpp"
#include "hdb/inspect/compat.hpp"
#include "record/user_code.hpp"

namespace hdb::detail::record {
namespace {

/// Default objects have no use for more.
constexpr std::uint64_t kCheckBytes = std::uint64_t{1} << 40;

/// The field of a record whose type is no structure.
constexpr std::string_view kWrapped = "value";

bool is_same_field(const PlanNode& a, const PlanNode& b) {
  return a.kind == b.kind && a.leaf == b.leaf && a.width == b.width && a.count == b.count &&
         a.children.size() == b.children.size() && a.class_version == b.class_version &&
         a.handle_key == b.handle_key;
}

/// Whether the nodes from `first` on describe the same field as the whole of `own`, from
/// `own_first` on.
bool is_same_subtree(const PlanNode* first, const Plan& own, std::size_t own_first) {
  for (std::size_t i = own_first; i < own.nodes.size(); ++i, ++first) {
    if (!is_same_field(*first, own.nodes[i])) return false;
    if (i != own_first && first->name != own.nodes[i].name) return false;
  }
  return true;
}

Plan compiled(const Described& described) {
  Plan plan = plan_of(field_of(described));
  add_program_side(plan, described);
  return plan;
}

}  // namespace

Status decode_rows(const SerializeFunctions& ops, const Plan& stored,
                   std::span<const Bytes> columns, std::span<void* const> records,
                   MemoryBudget& budget, const DecodeOptions& options) {
  DecodeArchive archive(stored, columns, budget, options.check);
  archive.name_rows(options.namer);
  archive.set_equal_keys(options.equal_keys);
  archive.set_unknown_value(options.unknown_value);
  if (options.exact) archive.set_exact(*options.exact);
  std::size_t row = 0;
  Status status = guarded(
      [&] {
        for (; row < records.size(); ++row) {
          archive.begin_row(row);
          ops.load_record(archive, records[row]);
          if (archive.error()) return;
        }
        archive.finish();
      },
      [&]() -> const std::optional<Error>& { return archive.error(); }, {});
  if (!status && status.error().code == ErrorCode::user_code_threw) {
    status.error().where = row_text(options.namer, row);
  }
  if (options.tallies != nullptr) *options.tallies = archive.take_tallies();
  if (options.dropped_rows != nullptr) *options.dropped_rows = archive.dropped_rows();
  return status;
}

std::optional<Error> find_load_difference(const SerializeFunctions& ops, const Plan& plan,
                                          const void* object, LoadCheck& check) {
  Plan stored = plan;
  if (Result<Match> match = match_plans(plan, stored); !match) return match.error();
  std::vector<Bytes> columns(plan.columns.size());
  EncodeArchive encoder(plan, &columns, false);
  const auto encode = [&] {
    encoder.begin_row(0, 0);
    ops.save_record(encoder, object);
    encoder.finish();
  };
  if (!guarded(encode, [&]() -> const auto& { return encoder.error(); }, {})) return std::nullopt;
  Room room(ops);
  room.construct();
  void* const rows[] = {room.bytes()};
  MemoryBudget budget(kCheckBytes);
  const Status loaded = decode_rows(ops, stored, columns, rows, budget, {.check = &check});
  if (loaded || loaded.error().code == ErrorCode::user_code_threw) return std::nullopt;
  return loaded.error();
}

void DecodeArchive::check_element(const PlanNode& node, const SerializeFunctions& element) {
  Room room(element);
  room.construct();
  DescribeArchive described(room.bytes(), element.size);
  const auto describe = [&] { element.describe_record(described, room.bytes()); };
  if (!guarded(describe, [&]() -> const auto& { return described.error(); }, {})) return;
  Plan plan = compiled(described.root());
  const bool is_structure = element.structure != nullptr;
  const std::size_t first = is_structure ? 0 : 1;
  if (!is_same_subtree(&node, plan, first)) {
    stop(ErrorCode::type_mismatch,
         "save writes it as " + type_text(field_of(stored_, index_of(node))) +
             ", but load reads it as " +
             type_text(field_of(plan, static_cast<std::uint32_t>(first))),
         &node);
  }
  if (std::find(check_->seen.begin(), check_->seen.end(), &element) != check_->seen.end()) return;
  check_->seen.push_back(&element);
  // Differences are then reported with paths of the whole record.
  for (PlanNode& part : plan.nodes) {
    if (is_structure) {
      part.path = node.path + (part.path.empty() ? "" : ".") + part.path;
    } else {
      part.path.replace(0, kWrapped.size(), node.path);
    }
  }
  if (auto difference = find_load_difference(element, plan, room.bytes(), *check_)) {
    error_ = std::move(difference);
    throw Unwind{};
  }
}

}  // namespace hdb::detail::record
