/* The C interface of hdb: databases, tables from run-time schemas, snapshots and files. Plugins of
   engines and bindings of other languages build on it; C++ programs use hdb/hdb.hpp instead.

   Link the target hdb::c (libhdb_c). A first program and bindings: lib/extras/c/c.md.

   STATUS. Calls that can fail return an hdb_status: 0 or the number of an error. Their last
   parameter may be null, or the address of an hdb_error*: it receives null after success and an
   error object after a failure, which the caller frees with hdb_error_free. What the address held
   before is not freed. After a failure nothing has changed, and other out-parameters are zero or
   null. No exception leaves a call. Running out of memory is the status HDB_OUT_OF_MEMORY.

   ARGUMENTS. A null pointer, or a number that has no meaning, is HDB_BAD_ARGUMENT, unless the call
   says that null is allowed. The error names the argument or member, what it is and what it may be:
   "'level' is 20, but may be from 0 to 19 (hdb_save_options)". Calls without a status return 0, null or nothing then. A freed object
   must not be used: that cannot be detected. Handles are numbers, and any number is safe.

   OPTIONS. Each structure begins with struct_size = sizeof the structure, by which later versions
   of the library know what the caller knows. In all options 0 and null mean the default, so fill a
   structure with zeros first. A null pointer to options means all defaults. A library that is older
   than the caller refuses options that it does not know, if they are not 0.

   OWNERSHIP. The caller frees databases with hdb_database_free, snapshots with hdb_snapshot_free,
   other objects with the call of their name that ends with _free, error objects with
   hdb_error_free, and what a `char**` or the `void**` of hdb_save_bytes received
   with hdb_free. Each free accepts null. Tables belong to their database: hdb_table pointers
   stay good until the database is freed, also if the table is dropped (calls then return
   HDB_E_not_found). Arguments are copied: the caller may free them after the call. Pointers to
   records belong to the table (see hdb_find).

   THREADS. A database takes no lock. One thread at a time changes it: creating and dropping tables,
   inserting, editing, erasing, capturing, restoring, loading. While no thread changes a table, any
   number of threads may read it; but calls on fields by path and on columns, also those that read,
   are for one thread at a time for each table. Snapshots do not change: any thread may save, hash,
   compare and free them while the game goes on, also after the database is freed. Calls with paths
   alone, and error objects, belong to no database; two threads may not use one error object at
   once.

   TEXTS are UTF-8 and end with a zero byte, paths too. Numbers in memory have the machine's order
   of bytes; in rows and files they are little-endian.

   ABI. The version of the library is HDB_C_ABI, its SONAME. Within one, calls, constants and the
   members of structures are only added: a program that was built with an older header runs with a
   newer library. */
#ifndef HDB_C_H
#define HDB_C_H

#include <stddef.h>
#include <stdint.h>

#define HDB_C_ABI 1

#if defined(_WIN32) && defined(HDB_C_BUILDS)
#define HDB_C_API __declspec(dllexport)
#elif defined(_WIN32)
#define HDB_C_API __declspec(dllimport)
#elif defined(__GNUC__)
#define HDB_C_API __attribute__((visibility("default")))
#else
#define HDB_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors */

/* HDB_OK, one of the next three, or HDB_E_name for each error of hdb/error_codes.def, whose numbers
   never change: HDB_E_table_full is 603. */
typedef uint32_t hdb_status;
enum {
  HDB_OK = 0,
  HDB_OUT_OF_MEMORY = 1,
  HDB_BAD_ARGUMENT = 2,
  HDB_UNEXPECTED = 3, /* A mistake in hdb: an exception that has no code. */
#define HDB_ERROR(name, number, category, text, next) HDB_E_##name = number,
#include "hdb/error_codes.def"
#undef HDB_ERROR
  HDB_STATUS_END = 65536 /* No status is as large. */
};

typedef struct hdb_error hdb_error;
typedef struct hdb_database hdb_database;
typedef struct hdb_table hdb_table;
typedef struct hdb_snapshot hdb_snapshot;
typedef struct hdb_saving hdb_saving;
typedef struct hdb_history hdb_history;
typedef struct hdb_changes hdb_changes;
typedef struct hdb_import hdb_import;

/* What an error object says. Texts are good until the object is freed, and never null; they are
   empty if nothing is known. Of a null object: HDB_OK and empty texts. */
HDB_C_API hdb_status hdb_error_status(const hdb_error* error);
/* Everything in one line: "slot1.hdb: corrupt: slot count 9 exceeds group (byte 112, ...)". */
HDB_C_API const char* hdb_error_message(const hdb_error* error);
/* What failed, without file and place. */
HDB_C_API const char* hdb_error_what(const hdb_error* error);
/* What was being read, written or called: "group 3 of table 'monsters'". */
HDB_C_API const char* hdb_error_where(const hdb_error* error);
/* The path of the file. */
HDB_C_API const char* hdb_error_file(const hdb_error* error);
/* The offset in the file in bytes; UINT64_MAX if there is none. */
HDB_C_API uint64_t hdb_error_offset(const hdb_error* error);
HDB_C_API void hdb_error_free(hdb_error* error);

/* The name of a status, "table_full"; and what a user can do about it. Never null, good for ever;
   empty for a number that is no status. */
