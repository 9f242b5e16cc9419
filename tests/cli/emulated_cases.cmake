# Golden tests of hdbinspect under an emulator: those whose output depends on stored values.
set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/hdbinspect)
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
file(GENERATE OUTPUT ${wrapper} CONTENT
  "#!/bin/sh\n# hdbinspect under an emulator.\nexec ${emulator} $<TARGET_FILE:hdbinspect> \"$@\"\n"
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
foreach(case IN ITEMS components convert diff_fields diff_records diff_schema dump_all dump_csv
  dump_every_field dump_exact dump_json enum_names explain get_raw_bits get_record import
  info_three_tables layouts messages_in_order odd_names repair_group utf8_paths validate_deep)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/cases/${case}.sh)
  add_test(NAME cli.${case} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/run_case.sh ${wrapper}
    ${PROJECT_SOURCE_DIR}/fixtures ${script})
endforeach()
