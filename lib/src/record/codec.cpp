// RecordCodec and RecordDecoder: loops over records, with the functions of their type.
#include "record/codec.hpp"

#include <algorithm>
#include <optional>

#include "evolve/add_change.hpp"
#include "evolve/match.hpp"
#include "hdb/assert.hpp"
#include "hdb/detail/record/make_codec.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "record/decoder.hpp"
#include "record/discovery.hpp"
#include "record/load_check.hpp"
#include "record/runtime_records.hpp"
#include "record/user_code.hpp"

namespace hdb::detail {

using namespace record;

namespace {

std::string place_of(const RecordBatch& batch, std::size_t row) {
  if (row >= batch.size()) return {};
  return "slot " + std::to_string(batch.slots[row]) + ", generation " +
         std::to_string(batch.generations[row]);
}

// Matches a stored schema, of which `stored_plan` is a plan, with that of the type.
Result<std::shared_ptr<const Matched>> match_schemas(const Field& stored, Plan stored_plan,
                                                     Field own, const Discovery& discovery) {
  Plan own_plan = plan_of(own);
  add_program_side(own_plan, discovery.described);
  Result<Match> match = match_plans(own_plan, stored_plan);
  if (!match) return fail(std::move(match).error());
  const bool is_exact = own == stored;
  return std::make_shared<const Matched>(
      Matched{stored, std::move(own), std::move(stored_plan), *std::move(match), is_exact});
}

}  // namespace

std::string row_text(const RowNamer* namer, std::size_t row) {
  return namer != nullptr && *namer ? (*namer)(row) : "row " + std::to_string(row);
}

// --- RecordDecoder

RecordDecoder::RecordDecoder(const SerializeFunctions* functions,
                             std::shared_ptr<const Matched> matched, bool is_exact,
                             std::shared_ptr<const Discovery> discovery)
    : functions_(functions),
      matched_(std::move(matched)),
      is_exact_(is_exact),
      discovery_(std::move(discovery)) {
  if (discovery_->is_plain && matched_->match.keeps_shapes && !is_exact_) {
    copy_ = std::make_unique<const ColumnCopy>(discovery_->plan, discovery_->layout, matched_->plan,
                                               matched_->match);
  }
}

Status RecordDecoder::decode(std::span<const Bytes> columns, std::span<void* const> records,
                             MemoryBudget& budget, const RowNamer& namer, EqualKeys equal_keys,
                             std::vector<std::size_t>* dropped_rows) const {
  if (columns.size() != matched_->plan.columns.size()) {
    return fail(ErrorCode::bad_lengths, std::to_string(columns.size()) +
                                            " columns are stored instead of " +
                                            std::to_string(matched_->plan.columns.size()));
  }
  std::optional<std::span<const PlacedField>> exact;
  if (is_exact_) exact = discovery_->fields;
  if (is_exact_ && (discovery_->is_plain || !exact->empty())) {
    const std::vector<ColumnBytes> views(columns.begin(), columns.end());
    Status placed = scatter(discovery_->layout, matched_->plan, views, records);
    if (!placed || discovery_->is_plain) return placed;
  }
  std::vector<Tally> tallies;
  // A copy of columns does not look at records, so it cannot replace an unknown value.
  const bool is_copied = copy_ != nullptr && unknown_value_ == UnknownValue::refuse;
  Status status = is_copied ? copy_->run(columns, records, budget, namer, tallies)
                            : decode_each(columns, records, budget,
                                          {.namer = &namer,
                                           .tallies = &tallies,
                                           .equal_keys = equal_keys,
                                           .unknown_value = unknown_value_,
                                           .dropped_rows = dropped_rows,
                                           .exact = exact});
  const std::lock_guard lock(mutex_);
  if (tallies_.empty()) {
    tallies_ = std::move(tallies);
  } else {
    for (std::size_t i = 0; i < tallies.size(); ++i) tallies_[i] += tallies[i];
  }
  return status;
}

Status RecordDecoder::decode_each(std::span<const Bytes> columns, std::span<void* const> records,
                                  MemoryBudget& budget, const DecodeOptions& options) const {
  return discovery_->runtime != nullptr
             ? discovery_->runtime->decode(matched_->plan, columns, records, budget, options)
             : decode_rows(*functions_, matched_->plan, columns, records, budget, options);
}

HandleKey RecordDecoder::handles_of(std::size_t stored_column) const {
  const std::uint32_t own = matched_->match.own_columns[stored_column];
  if (own == Match::kNoColumn) return {};
  return discovery_->plan.nodes[discovery_->plan.columns[own].node].handle_key;
}

std::vector<LoadChange> RecordDecoder::changes() const {
  const std::lock_guard lock(mutex_);
  std::vector<LoadChange> changes;
  for (const Difference& each : matched_->match.differences) {
    LoadChange change = each.change;
    change.count = tallies_.empty() ? 0 : tallies_[each.node].*each.counter * each.factor;
    const bool needs_values = each.counter != &Tally::values && each.counter != &Tally::reshaped;
    if (change.count != 0 || !needs_values) evolve::add_change(changes, change);
    if (each.counter != &Tally::unknown || tallies_.empty() || tallies_[each.node].kept == 0)
      continue;
    change.kind = LoadChange::Kind::kept;
    change.count = tallies_[each.node].kept;
    evolve::add_change(changes, std::move(change));
  }
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    if (tallies_[i].merged == 0) continue;
    evolve::add_change(
        changes,
        {LoadChange::Kind::merged, matched_->plan.nodes[i].path, {}, {}, tallies_[i].merged});
  }
  return changes;
}