HDB_C_API const char* hdb_status_name(hdb_status status);
HDB_C_API const char* hdb_status_next_step(hdb_status status);

/* Frees texts and bytes that calls returned. */
HDB_C_API void hdb_free(void* memory);

/* The version of the library: "0.1.0". */
HDB_C_API const char* hdb_version(void);

/* --- schemas */

/* The types of fields; the numbers are those of files. */
typedef uint32_t hdb_kind;
enum {
  HDB_BOOLEAN = 1, /* One byte, 0 or 1. */
  HDB_I8 = 2,
  HDB_I16 = 3,
  HDB_I32 = 4,
  HDB_I64 = 5,
  HDB_U8 = 6,
  HDB_U16 = 7,
  HDB_U32 = 8,
  HDB_U64 = 9,
  HDB_F32 = 10,
  HDB_F64 = 11,
  HDB_CHAR8 = 12,
  HDB_CHAR16 = 13,
  HDB_CHAR32 = 14,
  HDB_ENUM = 15,     /* One child: the integer. */
  HDB_HANDLE = 16,   /* The bits of a handle: 2, 4 or 8 bytes by layout. */
  HDB_STRING = 17,   /* In rows only, as all that have no fixed size. */
  HDB_STRUCT = 18,   /* Children in order. */
  HDB_ARRAY = 19,    /* `count` times the one child. */
  HDB_LIST = 20,     /* Any number of the one child. */
  HDB_OPTIONAL = 21, /* None or one of the one child. */
  HDB_VARIANT = 22,  /* One of the children. */
  HDB_MAP = 23,      /* Any number of pairs; two children: key, value. */
  HDB_OPAQUE = 24    /* Bytes that only the program understands. */
};

/* The bits of handles: index lowest, then generation, then type id. All 0: 32, 31, 0. A handle has
   2, 4 or 8 bytes, the fewest that hold these bits. */
typedef struct hdb_layout {
  uint8_t index_bits;
  uint8_t generation_bits;
  uint8_t type_bits;
} hdb_layout;

/* One field of a record, with its children. struct_size of all fields of an array must be equal. */
typedef struct hdb_field {
  size_t struct_size;
  const char* name; /* Of fields of records and structs; null for all other children. */
  hdb_kind kind;
  /* Records that are structs: the bytes between the begin of what has the field (record, struct,
     element) and the field: offsetof. Rows ignore offset and stride. */
  size_t offset;
  size_t stride;  /* HDB_ARRAY in a struct: from one element to the next; 0: no gaps between
                     elements that are numbers or handles, or arrays of them. */
  uint64_t count; /* HDB_ARRAY. */
  const struct hdb_field* children;
  size_t child_count;
  const char* table; /* HDB_HANDLE: the table that it refers to. Null if type_bits is not 0. */
  hdb_layout layout; /* HDB_HANDLE. */
  uint8_t strong;    /* HDB_HANDLE: 1 if the handle owns its record. */
  uint8_t utf8;      /* HDB_STRING: 1 if every value is UTF-8. */
  uint8_t versioned; /* HDB_STRUCT: 1 if it has a class version. */
  uint32_t class_version;
  /* HDB_ENUM: names for some or all of its numbers, or none. */
  const char* const* value_names;
  const uint64_t* value_numbers; /* Negative ones as two's complement of the integer's width. */
  size_t value_count;
} hdb_field;

/* --- databases and tables */

HDB_C_API hdb_status hdb_database_create(hdb_database** database, hdb_error** error);
/* Frees the database and its tables; snapshots remain. */
HDB_C_API void hdb_database_free(hdb_database* database);

enum { HDB_DENSE = 0, HDB_STABLE = 1 };                                       /* storage */
enum { HDB_LIFO = 0, HDB_FIFO = 1, HDB_LOWEST = 2 };                          /* free_list */
enum { HDB_PER_SLOT = 0, HDB_TABLE_COUNTER = 1 };                             /* generations */
enum { HDB_RETIRE = 0, HDB_WRAP = 1 };                                        /* overflow */
enum { HDB_NO_NAMES = 0, HDB_EXACT_NAMES = 1, HDB_IGNORE_CASE = 2 };          /* names */
enum { HDB_FULL = 0, HDB_UNHASHED = 1, HDB_UNSAVED = 2, HDB_UNCAPTURED = 3 }; /* scope */
enum { HDB_SWAP = 0, HDB_IN_PLACE = 1 };                                      /* removal */
enum { HDB_AT_RELEASE = 0, HDB_ON_DEMAND = 1 };                               /* blob_compaction */

/* What a table is made of. What the options mean is said in hdb/table_options.hpp.

   A table holds records in one of two forms:
   - STRUCT, if record_size is not 0: records are copies of a struct of the program (or of bytes
     that the program lays out in another way). Each number and handle has a place: the `offset` of
     its field. Bytes without a field (padding) stay in memory as they are, and are not saved.
     Fastest: hdb_find returns the struct, hdb_edit changes it in place.
   - ROW, if record_size is 0: a record is the bytes of its values, one after the other, in the
     order of the schema, without padding (schema/FORMAT.md, sections 4.1 and 6): numbers and
     handles little-endian in their width; a string, opaque value or list: its length as a varint,
     then its bytes or elements; a map: its length, then key and value of each pair (no key twice);
     an optional: 0, or 1 and the value; a variant: the index of the alternative as one byte, then
     its value. Such records are replaced as a whole.

   Files are the same for both forms, and the same as those of a C++ program with these fields. */
