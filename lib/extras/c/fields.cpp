// Fields of records by their names.
#include <cmath>
#include <limits>
#include <utility>

#include "c/objects.hpp"
#include "hdb/live_table.hpp"
#include "hdb/migration.hpp"

namespace hdb::c {

LiveTable& live_of(const hdb_table* table) {
  auto* const own = const_cast<hdb_table*>(table);
  static_cast<void>(core_of(own));
  if (own->live == nullptr)
    own->live =
        std::make_unique<LiveTable>(value_of(LiveTable::find(own->database->database, own->name)));
  return *own->live;
}

namespace {

/// A field that a call names.
struct Named {
  const hdb_table* table = nullptr;
  hdb_handle handle = 0;
  const char* path = nullptr;
};

[[noreturn]] void refuse_field(const Named& named, ErrorCode code, std::string what) {
  std::string where = live_of(named.table).handle_text(named.handle);
  if (*named.path != 0) where = "field '" + std::string(named.path) + "' of " + where;
  refuse(code, std::move(what), std::move(where));
}
[[noreturn]] void wrong_type(const Named& named, const Value& value, const char* wanted) {
  refuse_field(named, ErrorCode::type_mismatch,
               "the field is " + std::string(kind_name(value.field->kind)) + ", not " + wanted);
}

/// The field at a path.
Value stored_value(const Named& named) {
  require(named.path, "path");
  LiveTable& live = live_of(named.table);
  const Value* const record = value_of(live.read(named.handle));
  auto value = find_value(*record, named.path);
  if (!value) throw Failure{std::move(value.error()).in(live.handle_text(named.handle))};
  return *std::move(value);
}
/// The field at a path, or what an optional there holds.
Value value_at(const Named& named) {
  Value value = stored_value(named);
  while (value.field->kind == FieldKind::optional) {
    if (value.children.empty())
      refuse_field(named, ErrorCode::not_found, "the optional has no value");
    value = Value(value.children.front());
  }
  return value;
}

bool is_float(const Value& value) {
  return value.field->kind == FieldKind::f32 || value.field->kind == FieldKind::f64;
}
/// Whether the field is an integer, boolean, character or enumeration.
bool is_whole(const Value& value) {
  return fixed_width(*value.field) != 0 && !is_float(value) &&
         value.field->kind != FieldKind::handle && value.field->kind != FieldKind::array;
}

std::string shown_text(const Value& value, const HandleNamer& namer) {
  switch (value.field->kind) {
    case FieldKind::string:
    case FieldKind::opaque: return std::string(value.text());
    case FieldKind::enumeration:
      for (const Enumerator& each : enumerators_of(*value.field)) {
        if (each.bits == value.bits) return each.name;
      }
      break;
    default: break;
  }
  return value_text(value, namer);
}

void set(hdb_table* table, hdb_handle handle, const char* path, DynamicValue value) {
  require(path, "path");
  check(live_of(table).set(handle, path, std::move(value)));
}

}  // namespace
}  // namespace hdb::c

using namespace hdb::c;
using hdb::FieldKind;

