# Writes the manual pages of hdbinspect, of its commands (section 1) and of its topics (section 7).
# cmake -D PROGRAM=HDBINSPECT -D FOLDER=man -P man_pages.cmake
function(write_page file)  # write_page(FILE WORDS...): FILE without the section
  execute_process(COMMAND ${PROGRAM} help --man ${ARGN} OUTPUT_VARIABLE page
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "^\\.TH [^ ]+ ([17])" title "${page}")
  file(WRITE ${FOLDER}/man${CMAKE_MATCH_1}/${file}.${CMAKE_MATCH_1} "${page}")
endfunction()

file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${PROGRAM} completion words -- help "" OUTPUT_VARIABLE words
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z-]+\t" names "${words}")
foreach(name IN LISTS names)
  string(STRIP "${name}" name)
  write_page(hdbinspect-${name} ${name})
endforeach()
write_page(hdbinspect)