typedef struct hdb_table_options {
  size_t struct_size;
  const hdb_field* fields;
  size_t field_count;
  size_t record_size;      /* sizeof the struct; 0: rows. */
  size_t record_alignment; /* Struct: a power of two up to 64; 0: 1. */
  /* The default record: the fields that a loaded file lacks get its values. initial_size is its
     size in bytes. Null: zeros, empty texts and lists. */
  const void* initial;
  size_t initial_size;
  hdb_layout layout; /* Of the handles that the table issues. */
  uint8_t storage;
  uint8_t free_list;
  uint8_t generations;
  uint8_t overflow;
  uint8_t names;
  uint8_t scope;
  uint8_t removal;      /* Component tables. */
  uint8_t is_singleton; /* 1: a table of exactly one record, at first the default record. */
  uint16_t type_id;     /* Layouts with type_bits; 0: the next one. */
  uint64_t max_records;
  /* Not null: a component table. Its records belong to those of `owner`, a table of the same
     database, whose handles it uses; it is no singleton, has no names, and ignores `layout`,
     `type_id`, `free_list`, `generations` and `overflow`. */
  hdb_table* owner;
  /* Not 0: a blob table with a buffer of this many bytes, up to 2^40. Its records are rows: the
     metadata of the blobs. It has no owner, and is not a singleton. */
  uint64_t blob_capacity;
  uint32_t blob_alignment; /* Of each blob in bytes: a power of two up to 4096; 0: 16. */
  uint8_t blob_compaction; /* HDB_AT_RELEASE or HDB_ON_DEMAND. */
  /* 1: a resource table, whose references hdb_reference_add counts. It has names (HDB_NO_NAMES
     means HDB_EXACT_NAMES), no owner and no blobs, and is not a singleton. */
  uint32_t is_resource;
} hdb_table_options;

/* Creates a table. Errors: those of Database::create_table (hdb/database.hpp), refused_type if
   fields or places are wrong; bad_options if a handle field of it, or one that names it, has
   another layout than the table that the field names. `table` may be null. */
HDB_C_API hdb_status hdb_table_create(hdb_database* database, const char* name,
                                      const hdb_table_options* options, hdb_table** table,
                                      hdb_error** error);
/* Creates, for rows, each table that a file has and the database does not have, without its
   records: then hdb_load loads the whole file. Blob tables are left out; see
   hdb_load_options.keep_unknown. After a failure nothing has changed. */
HDB_C_API hdb_status hdb_tables_create_from(hdb_database* database, const char* path,
                                            hdb_error** error);
/* Drops a table with its records and component tables. HDB_E_not_found if there is none. */
HDB_C_API hdb_status hdb_table_drop(hdb_database* database, const char* name, hdb_error** error);
/* The table of this name; null if there is none. */
HDB_C_API hdb_table* hdb_table_find(hdb_database* database, const char* name);
/* Table number `index` in ascending order of names; null beyond the last one. */
HDB_C_API hdb_table* hdb_table_at(hdb_database* database, size_t index);
/* Good until the database is freed. */
HDB_C_API const char* hdb_table_name(const hdb_table* table);
/* What the table is made of: fills all of *options, whose struct_size the caller sets. Pointers in
   it are good as long as the table pointer. Fields of rows have no offsets. */
HDB_C_API hdb_status hdb_table_describe(const hdb_table* table, hdb_table_options* options,
                                        hdb_error** error);
/* The schemas of all tables that files hold as JSON, for `hdbinspect compat`. Free it. */
HDB_C_API hdb_status hdb_schema_json(hdb_database* database, char** json, hdb_error** error);

/* --- records */

/* The bits of a handle; 0 is the null handle. They say which table issued it only if its layout has
   type_bits: without them, a handle of another table may name a record of this one. */
typedef uint64_t hdb_handle;

/* Inserts a record of `size` bytes. Null and 0: the default record. Errors: table_full;
   invalid_value if the bytes do not fit the schema; bad_options for a component table. `handle` may
   be null. */
HDB_C_API hdb_status hdb_insert(hdb_table* table, const void* record, size_t size,
                                hdb_handle* handle, hdb_error** error);
/* As hdb_insert, with a name of any bytes. Errors: also duplicate_name; bad_options if the table
   was made without names. */
HDB_C_API hdb_status hdb_insert_named(hdb_table* table, const char* name, size_t name_size,
                                      const void* record, size_t size, hdb_handle* handle,
                                      hdb_error** error);
/* Gives the record `owner` of the owner table a component. Errors: as hdb_insert; not_found if
   there is no such record; duplicate_name if it has a component here. */
HDB_C_API hdb_status hdb_insert_component(hdb_table* table, hdb_handle owner, const void* record,
                                          size_t size, hdb_error** error);
/* The record, and its size unless `size` is null. Null if the handle is null or stale, or with
   type_bits of another table. Good until the next call that changes the table or its database. */
