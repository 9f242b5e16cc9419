// Verdicts on handles; the records that go with what they hold.
#include "inspect/salvage/lost_references.hpp"

#include "base/using_detail.hpp"
#include "hdb/translate_handle.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace hdb::salvaging {
namespace {

constexpr unsigned kTableShift = 32;

std::uint64_t key_of_slot(std::size_t table, std::uint64_t slot) noexcept {
  return std::uint64_t{table} << kTableShift | slot;
}

}  // namespace

ReferenceJudge::Verdict ReferenceJudge::judge(const Field& field, std::uint64_t bits) const {
  if (bits == 0) return Verdict::fine;
  const auto parts = split_handle(field.layout, bits);
  const auto number = namer_.table_of(field, bits);
  if (!parts || !number) return Verdict::fine;
  const SalvagedTable& table = *tables_[*number];
  const Verdict stale = field.strong ? Verdict::dangling : Verdict::stale;
  if (parts->index >= table.stored().slot_count || parts->generation == 0) return stale;
  const bool is_tenant = table.generation(parts->index) == parts->generation;
  switch (table.fate(parts->index)) {
    case Fate::live: return is_tenant ? Verdict::fine : stale;
    case Fate::lost: return is_tenant ? Verdict::lost : stale;
    case Fate::unknown:
      return parts->generation <= table.stored().highest_generation ? Verdict::lost : stale;
    case Fate::free:
    case Fate::retired:
    case Fate::unissued:
    case Fate::lost_free: break;
  }
  return stale;
}

ReferenceJudge::Verdict ReferenceJudge::judge(const Reference& reference) const {
  const Verdict verdict = judge(*reference.field, reference.bits);
  if (verdict != Verdict::stale ||
      !groups_.is_taken(reference.table, reference.slot, reference.field))
    return verdict;
  const auto parts = split_handle(reference.field->layout, reference.bits);
  const SalvagedTable& table = *tables_[*namer_.table_of(*reference.field, reference.bits)];
  const bool was_issued = parts->index < table.stored().slot_count &&
                          table.stored().policy.overflow != Overflow::wrap &&
                          parts->generation <= table.generation(parts->index);
  return was_issued ? verdict : Verdict::later;
}

bool ReferenceJudge::becomes_null(const Reference& reference) const {
  const Verdict verdict = judge(reference);
  return verdict == Verdict::later ||
         (options_.references != LostReferences::keep && verdict >= Verdict::dangling);
}

// Where nothing is lost, only strong handles can be wrong.
bool ReferenceJudge::needs_look(std::size_t table) const {
  const bool any_lost =
      groups_.has_taken() || std::any_of(tables_.begin(), tables_.end(),
                                         [](const auto& other) { return other->has_lost_slots(); });
  const std::vector<Column> columns = columns_of(file_.schemas()[tables_[table]->stored().schema]);
  return std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
    return column.kind == FieldKind::handle && (any_lost || column.field->strong);
  });
}

// Calls `visit(table, reference)` with every handle of the records that are left.
template <class Visit>
Status ReferenceJudge::for_each(const Visit& visit) {
  for (std::size_t number = 0; number < tables_.size(); ++number) {
    SalvagedTable& table = *tables_[number];
    if (!needs_look(number)) continue;
    GroupReferences references(file_.schemas()[table.stored().schema], number);
    for (std::uint64_t group = 0; group < table.stored().group_count(); ++group) {
      if (!table.group_is_sound(group)) continue;
      if (Status read = groups_.read_group(number, group, group_); !read) return read;
      const auto visited = references.visit(group_, [&](const Reference& reference) {
        if (table.fate(reference.slot) == Fate::live) visit(table, reference);
        return true;
      });
      if (!visited) return fail(Error(visited.error()).in("table '" + table.stored().name + "'"));
    }
  }
  return {};
}

Status ReferenceJudge::drop_holders() {
  std::vector<Edge> edges;
  std::vector<std::uint64_t> dropped;  // holders to be lost
  const std::uint64_t most = options_.limits.max_memory_bytes / sizeof(Edge);
  Status read = for_each([&](SalvagedTable&, const Reference& reference) {
    if (!reference.field->strong || reference.bits == 0 || edges.size() > most) return;
    const std::uint64_t holder = key_of_slot(reference.table, reference.slot);
    const Verdict verdict = judge(reference);
    if (verdict >= Verdict::dangling) {
      if (dropped.empty() || dropped.back() != holder) dropped.push_back(holder);
      return;
    }
    const auto parts = split_handle(reference.field->layout, reference.bits);
    const auto table = namer_.table_of(*reference.field, reference.bits);
    if (parts && table && parts->index < tables_[*table]->stored().slot_count)
      edges.push_back({key_of_slot(*table, parts->index), holder});
  });
  if (!read) return read;
  if (edges.size() > most) {
    return fail(ErrorCode::memory_budget,
                "the file has more than " + std::to_string(most) + " strong handles", "salvage");
  }
  std::sort(edges.begin(), edges.end());
  std::reverse(dropped.begin(), dropped.end());  // the first is taken first
  while (!dropped.empty()) {
    const std::uint64_t key = dropped.back();
    dropped.pop_back();
    SalvagedTable& table = *tables_[static_cast<std::size_t>(key >> kTableShift)];
    const std::uint64_t slot = key & ((std::uint64_t{1} << kTableShift) - 1);
    if (table.fate(slot) != Fate::live) continue;
    table.lose(slot, LossCause::lost_reference);
    for (const auto& component : tables_) {
      if (component->stored().owner == table.stored().name)
        component->lose(slot, LossCause::lost_owner);
    }
    for (auto edge = std::lower_bound(edges.begin(), edges.end(), Edge{key, 0});
         edge != edges.end() && edge->target == key; ++edge) {
      dropped.push_back(edge->holder);
    }
  }
  return {};
}

Status ReferenceJudge::run() {
  if (options_.references == LostReferences::drop) {
    if (Status status = drop_holders(); !status) return status;
  }
  return for_each([&](SalvagedTable& table, const Reference& reference) {
    const Verdict verdict = judge(reference);
    if (verdict < Verdict::dangling) return;
    const bool keeps = options_.references == LostReferences::keep && verdict != Verdict::later;
    ++(keeps ? table.report.references_kept : table.report.references_nulled);
    if (!options_.on_lost_reference) return;
    options_.on_lost_reference({reference.table, table.stored().name, reference.slot,
                                reference.generation, reference.path(),
                                namer_.name(*reference.field, reference.bits),
                                reference.field->strong, !keeps});
  });
}

}  // namespace hdb::salvaging
