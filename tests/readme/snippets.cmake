# The C++ of documents: the ```cpp blocks of Markdown pages, the @code blocks of header comments.

# Sets ${out}_count, and ${out}_1, ${out}_2, ... to the C++ blocks of a Markdown page or header; or
# to the blocks of another language of a page, if it is given.
function(hdb_read_snippets file out)
  set(language ${ARGN} cpp)
  list(GET language 0 language)
  file(READ ${file} text)
  string(REPLACE ";" "<semicolon>" text "${text}")
  string(REPLACE "[" "<open>" text "${text}")
  string(REPLACE "]" "<close>" text "${text}")
  if(file MATCHES "\\.hpp$")
    string(ASCII 3 end)  # one character, so that a match ends at the first
    string(REPLACE "@endcode" ${end} text "${text}")
    string(REGEX MATCHALL "/// Example:\n *///? @code\n([^${end}]+)${end}" blocks "${text}")
  else()
    string(REGEX MATCHALL "```${language}\n([^`]+)```" blocks "${text}")
  endif()
  set(number 0)
  foreach(block IN LISTS blocks)
    math(EXPR number "${number} + 1")
    if(file MATCHES "\\.hpp$")
      string(REGEX REPLACE "^.*@code\n" "\n" block "${block}")
      string(REGEX REPLACE "\n */// ${end}$" "" block "${block}")
      string(REGEX REPLACE "\n */// ?" "\n" block "${block}")
      string(REGEX REPLACE "^\n" "" block "${block}\n")
    else()
      string(REGEX REPLACE "^```${language}\n" "" block "${block}")
      string(REGEX REPLACE "```$" "" block "${block}")
    endif()
    string(REPLACE "<semicolon>" ";" block "${block}")
    string(REPLACE "<open>" "[" block "${block}")
    string(REPLACE "<close>" "]" block "${block}")
    set(${out}_${number} "${block}" PARENT_SCOPE)
  endforeach()
  set(${out}_count ${number} PARENT_SCOPE)
endfunction()

# Sets `out` to the promised headers below `root` (ARCHITECTURE.md), without those that only include
# others.
function(hdb_find_promised_headers root out)
  if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(again CONFIGURE_DEPENDS)
  endif()
  file(GLOB headers ${again}
    ${root}/lib/include/hdb/*.hpp ${root}/lib/include/hdb/inspect/*.hpp
    ${root}/lib/extras/*/include/hdb/*.hpp
    ${root}/schema/include/hdb/*.hpp ${root}/schema/include/hdb/inspect/*.hpp)
  set(promised "")
  foreach(header IN LISTS headers)
    file(STRINGS ${header} declarations REGEX "^namespace hdb" LIMIT_COUNT 1)
    if(declarations)
      list(APPEND promised ${header})
    endif()
  endforeach()
  set(${out} "${promised}" PARENT_SCOPE)
endfunction()