HDB_C_API const void* hdb_find(const hdb_table* table, hdb_handle handle, size_t* size);
/* The record of a table of structs, for writing: until the next capture, or call that changes the
   structure of the table. Booleans must be 0 or 1: else a later save fails. Errors: not_found;
   bad_options for a table of rows. */
HDB_C_API hdb_status hdb_edit(hdb_table* table, hdb_handle handle, void** record,
                              hdb_error** error);
/* Puts other bytes in place of a record. Errors: not_found, and as hdb_insert. */
HDB_C_API hdb_status hdb_replace(hdb_table* table, hdb_handle handle, const void* record,
                                 size_t size, hdb_error** error);
/* Erases a record; its handle is stale for ever. Errors: not_found; bad_options for the record of a
   singleton. */
HDB_C_API hdb_status hdb_erase(hdb_table* table, hdb_handle handle, hdb_error** error);
/* Erases all records; their handles are stale for ever. Errors: as hdb_erase. */
HDB_C_API hdb_status hdb_clear(hdb_table* table, hdb_error** error);

/* The number of records. */
HDB_C_API uint64_t hdb_count(const hdb_table* table);
/* Records are at positions below hdb_position_end: in a dense table in its order, in a stable table
   each at its slot. hdb_handle_at returns the handle of the record there; 0 if there is none. */
HDB_C_API uint64_t hdb_position_end(const hdb_table* table);
HDB_C_API hdb_handle hdb_handle_at(const hdb_table* table, uint64_t position);
/* All records of a dense table of structs, one after the other: record i has hdb_handle_at(i).
   Null for other tables, and if components have holes. Good as hdb_find. */
HDB_C_API const void* hdb_records(const hdb_table* table, uint64_t* count);

/* The handle of the record with a name; 0 if there is none. */
HDB_C_API hdb_handle hdb_find_named(const hdb_table* table, const char* name, size_t size);
/* The name of a record, and its size; null if it has none. Good as hdb_find. Names need not end
   with a zero byte. */
HDB_C_API const char* hdb_name(const hdb_table* table, hdb_handle handle, size_t* size);
/* Gives a record another name; size 0: none. Errors: not_found, duplicate_name, bad_options. */
HDB_C_API hdb_status hdb_rename(hdb_table* table, hdb_handle handle, const char* name, size_t size,
                                hdb_error** error);

/* --- fields: records of either form by the names of their fields

   A path names a field: "hp", "pos.x", "items[3].name"; the empty path is the record. For reading,
   also "notes['key']". Of an optional, its value is meant. Errors of all calls: not_found for a
   stale handle, or a record that has no such field or element; type_mismatch. A record is looked at
   as a whole: a game's inner loop uses hdb_find and hdb_edit.
   Two of these calls of one table may not run at once, reads neither. */

/* Integers, booleans, characters and enumerations. Error: value_out_of_range. */
HDB_C_API hdb_status hdb_get_i64(const hdb_table* table, hdb_handle handle, const char* path,
                                 int64_t* number, hdb_error** error);
HDB_C_API hdb_status hdb_get_u64(const hdb_table* table, hdb_handle handle, const char* path,
                                 uint64_t* number, hdb_error** error);
/* The same, and floats; a 64-bit integer is rounded. */
HDB_C_API hdb_status hdb_get_f64(const hdb_table* table, hdb_handle handle, const char* path,
                                 double* number, hdb_error** error);
HDB_C_API hdb_status hdb_get_handle(const hdb_table* table, hdb_handle handle, const char* path,
                                    hdb_handle* found, hdb_error** error);
/* The content of a string or opaque value, with a zero byte after it; of all others, what a person
   reads: "angry", "monsters:3@1", "[1, 2]". Free *text. `size` may be null. */
HDB_C_API hdb_status hdb_get_text(const hdb_table* table, hdb_handle handle, const char* path,
                                  char** text, size_t* size, hdb_error** error);
/* Any field as JSON, as `hdbinspect dump` prints it; but an optional that holds a null handle or
   another optional is an array of it. Free *json. */
HDB_C_API hdb_status hdb_get_json(const hdb_table* table, hdb_handle handle, const char* path,
                                  char** json, hdb_error** error);

/* Each changes one field, as hdb_replace of the changed record would. Errors: also
   value_out_of_range and invalid_value. hdb_set_i64 and hdb_set_u64 set integers, floats that hold the
   number exactly, and enumerations; hdb_set_u64 also handles; hdb_set_f64 floats; hdb_set_text
   strings, and enumerations by name; hdb_set_none an optional. */
HDB_C_API hdb_status hdb_set_i64(hdb_table* table, hdb_handle handle, const char* path,
                                 int64_t number, hdb_error** error);
HDB_C_API hdb_status hdb_set_u64(hdb_table* table, hdb_handle handle, const char* path,
                                 uint64_t number, hdb_error** error);
HDB_C_API hdb_status hdb_set_f64(hdb_table* table, hdb_handle handle, const char* path,
                                 double number, hdb_error** error);
HDB_C_API hdb_status hdb_set_text(hdb_table* table, hdb_handle handle, const char* path,
                                  const char* text, size_t size, hdb_error** error);