// --- RecordCodec

std::shared_ptr<const RecordCodec> codec_of(const SerializeFunctions& functions) {
  return std::make_shared<const RecordCodec>(functions);
}

RecordCodec::RecordCodec(const SerializeFunctions& functions)
    : functions_(&functions), discovery_(std::make_shared<const Discovery>(discover(functions))) {}

RecordCodec::RecordCodec(std::shared_ptr<const Discovery> discovery)
    : functions_(nullptr), discovery_(std::move(discovery)) {}

const std::vector<std::string>& RecordCodec::warnings() const noexcept {
  return discovery_->warnings;
}

bool RecordCodec::is_aggregate() const noexcept {
  return functions_ != nullptr && functions_->members != nullptr;
}

bool RecordCodec::is_plain() const { return discovery_->is_plain; }

void RecordCodec::add_declarations(TableSchema& schema) const {
  for (const PlanNode& node : discovery_->plan.nodes) {
    if (node.key_rule != KeyRule::unknown) schema.keys.push_back({node.path, node.key_rule});
    if (node.versioned && !node.takes_version && !node.path.empty())
      schema.plain_structures.push_back(node.path);
    for (const Rename& rename : node.renames)
      schema.renames.push_back({node.path, rename.old_name, rename.new_name});
    for (const AlternativeOrder& order : node.old_alternatives)
      schema.old_alternatives.push_back({node.path, order});
  }
}

Result<Field> RecordCodec::schema(const TableNamer& namer) const {
  if (discovery_->refusal) return fail(*discovery_->refusal);
  Field root = field_of(discovery_->described);
  if (discovery_->runtime == nullptr) bind_tables(root, discovery_->described, namer);
  if (Status status = check_schema(root); !status) {
    return fail(ErrorCode::refused_type, status.error().what, status.error().where);
  }
  return root;
}

Status RecordCodec::encode(const RecordBatch& batch, std::vector<Bytes>& columns,
                           Hash128* hash_sum) const {
  if (discovery_->refusal) return fail(*discovery_->refusal);
  HDB_REQUIRE(columns.size() == discovery_->plan.columns.size(),
              "encode: the number of buffers must equal the number of columns of the schema");
  // Copied columns are overwritten: those of the right size are not filled with zeros first.
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!discovery_->is_copied(c)) columns[c].clear();
  }
  if (discovery_->is_plain) {
    encode_plain(discovery_->layout, batch, &columns, hash_sum);
    return {};
  }
  Status status = encode_rows(batch, &columns, hash_sum);
  if (!status) {
    for (Bytes& column : columns) column.clear();
  }
  return status;
}

Result<Hash128> RecordCodec::hash_rows(const RecordBatch& batch) const {
  if (discovery_->refusal) return fail(*discovery_->refusal);
  Hash128 sum;
  if (discovery_->is_plain) {
    encode_plain(discovery_->layout, batch, nullptr, &sum);
    return sum;
  }
  if (Status status = encode_rows(batch, nullptr, &sum); !status)
    return fail(std::move(status).error());
  return sum;
}

bool RecordCodec::has_strong(std::span<const HandleKey> keys) const {
  const auto& columns = discovery_->plan.columns;
  return std::any_of(columns.begin(), columns.end(),
                     [&](const PlanColumn& column) { return is_strong(column, keys); });
}

Status RecordCodec::gather_strong(std::span<const void* const> records,
                                  std::span<const HandleKey> keys,
                                  std::vector<std::uint64_t>& bits) const {
  if (discovery_->refusal) return fail(*discovery_->refusal);
  const auto& columns = discovery_->plan.columns;
  std::vector<bool> visited(columns.size());
  bool is_any_visited = false;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!is_strong(columns[c], keys)) continue;
    if (discovery_->is_copied(c)) {
      gather_bits(discovery_->layout.columns[c], columns[c].width, records, bits);
    } else {
      visited[c] = is_any_visited = true;
    }
  }
  if (!is_any_visited) return {};
  std::vector<Bytes> filled(columns.size());
  if (Status status = encode_strong(records, visited, filled); !status) return status;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::byte* at = filled[c].data();
    for (const std::byte* const end = at + filled[c].size(); at != end; at += columns[c].width) {
      bits.push_back(columns[c].width == 2   ? load_le<std::uint16_t>(at)
                     : columns[c].width == 4 ? load_le<std::uint32_t>(at)
                                             : load_le<std::uint64_t>(at));
    }
  }
  return {};
}