extern "C" {

hdb_status hdb_get_i64(const hdb_table* table, hdb_handle handle, const char* path, int64_t* number,
                       hdb_error** error) {
  return guarded(error, [&] {
    require(number, "number");
    *number = 0;
    const Named named{table, handle, path};
    const hdb::Value value = value_at(named);
    if (!is_whole(value)) wrong_type(named, value, "a whole number");
    const bool is_signed = hdb::is_signed(*value.field);
    if (!is_signed && value.bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      refuse_field(named, hdb::ErrorCode::value_out_of_range, "the number has no i64");
    *number =
        is_signed ? hdb::signed_bits(*value.field, value.bits) : static_cast<int64_t>(value.bits);
  });
}

hdb_status hdb_get_u64(const hdb_table* table, hdb_handle handle, const char* path,
                       uint64_t* number, hdb_error** error) {
  return guarded(error, [&] {
    require(number, "number");
    *number = 0;
    const Named named{table, handle, path};
    const hdb::Value value = value_at(named);
    if (!is_whole(value)) wrong_type(named, value, "a whole number");
    if (hdb::is_signed(*value.field) && hdb::signed_bits(*value.field, value.bits) < 0)
      refuse_field(named, hdb::ErrorCode::value_out_of_range, "the number is negative");
    *number = value.bits;
  });
}

hdb_status hdb_get_f64(const hdb_table* table, hdb_handle handle, const char* path, double* number,
                       hdb_error** error) {
  return guarded(error, [&] {
    require(number, "number");
    *number = 0;
    const Named named{table, handle, path};
    const hdb::Value value = value_at(named);
    if (is_float(value)) {
      *number = hdb::float_value(value.field->kind, value.bits);
    } else if (!is_whole(value)) {
      wrong_type(named, value, "a number");
    } else if (hdb::is_signed(*value.field)) {
      *number = static_cast<double>(hdb::signed_bits(*value.field, value.bits));
    } else {
      *number = static_cast<double>(value.bits);
    }
  });
}

hdb_status hdb_get_handle(const hdb_table* table, hdb_handle handle, const char* path,
                          hdb_handle* found, hdb_error** error) {
  return guarded(error, [&] {
    require(found, "found");
    *found = 0;
    const Named named{table, handle, path};
    const hdb::Value value = value_at(named);
    if (value.field->kind != FieldKind::handle) wrong_type(named, value, "a handle");
    *found = value.bits;
  });
}

hdb_status hdb_get_text(const hdb_table* table, hdb_handle handle, const char* path, char** text,
                        size_t* size, hdb_error** error) {
  return guarded(error, [&] {
    require(text, "text");
    *text = nullptr;
    if (size != nullptr) *size = 0;
    const hdb::Value value = value_at({table, handle, path});
    const std::string shown = shown_text(value, live_of(table).namer());
    *text = text_for_caller(shown);
    if (size != nullptr) *size = shown.size();
  });
}

hdb_status hdb_get_json(const hdb_table* table, hdb_handle handle, const char* path, char** json,
                        hdb_error** error) {
  return guarded(error, [&] {
    require(json, "json");
    *json = nullptr;
    require(path, "path");
    *json = text_for_caller(value_of(live_of(table).get_json(handle, path)));
  });
}

hdb_status hdb_set_i64(hdb_table* table, hdb_handle handle, const char* path, int64_t number,
                       hdb_error** error) {
  return guarded(error, [&] { set(table, handle, path, number); });
}

hdb_status hdb_set_u64(hdb_table* table, hdb_handle handle, const char* path, uint64_t number,
                       hdb_error** error) {
  return guarded(error, [&] { set(table, handle, path, number); });
}

hdb_status hdb_set_f64(hdb_table* table, hdb_handle handle, const char* path, double number,
                       hdb_error** error) {
  return guarded(error, [&] { set(table, handle, path, number); });
}

hdb_status hdb_set_text(hdb_table* table, hdb_handle handle, const char* path, const char* text,
                        size_t size, hdb_error** error) {
  return guarded(error, [&] {
    require_bytes(text, size, "text");
    set(table, handle, path, std::string_view(text, size));
  });
}

hdb_status hdb_set_none(hdb_table* table, hdb_handle handle, const char* path, hdb_error** error) {
  return guarded(error, [&] {
    const Named named{table, handle, path};
    const hdb::Value value = stored_value(named);
    if (value.field->kind != FieldKind::optional) wrong_type(named, value, "an optional");
    set(table, handle, path, hdb::DynamicValue::none());
  });
}

hdb_status hdb_set_json(hdb_table* table, hdb_handle handle, const char* path, const char* json,
                        hdb_error** error) {
  return guarded(error, [&] {
    require(path, "path");
    require(json, "json");
    check(live_of(table).set_json(handle, path, json));
  });
}

hdb_status hdb_insert_json(hdb_table* table, const char* name, size_t name_size, const char* json,
                           hdb_handle* handle, hdb_error** error) {
  return guarded(error, [&] {
    if (handle != nullptr) *handle = 0;
    require_bytes(name, name_size, "name");
    const std::string_view text = json == nullptr ? "{}" : json;
    const std::string_view its_name =
        name_size == 0 ? std::string_view() : std::string_view(name, name_size);
    const uint64_t made = value_of(live_of(table).insert_json(text, its_name));
    if (handle != nullptr) *handle = made;
  });
}

hdb_status hdb_insert_component_json(hdb_table* table, hdb_handle owner, const char* json,
                                     hdb_error** error) {
  return guarded(error, [&] {
    check(live_of(table).insert_component_json(owner, json == nullptr ? "{}" : json));
  });
}

}  // extern "C"