HDB_C_API hdb_status hdb_set_none(hdb_table* table, hdb_handle handle, const char* path,
                                  hdb_error** error);

/* Any field, or with the empty path a record, from JSON: what hdb_get_json writes is read back
   exactly. Members that a structure lacks keep their values; in elements of lists and in values of
   optionals, variants and maps, every member is needed. Integers may be texts, floats "NaN",
   "Infinity", "-Infinity" and "-0"; an enumeration also takes a name, a handle the text
   "monsters:7@1". Errors: also what hdb_set_text lists; invalid_value with the byte of the text:
   hdb_error_where begins with "JSON text" if it is not JSON, else with the field or record that
   it does not fit. */
HDB_C_API hdb_status hdb_set_json(hdb_table* table, hdb_handle handle, const char* path,
                                  const char* json, hdb_error** error);
/* Inserts a record from a structure in JSON; members that it lacks have their defaults. Null: the
   default record. `name_size` 0: no name. Errors: as hdb_insert_named and hdb_set_json. `handle` may
   be null. */
HDB_C_API hdb_status hdb_insert_json(hdb_table* table, const char* name, size_t name_size,
                                     const char* json, hdb_handle* handle, hdb_error** error);
/* Gives a record of the owner table a component from JSON. Errors: as hdb_insert_component and
   hdb_set_json. */
HDB_C_API hdb_status hdb_insert_component_json(hdb_table* table, hdb_handle owner, const char* json,
                                               hdb_error** error);

/* --- blob tables: blocks of bytes in one buffer, each with a handle and a record, its metadata

   hdb_find, hdb_replace and the calls of fields read and change the metadata; hdb_erase, hdb_clear,
   hdb_count, hdb_handle_at and the calls of names work as for other tables. Blobs are in the buffer
   in the order of insertion; erasing and resizing move others, so keep handles, not addresses. Of
   other tables, the calls are bad_options. */

/* Inserts a blob of `size` bytes; `bytes` null: zeros. `meta`: a row; null and 0: the default one.
   `name_size` 0: no name. `handle` may be null. Errors: blob_too_large if it is larger than the
   buffer; blob_full if not enough bytes are free; table_full; and as hdb_insert_named. */
HDB_C_API hdb_status hdb_blob_insert(hdb_table* table, const char* name, size_t name_size,
                                     const void* meta, size_t meta_size, const void* bytes,
                                     uint64_t size, hdb_handle* handle, hdb_error** error);
/* The bytes of a blob, and their number unless `size` is null. Null as hdb_find; not null for a
   blob of 0 bytes. Good as hdb_find. */
HDB_C_API const void* hdb_blob_find(const hdb_table* table, hdb_handle handle, uint64_t* size);
/* The bytes of a blob, for writing: until the next capture, or call that inserts, erases or resizes.
   `size` may be null. Errors: not_found. */
HDB_C_API hdb_status hdb_blob_edit(hdb_table* table, hdb_handle handle, void** bytes,
                                   uint64_t* size, hdb_error** error);
/* Changes the size of a blob, which keeps its first bytes; added ones are zero. Errors: not_found;
   blob_too_large and blob_full as hdb_blob_insert. */
HDB_C_API hdb_status hdb_blob_resize(hdb_table* table, hdb_handle handle, uint64_t size,
                                     hdb_error** error);
/* Closes all holes of a table of HDB_ON_DEMAND. */
HDB_C_API hdb_status hdb_blob_compact(hdb_table* table, hdb_error** error);
/* The bytes that all blobs take in the buffer, with padding and without holes. */
HDB_C_API uint64_t hdb_blob_allocated(const hdb_table* table);

/* --- resource tables: records that are shared, such as textures and sounds

   The program counts its own references to a record; records refer to it by strong handles
   (hdb_field.strong). hdb_flush destroys what neither holds. Counts are neither captured nor saved:
   after a load in a new process, add a reference to each handle that the program needs, then flush.
   To find or load by name: hdb_find_named, and if it is 0, hdb_insert_named. Of other tables, the
   calls are bad_options. */

/* Adds a reference to a record. Errors: not_found. */
HDB_C_API hdb_status hdb_reference_add(hdb_table* table, hdb_handle handle, hdb_error** error);
/* Removes one; destroys nothing. The record itself may be gone. Errors: not_found if the handle has
   no reference. */
HDB_C_API hdb_status hdb_reference_release(hdb_table* table, hdb_handle handle, hdb_error** error);
/* The references of the program to a handle, whether or not its record exists. */
HDB_C_API uint32_t hdb_reference_count(const hdb_table* table, hdb_handle handle);

/* What hdb_flush calls for each record before it destroys it: to free what belongs to the record
   outside of the database. `record` and `size` are as hdb_find returns them. The function may add a
   reference, then the record stays; release others, then their records are destroyed too; and
   insert and erase records. It may not drop, restore or load the table; a flush of the table is
   bad_options. */
typedef void (*hdb_before_destroy)(void* context, hdb_handle handle, const void* record,
                                   size_t size);

typedef struct hdb_flush_options {
  size_t struct_size;
  /* The most records to destroy; 0: all. The next flush continues after them. */
  uint64_t max_destroyed;
  /* 1: also destroy records that only hold each other, by cycles of strong handles. */
  uint32_t cycles;
  hdb_before_destroy before; /* May be null. */
  void* context;
} hdb_flush_options;