Result<std::unique_ptr<RecordDecoder>> RecordCodec::decoder_for(const Field& stored,
                                                                const TableNamer& namer) const {
  if (discovery_->refusal) return fail(*discovery_->refusal);
  // Only the names of tables can differ from those of the last match.
  auto matched = discovery_->last_match->find(stored, [&](const Field& own) {
    return discovery_->runtime != nullptr || are_tables_bound(own, discovery_->described, namer);
  });
  if (matched == nullptr) {
    Result<Field> own = schema(namer);
    if (!own) return fail(std::move(own).error());
    auto made = match_schemas(stored, plan_of(stored), *std::move(own), *discovery_);
    if (!made) return fail(std::move(made).error());
    matched = *std::move(made);
    discovery_->last_match->set(matched);
  }
  const bool is_exact = matched->is_exact;
  return std::make_unique<RecordDecoder>(functions_, std::move(matched), is_exact, discovery_);
}

Result<std::unique_ptr<RecordDecoder>> RecordCodec::decoder_for(const Field& stored,
                                                                Plan stored_plan, bool is_as_stored,
                                                                const TableNamer& namer) const {
  Result<Field> own = schema(namer);
  if (!own) return fail(std::move(own).error());
  auto matched = match_schemas(stored, std::move(stored_plan), *std::move(own), *discovery_);
  if (!matched) return fail(std::move(matched).error());
  const bool is_exact = is_as_stored && (*matched)->is_exact;
  return std::make_unique<RecordDecoder>(functions_, *std::move(matched), is_exact, discovery_);
}

bool RecordCodec::is_strong(const PlanColumn& column, std::span<const HandleKey> keys) const {
  const PlanNode& node = discovery_->plan.nodes[column.node];
  return node.kind == FieldKind::handle && node.strong &&
         std::find(keys.begin(), keys.end(), node.handle_key) != keys.end();
}

Status RecordCodec::encode_strong(std::span<const void* const> records,
                                  const std::vector<bool>& wanted,
                                  std::vector<Bytes>& filled) const {
  if (discovery_->runtime != nullptr) {
    const std::vector<std::uint32_t> zeros(records.size());
    RecordBatch batch;
    batch.records = records;
    batch.slots = zeros;
    batch.generations = zeros;
    discovery_->runtime->encode(batch, &filled, nullptr, &wanted);
    return {};
  }
  EncodeArchive archive(discovery_->plan, &filled, false, &wanted);
  return guarded(
      [&] {
        for (const void* const record : records) {
          archive.begin_row(0, 0);
          functions_->save_record(archive, record);
          if (archive.error()) return;
        }
        archive.finish();
      },
      [&]() -> const std::optional<Error>& { return archive.error(); }, "strong handles");
}

Status RecordCodec::encode_rows(const RecordBatch& batch, std::vector<Bytes>* columns,
                                Hash128* hash_sum) const {
  if (discovery_->runtime != nullptr) {
    discovery_->runtime->encode(batch, columns, hash_sum);
    return {};
  }
  std::optional<ColumnFill> placed;
  if (columns != nullptr && !discovery_->fields.empty())
    placed.emplace(discovery_->layout, batch.size(), *columns);
  EncodeArchive archive(discovery_->plan, columns, hash_sum != nullptr,
                        placed ? &discovery_->visited_columns : nullptr);
  archive.skip_placed(discovery_->fields);
  Hash128 sum;
  std::size_t row = 0;
  Status status = guarded(
      [&] {
        for (; row < batch.size(); ++row) {
          const void* const record = batch.record(row);
          archive.begin_row(batch.slots[row], batch.generations[row]);
          functions_->save_record(archive, record);
          if (archive.error()) return;  // the user's code caught what was thrown to stop it
          if (hash_sum != nullptr) sum += hash128(archive.row_bytes(), batch.seed(row));
          if (placed) placed->add_record(record);
        }
        archive.finish();
        if (placed) placed->finish();
      },
      [&]() -> const std::optional<Error>& { return archive.error(); }, place_of(batch, row));
  if (!status && status.error().code == ErrorCode::user_code_threw)
    status.error().where = place_of(batch, row);
  if (status && hash_sum != nullptr) *hash_sum += sum;
  return status;
}

}  // namespace hdb::detail
