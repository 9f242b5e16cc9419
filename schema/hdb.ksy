# Kaitai Struct: the layout of hdb snapshot files. Section numbers are those of FORMAT.md.
# The names of fields and numbers agree with FORMAT.md; a test compares them.
meta:
  id: hdb
  title: hdb snapshot
  application: hdb
  file-extension: hdb
  license: MIT
  ks-version: 0.9
  encoding: UTF-8
  endian: le
  bit-endian: le
doc: |
  Snapshots of hdb, a database of handles for games: every block, the metadata, the catalog, the
  chunks of row groups and free lists, packs, directory and footer.

  This describes the layout, not the rules: hashes and reserved bits inside of flags are not
  checked. Kaitai Struct has no zstd, so the payload of a compressed catalog or pack is opaque
  bytes here, and so are the chunks of columns. A program that decompresses a payload itself can
  read the content with the types `catalog` and `pack`.
doc-ref: schema/FORMAT.md

seq:
  - id: header
    type: header
  - id: blocks
    type: 'block(_index, _index == 0 ? -1 : blocks[_index - 1].newest_catalog)'
    repeat: expr
    repeat-expr: directory.num_entries
instances:
  directory:
    pos: footer.directory_offset
    size: footer.directory_size
    type: directory
  footer:
    pos: _io.size - 64
    type: footer