/* Destroys the records of a table without references, in ascending order of slots, and what becomes
   unreferenced by that. Their handles are stale for ever. Unless `destroyed` is null, it receives
   how many were destroyed. Takes time for all strong handles of this table in the database. Errors:
   bad_options. */
HDB_C_API hdb_status hdb_flush(hdb_table* table, const hdb_flush_options* options,
                               uint64_t* destroyed, hdb_error** error);

/* --- columns: one field of all records at once, one thread at a time for each table */

/* The handles of all records, in ascending order of their positions. `count` is hdb_count; another
   number is HDB_BAD_ARGUMENT. */
HDB_C_API hdb_status hdb_read_handles(const hdb_table* table, hdb_handle* handles, uint64_t count,
                                      hdb_error** error);
/* The type of a column: HDB_BOOLEAN to HDB_CHAR32; of an enumeration, that of its integer; of a
   handle, HDB_U64. Errors: not_found if records have no such field; type_mismatch if the field has
   no fixed size, or is in an array, list, map, optional or variant. */
HDB_C_API hdb_status hdb_column_kind(const hdb_table* table, const char* path, hdb_kind* kind,
                                     hdb_error** error);
/* Writes a field of all records to an array, in the order of hdb_read_handles. `kind` is the type of
   the elements of the array: that of hdb_column_kind, or HDB_I64, HDB_U64 or HDB_F64. `count` is
   hdb_count. Errors: those of hdb_column_kind; value_out_of_range if a number has no exact form in
   another type. The content of the array is unspecified then. */
HDB_C_API hdb_status hdb_read_column(const hdb_table* table, const char* path, hdb_kind kind,
                                     void* values, uint64_t count, hdb_error** error);

/* --- snapshots */

typedef struct hdb_hash {
  uint64_t low;
  uint64_t high;
} hdb_hash;

/* Captures the state of all tables; copies no record. Ends pointers from hdb_edit. */
HDB_C_API hdb_status hdb_capture(hdb_database* database, hdb_snapshot** snapshot,
                                 hdb_error** error);
HDB_C_API void hdb_snapshot_free(hdb_snapshot* snapshot);
/* Restores a captured state, all or nothing. `fork`: 0, or 1 if handles that were issued since the
   capture must stay stale (hdb/load.hpp, TimelineMode). */
HDB_C_API hdb_status hdb_restore(hdb_database* database, const hdb_snapshot* snapshot, int fork,
                                 hdb_error** error);
/* The state hash: equal for equal states, and as `hdbinspect info` prints it. */
HDB_C_API hdb_status hdb_snapshot_hash(const hdb_snapshot* snapshot, hdb_hash* hash,
                                       hdb_error** error);

/* --- changes: the handles that differ between two snapshots */

enum { HDB_CREATED = 0, HDB_ERASED = 1, HDB_CHANGED = 2 };

/* Compares two snapshots, as changes_between (hdb/changes.hpp). Snapshots of one database take time
   for what changed, others for all records. */
HDB_C_API hdb_status hdb_changes_between(const hdb_snapshot* earlier, const hdb_snapshot* later,
                                         hdb_changes** changes, hdb_error** error);
/* The number of tables with differences; and the name of number `index`, in ascending order; null
   beyond the last one. Good until the object is freed. */
HDB_C_API size_t hdb_changes_table_count(const hdb_changes* changes);
HDB_C_API const char* hdb_changes_table(const hdb_changes* changes, size_t index);
/* The handles of a table that were created, erased or changed (`what`), in ascending order of slots,
   and their number. Null and 0 if there are none. Good until the object is freed. */
HDB_C_API const hdb_handle* hdb_changes_handles(const hdb_changes* changes, const char* table,
                                                int what, size_t* count);
HDB_C_API void hdb_changes_free(hdb_changes* changes);

/* --- history: the last states by frame number, for rollback and rewinding */

typedef struct hdb_history_options {
  size_t struct_size;
  size_t frames;      /* The most frames; 0: 64. Beyond it, the oldest are dropped. */
  uint64_t max_bytes; /* The most bytes of hdb_history_bytes; 0: no limit. */
} hdb_history_options;

/* An empty history. It is used by the thread that changes the database, and no longer than the
   database is there, except to free it. */
HDB_C_API hdb_status hdb_history_create(hdb_database* database, const hdb_history_options* options,
                                        hdb_history** history, hdb_error** error);
/* Captures the present state as a frame. Ends pointers from hdb_edit. Errors: bad_options if the
   number is not greater than that of the newest frame. */
HDB_C_API hdb_status hdb_history_record(hdb_history* history, uint64_t frame, hdb_error** error);
/* Restores the state of a frame and drops all later frames. `fork`: as hdb_restore. Errors:
   not_found if the history does not have the frame; as hdb_restore. */
HDB_C_API hdb_status hdb_history_rewind(hdb_history* history, uint64_t frame, int fork,
                                        hdb_error** error);
/* The snapshot of a frame, to be freed. Errors: not_found. */
HDB_C_API hdb_status hdb_history_snapshot(const hdb_history* history, uint64_t frame,
                                          hdb_snapshot** snapshot, hdb_error** error);
/* What changed from a frame to now. Captures, so it ends pointers from hdb_edit. Errors: not_found. */
HDB_C_API hdb_status hdb_history_since(hdb_history* history, uint64_t frame, hdb_changes** changes,
                                       hdb_error** error);
/* The number of frames, and the numbers of the oldest and newest one, unless these are null; they
   are 0 if the history is empty. */
HDB_C_API size_t hdb_history_frames(const hdb_history* history, uint64_t* oldest, uint64_t* newest);
/* Whether the history has a frame that is not after `frame`; the number of the newest one in
   `found`. */
HDB_C_API int hdb_history_at_or_before(const hdb_history* history, uint64_t frame, uint64_t* found);
/* The memory that the frames keep, in bytes. */
HDB_C_API uint64_t hdb_history_bytes(const hdb_history* history);
/* Drops all frames. */
HDB_C_API void hdb_history_clear(hdb_history* history);
HDB_C_API void hdb_history_free(hdb_history* history);

/* --- files */

typedef struct hdb_save_options {
  size_t struct_size;
  const char* title; /* What menus show. U+FFFD takes the place of bytes that are not UTF-8. */
  uint64_t play_time_ms;
  int64_t date_unix_ms;
  uint64_t sequence; /* Should rise from save to save. */
  uint32_t level;    /* zstd, 1 to 19; 0: 1. */
  uint32_t threads;  /* 0: 1. */
  uint32_t backups;  /* How many old files to keep, up to 10000: name.1, ... */
  hdb_hash expected; /* The id of the only file that the save may replace (file_id of hdb_info or of
                        these options); else it fails as superseded. 0: any file. */
  hdb_hash* file_id; /* Unless null, receives the id of the new file. */
} hdb_save_options;

/* Saves a snapshot: the old file stays as it is until the new one is complete and durable. A file in
   which this process saved a newer snapshot is not replaced; the save fails as superseded. The folder
   of the file is made if it does not exist; its parent must exist. */
HDB_C_API hdb_status hdb_save(const hdb_snapshot* snapshot, const char* path,
                              const hdb_save_options* options, hdb_error** error);
/* Saves to memory, for example for an engine's own files. Free *bytes. Ignores `backups`. */
HDB_C_API hdb_status hdb_save_bytes(const hdb_snapshot* snapshot, const hdb_save_options* options,
                                    void** bytes, size_t* size, hdb_error** error);

/* A save in the background. Any thread may use it. */

/* As hdb_save, on a thread of hdb. The snapshot may be freed at once, and the game goes on. What goes
   wrong with the save is reported by hdb_saving_wait. Of the options, `file_id` must be null:
   hdb_saving_file_id has the id. */
HDB_C_API hdb_status hdb_save_start(const hdb_snapshot* snapshot, const char* path,
                                    const hdb_save_options* options, hdb_saving** saving,
                                    hdb_error** error);
/* 1 if the save has ended, else 0. */
HDB_C_API int hdb_saving_is_done(const hdb_saving* saving);
/* How far the save is, from 0 to 1. */
HDB_C_API double hdb_saving_progress(const hdb_saving* saving);
/* Asks the save to stop. It then ends as cancelled, and the old file stays; a save that is being
   committed already still succeeds. Does not wait. */
HDB_C_API void hdb_saving_cancel(hdb_saving* saving);
/* Waits for the end of the save, and returns how it ended. May be called again. Errors: those of
   hdb_save; cancelled. */
HDB_C_API hdb_status hdb_saving_wait(const hdb_saving* saving, hdb_error** error);
/* The id of the file, for `expected` of the next save. Waits as hdb_saving_wait. */
HDB_C_API hdb_status hdb_saving_file_id(const hdb_saving* saving, hdb_hash* file_id,
                                        hdb_error** error);
/* Waits for the end of the save, and frees the object. */
HDB_C_API void hdb_saving_free(hdb_saving* saving);

typedef struct hdb_load_options {
  size_t struct_size;
  uint8_t fork;           /* As hdb_restore. */
  uint8_t keep_unknown;   /* 1: tables and fields that the program lacks are saved again. */
  uint8_t verify;         /* 1: compute the state hash of the file's content, and compare it. */
  uint8_t exact_policies; /* 1: refuse a file whose tables have other options. */
  uint32_t threads;       /* 0: 1. */
  uint64_t max_memory;    /* Bytes that the load may allocate; 0: 16 GiB. */
  hdb_hash* file_id;      /* Unless null, receives the id of the file that was loaded. */
  /* Enumerators and alternatives that the program lacks: 0 fails the load; 1 takes the default of
     the field; 2 drops the record. */
  uint32_t unknown_values;
} hdb_load_options;

/* Loads a file, all or nothing. Tables and fields are matched by name: those that the file lacks
   become empty or get their defaults, numbers are widened, others are skipped. Unless `summary` is
   null, *summary is a line of text about all that, to be freed. Hostile files give an error. */
HDB_C_API hdb_status hdb_load(hdb_database* database, const char* path,
                              const hdb_load_options* options, char** summary, hdb_error** error);