types:
  # 1: numbers and texts

  hash128:
    seq:
      - id: low
        type: u8
      - id: high
        type: u8

  varint:
    doc: A number as LEB128.
    seq:
      - id: digits
        type: >-
          digit(_index == 0 ? 0 : digits[_index - 1].sum,
          _index == 0 ? 1 : digits[_index - 1].unit * 128)
        repeat: until
        repeat-until: not _.continues or _index == 9
    instances:
      value:
        value: digits.last.sum
    types:
      digit:
        params:
          - id: sum_before
            type: u8
          - id: unit
            type: u8
        seq:
          - id: bits
            type: b7
          - id: continues
            type: b1
        instances:
          sum:
            value: (sum_before + bits * unit).as<u8>

  text:
    seq:
      - id: size
        type: varint
      - id: value
        type: str
        size: size.value

  # 2: the frame

  header:
    seq:
      - id: signature
        contents: [0x89, 0x48, 0x44, 0x42, 0x0d, 0x0a, 0x1a, 0x0a]
      - id: major_version
        doc: Version 0.9 or 0.10, or 1 with any minor version.
        type: u2
        valid:
          max: 1
      - id: minor_version
        type: u2
        valid:
          expr: major_version == 1 or _ == 9 or _ == 10
      - id: reserved
        contents: [0, 0, 0, 0]
      - id: incompatible_features
        type: u8
        valid: 0
      - id: read_only_compatible_features
        type: u8
      - id: compatible_features
        type: u8
      - id: file_id
        type: hash128
      - id: hash
        type: u8

  block:
    params:
      - id: index
        type: s4
      - id: catalog_before
        doc: The index of the last block before this one that is a readable catalog, or -1.
        type: s4
    seq:
      - id: head
        type: block_head
      - id: extensions
        size: head.extension_units * 8
        type: extensions
        if: head.extension_units != 0
      - id: payload
        size: content_size
        type:
          switch-on: content
          cases:
            'content::metadata': metadata
            'content::catalog': catalog
            'content::chunks': chunks
            'content::pack': pack(_root.blocks[catalog_before].payload.as<catalog>, head.group)
      - id: padding
        size: (8 - head.stored_size % 8) % 8
    instances:
      content_size:
        value: head.stored_size - head.extension_units * 8
      is_compressed:
        value: >-
          (head.type == block_type::catalog or head.type == block_type::pack)
          and content_size != head.raw_size
      content:
        doc: How the payload is read; `bytes` if it is compressed, or if no rule is known for it.
        value: >-
          head.flags.indexed ? content::chunks :
          is_compressed ? content::bytes :
          head.type == block_type::metadata ? content::metadata :
          head.type == block_type::catalog ? content::catalog :
          head.type == block_type::pack and catalog_before != -1 ? content::pack : content::bytes
      newest_catalog:
        value: 'content == content::catalog ? index : catalog_before'
    enums:
      content:
        0: bytes
        1: metadata
        2: catalog
        3: chunks
        4: pack

  block_head:
    seq:
      - id: marker
        contents: [0xb1, 0x48, 0x44, 0x42]
      - id: type
        type: u1
        enum: block_type
      - id: flags
        type: block_flags
      - id: extension_units
        doc: The size of the extensions, before the content, in units of 8 bytes.
        type: u2
      - id: table
        type: u4
      - id: part
        type: u4
      - id: group
        type: u8
      - id: stored_size
        type: u8
      - id: raw_size
        type: u8
      - id: file_id
        type: hash128
      - id: payload_hash
        type: u8
      - id: hash
        type: u8

  block_flags:
    seq:
      - id: critical
        type: b1
      - id: safe_to_copy
        type: b1
      - id: indexed
        type: b1
      - id: reserved
        type: b5

  directory:
    seq:
      - id: magic
        contents: [0x48, 0x44, 0x42, 0x44, 0x49, 0x52, 0x0d, 0x0a]
      - id: file_id
        type: hash128
      - id: num_entries
        type: u8
      - id: entries
        type: directory_entry
        repeat: expr
        repeat-expr: num_entries

  directory_entry:
    seq:
      - id: offset
        type: u8
      - id: stored_size
        type: u8
      - id: raw_size
        type: u8
      - id: payload_hash
        type: u8
      - id: group
        type: u8
      - id: table
        type: u4
      - id: part
        type: u4
      - id: type
        type: u1
        enum: block_type
      - id: flags
        type: block_flags
      - id: extension_units
        type: u2
      - id: reserved
        contents: [0, 0, 0, 0]

  footer:
    seq:
      - id: directory_offset
        type: u8
      - id: directory_size
        type: u8
      - id: directory_hash
        type: u8
      - id: file_size
        type: u8
        valid: _root._io.size
      - id: state_hash
        type: hash128
      - id: magic
        contents: [0x48, 0x44, 0x42, 0x45, 0x4e, 0x44, 0x0d, 0x0a]
      - id: hash
        type: u8

  extensions:
    doc: Additions of later versions to a block head, a node or a table descriptor.
    seq:
      - id: num_extensions
        type: varint
      - id: extensions
        type: extension
        repeat: expr
        repeat-expr: num_extensions.value

  extension:
    seq:
      - id: tag
        type: u1
      - id: flags
        type: extension_flags
      - id: size
        type: varint
      - id: content
        size: size.value

  table_extensions:
    doc: Additions to a table descriptor.
    seq:
      - id: num_extensions
        type: varint
      - id: extensions
        type: table_extension
        repeat: expr
        repeat-expr: num_extensions.value

  table_extension:
    seq:
      - id: tag
        type: u1
      - id: flags
        type: extension_flags
      - id: size
        type: varint
      - id: content
        size: size.value
        type:
          switch-on: tag
          cases:
            2: component

  component:
    doc: What makes a table a component table.
    seq:
      - id: owner
        type: text
      - id: removal
        doc: 0 if the last component moves into a gap, 1 if gaps stay.
        type: u1
      - id: num_holes
        type: varint

  catalog_extensions:
    doc: Additions to a catalog.
    seq:
      - id: num_extensions
        type: varint
      - id: extensions
        type: catalog_extension
        repeat: expr
        repeat-expr: num_extensions.value

  catalog_extension:
    seq:
      - id: tag
        type: u1
      - id: flags
        type: extension_flags
      - id: size
        type: varint
      - id: content
        size: size.value
        type:
          switch-on: tag
          cases:
            1: dropped_handles
            2: dropped_handles

  dropped_handles:
    doc: What dropped tables issued (4.9).
    seq:
      - id: num_spaces
        type: varint
      - id: spaces
        type: handle_space
        repeat: expr
        repeat-expr: num_spaces.value

  handle_space:
    doc: Handles that cannot be distinguished.
    seq:
      - id: type_id
        type: u2
      - id: index_bits
        type: u1
      - id: generation_bits
        type: u1
      - id: type_bits
        type: u1
      - id: type_name
        type: text
      - id: highest
        type: varint
      - id: floor
        type: varint
      - id: num_slots
        type: varint
      - id: slots
        type: issued_slot
        repeat: expr
        repeat-expr: num_slots.value

  issued_slot:
    seq:
      - id: skip
        doc: Slots left out since the one before.
        type: varint
      - id: generation
        type: varint

  extension_flags:
    seq:
      - id: critical
        type: b1
      - id: hashed
        type: b1
      - id: safe_to_copy
        type: b1
      - id: reserved
        type: b5

  # 3: metadata and catalog

  metadata:
    seq:
      - id: sequence
        type: u8
      - id: play_time_ms
        type: u8
      - id: date_ms
        doc: Milliseconds since 1970-01-01 UTC, 0 if there is no date.
        type: s8
      - id: title
        type: text
      - id: num_values
        type: varint
      - id: values
        type: key_and_value
        repeat: expr
        repeat-expr: num_values.value

  key_and_value:
    seq:
      - id: key
        type: text
      - id: value
        type: text

  catalog:
    seq:
      - id: num_schemas
        type: u4
      - id: schemas
        type: schema
        repeat: expr
        repeat-expr: num_schemas
      - id: num_tables
        type: u4
      - id: tables
        type: table
        repeat: expr
        repeat-expr: num_tables
      - id: highest_type_id
        type: u2
      - id: extensions
        type: catalog_extensions
        if: not _io.eof

  schema:
    seq:
      - id: size
        type: u4
      - id: root
        size: size
        type: node(3)
    instances:
      num_columns:
        value: root.column_after - 3

  table:
    seq:
      - id: size
        type: u4
      - id: descriptor
        size: size
        type: table_descriptor

  # 4: schemas and tables

  node:
    doc: A field of a record, or a part of one.
    params:
      - id: column
        doc: The number of its first column (5.1). Columns 0 to 2 belong to the slots.
        type: u4
    seq:
      - id: kind
        type: u1
        enum: field_type
      - id: flags
        type: node_flags
      - id: name
        type: text
      - id: version
        type: u4
        if: kind == field_type::struct and flags.versioned
      - id: num_fields
        type: varint
        if: kind == field_type::struct
      - id: num_alternatives
        type: u1
        if: kind == field_type::variant
      - id: num_elements
        type: varint
        if: kind == field_type::array
      - id: layout
        type: layout
        if: kind == field_type::handle
      - id: table
        type: text
        if: kind == field_type::handle
      - id: children
        type: 'node(_index == 0 ? column + own_columns : children[_index - 1].column_after)'
        repeat: expr
        repeat-expr: num_children
      - id: extensions
        type: extensions
        if: flags.extended
    instances:
      num_children:
        value: >-
          kind == field_type::struct ? num_fields.value :
          kind == field_type::variant ? num_alternatives :
          kind == field_type::map ? 2 :
          kind == field_type::array or kind == field_type::enum or kind == field_type::list
          or kind == field_type::optional ? 1 : 0
      own_columns:
        doc: Values, lengths, presence or tags; the bytes of strings.
        value: >-
          kind == field_type::string or kind == field_type::opaque ? 2 :
          kind == field_type::struct or kind == field_type::array or kind == field_type::enum
          ? 0 : 1
      column_after:
        value: '(num_children == 0 ? column + own_columns : children.last.column_after).as<u4>'

  node_flags:
    seq:
      - id: versioned
        type: b1
      - id: utf_8_checked
        type: b1
      - id: strong
        type: b1
      - id: extended
        type: b1
      - id: reserved
        type: b4

  layout:
    doc: How many bits of a handle are its index, its generation and its type id.
    seq:
      - id: index_bits
        type: u1
      - id: generation_bits
        type: u1
      - id: type_bits
        type: u1

  table_descriptor:
    seq:
      - id: name
        type: text
      - id: type_id
        type: u2
      - id: schema
        type: u4
      - id: layout
        type: layout
      - id: storage
        type: u1
        enum: storage
      - id: free_list
        type: u1
        enum: free_list
      - id: generations
        type: u1
        enum: generations
      - id: overflow
        type: u1
        enum: overflow
      - id: flags
        type: table_flags
      - id: group_shift
        type: u1
      - id: num_slots
        type: u8
      - id: num_live_slots
        type: u8
      - id: num_retired_slots
        type: u8
      - id: num_free_slots
        type: u8
      - id: counter
        type: u4
      - id: highest_generation
        type: u4
      - id: names
        type: u1
        enum: names
      - id: blobs
        type: u1
        enum: blobs
      - id: capacity
        type: u8
        if: blobs == blobs::a_blob_table
      - id: alignment
        type: u4
        if: blobs == blobs::a_blob_table
      - id: compaction
        type: u1
        enum: compaction
        if: blobs == blobs::a_blob_table
      - id: flush_cursor
        type: u4
      - id: extensions
        type: table_extensions

  table_flags:
    seq:
      - id: singleton
        type: b1
      - id: not_in_the_state_hash
        type: b1
      - id: reserved
        type: b6

  # 5: row groups, free lists and packs

  chunks:
    doc: The payload of an indexed block.
    seq:
      - id: num_entries
        type: u4
      - id: reserved
        contents: [0, 0, 0, 0]
      - id: entries
        type: chunk_entry
        repeat: expr
        repeat-expr: num_entries
      - id: chunks
        doc: The stored bytes of each chunk, after its filter and its codec.
        size: entries[_index].stored_size
        repeat: expr
        repeat-expr: num_entries

  chunk_entry:
    seq:
      - id: column
        type: u4
      - id: piece
        type: u4
      - id: filter
        type: u1
        enum: filter
      - id: codec
        type: u1
        enum: codec
      - id: width
        type: u1
      - id: reserved
        contents: [0, 0, 0, 0, 0]
      - id: stored_size
        type: u8
      - id: raw_size
        type: u8
      - id: raw_hash
        type: hash128
      - id: stored_hash
        type: u8

  pack:
    doc: The whole content of several small tables.
    params:
      - id: catalog
        type: catalog
      - id: num_tables
        type: u8
    seq:
      - id: tables
        type: packed_table(catalog)
        repeat: expr
        repeat-expr: num_tables

  packed_table:
    doc: Values of 2, 4 and 8 bytes are shuffled - all bytes 0, then all bytes 1, and so on.
    params:
      - id: catalog
        type: catalog
    seq:
      - id: table
        type: varint
      - id: states
        size: descriptor.num_slots
      - id: generations
        size: descriptor.num_slots * 4
      - id: positions
        size: descriptor.num_live_slots * 4
        if: descriptor.storage == storage::dense
      - id: columns
        type: packed_column
        repeat: expr
        repeat-expr: catalog.schemas[descriptor.schema].num_columns
      - id: free_list
        doc: Of a component table, the holes.
        size: num_listed * 4
        if: descriptor.free_list != free_list::lowest
    instances:
      num_listed:
        doc: The first extension of a component table makes it one.
        value: |
          descriptor.extensions.num_extensions.value != 0
          and descriptor.extensions.extensions[0].tag == 2
          ? descriptor.extensions.extensions[0].content.as<component>.num_holes.value
          : descriptor.num_free_slots
      descriptor:
        value: catalog.tables[table.value].descriptor

  packed_column:
    seq:
      - id: size
        type: varint
      - id: values
        size: size.value

enums:
  block_type:
    1: metadata
    2: thumbnail
    3: catalog
    4: rows
    5: free_list
    6: pack
  field_type:
    1: bool
    2: i8
    3: i16
    4: i32
    5: i64
    6: u8
    7: u16
    8: u32
    9: u64
    10: f32
    11: f64
    12: char8
    13: char16
    14: char32
    15: enum
    16: handle
    17: string
    18: struct
    19: array
    20: list
    21: optional
    22: variant
    23: map
    24: opaque
  storage:
    0: dense
    1: stable
  free_list:
    0: lifo
    1: fifo
    2: lowest
  generations:
    0: per_slot
    1: table_counter
  overflow:
    0: retire
    1: wrap
  names:
    0: none
    1: exact
    2: ignoring_the_case_of_ascii_letters
  blobs:
    0: a_table_of_records
    1: a_blob_table
  compaction:
    0: at_release
    1: on_demand
  filter:
    0: none
    1: constant
    2: shuffle
    3: delta_shuffle
  codec:
    0: none
    1: zstd