/* As hdb_load, from the bytes of a file. */
HDB_C_API hdb_status hdb_load_bytes(hdb_database* database, const void* bytes, size_t size,
                                    const hdb_load_options* options, char** summary,
                                    hdb_error** error);

/* --- imports: the records of a file are added to those of a database (prefabs, levels) */

enum { HDB_MAKE_NULL = 0, HDB_KEEP_BITS = 1 };                         /* unresolved_handles */
enum { HDB_REFUSE_NAME = 0, HDB_USE_EXISTING = 1, HDB_DROP_NAME = 2 }; /* name_clash */

/* What the options mean is said in hdb/import.hpp. */
typedef struct hdb_import_options {
  size_t struct_size;
  const char* const* tables; /* The tables to import. Null: all that the file has, too. */
  size_t table_count;
  uint8_t unresolved_handles; /* Handles of imported records whose target is not imported. */
  uint8_t name_clash;         /* Records whose name another record has. */
  uint8_t refuse_unknown;     /* 1: refuse a file with a table that the database does not have. */
  uint32_t threads;           /* 0: 1. */
  uint64_t max_memory;        /* Bytes that the import may allocate; 0: 16 GiB. */
  uint32_t unknown_values;    /* Enumerators and alternatives that the program lacks: 0 fails the
                                 import; 1 takes the default of the field. */
} hdb_import_options;

/* Adds the records of a file, all or nothing. They get new handles, and handles between them are
   replaced by the new ones. Unless `report` is null, *report says what became of each record, and
   is to be freed. Errors: as hdb_load; table_full; duplicate_name; bad_options. */
HDB_C_API hdb_status hdb_import_file(hdb_database* database, const char* path,
                                     const hdb_import_options* options, hdb_import** report,
                                     hdb_error** error);
/* As hdb_import_file, from the bytes of a file. */
HDB_C_API hdb_status hdb_import_bytes(hdb_database* database, const void* bytes, size_t size,
                                      const hdb_import_options* options, hdb_import** report,
                                      hdb_error** error);
/* All of it in one line: "monsters: 12 records; 2 handles leave the import". Free *text. */
HDB_C_API hdb_status hdb_import_summary(const hdb_import* report, char** text, hdb_error** error);
/* The number of records of a table in the file; 0 if the table was not imported. */
HDB_C_API uint64_t hdb_import_count(const hdb_import* report, const char* table);
/* Record `index` of a table: its handle in the file, in the layout of the database, and the present
   one. Returns 1 if the record is new, 0 if HDB_USE_EXISTING found it; -1 and null handles if there
   is none. Each pointer may be null. */
HDB_C_API int hdb_import_record(const hdb_import* report, const char* table, uint64_t index,
                                hdb_handle* in_file, hdb_handle* handle);
/* The present handle of the record that had this one in the file; 0 if it was not imported. */
HDB_C_API hdb_handle hdb_import_find(const hdb_import* report, const char* table,
                                     hdb_handle in_file);
/* The number of handles in new records whose targets were not imported. */
HDB_C_API uint64_t hdb_import_unresolved(const hdb_import* report);
HDB_C_API void hdb_import_free(hdb_import* report);

/* --- information about files, and differences */

/* What menus show of a file. The caller sets struct_size; `title` is to be freed. */
typedef struct hdb_info {
  size_t struct_size;
  uint16_t version_major; /* Of the format. */
  uint16_t version_minor;
  uint64_t file_bytes;
  hdb_hash file_id;
  hdb_hash state_hash;
  uint64_t play_time_ms;
  int64_t date_unix_ms;
  uint64_t sequence;
  char* title;
} hdb_info;

/* Reads a few KiB, whatever the size of the file. Notices a file that was cut off. */
HDB_C_API hdb_status hdb_read_info(const char* path, hdb_info* info, hdb_error** error);

enum { HDB_VALIDATE_FULL = 0, HDB_VALIDATE_QUICK = 1, HDB_VALIDATE_DEEP = 2 };

/* Checks a file as `hdbinspect validate` does. HDB_OK: it is sound. Else the status and error of
   the first finding, or of what stopped the check. Unless `report` is null, *report has a line for
   each of the first 20 findings, and is to be freed; it is set after such an error, too. */
HDB_C_API hdb_status hdb_validate(const char* path, int level, char** report, hdb_error** error);

/* How many records differ. The caller sets struct_size. */
typedef struct hdb_difference {
  size_t struct_size;
  uint8_t differs; /* 1 if anything does, also a free list or a schema. */
  uint64_t added;
  uint64_t removed;
  uint64_t changed;
  uint64_t reused; /* The slot holds another record. */
} hdb_difference;

/* Compares two files, or two snapshots. Unless `text` is null, *text has a line for each difference
   ("monsters:1042@7.hp: 40 -> 38"), of the first `max_records` records of each table, and is to be
   freed. */
HDB_C_API hdb_status hdb_diff_files(const char* before, const char* after, uint64_t max_records,
                                    hdb_difference* difference, char** text, hdb_error** error);
HDB_C_API hdb_status hdb_diff_snapshots(const hdb_snapshot* before, const hdb_snapshot* after,
                                        uint64_t max_records, hdb_difference* difference,
                                        char** text, hdb_error** error);

#ifdef __cplusplus
}
#endif

#endif
