# Script: viewer.html of the tree is what build.mjs makes of its sources.
execute_process(COMMAND ${NODE} ${VIEWER}/build.mjs ${WORK_DIR}/viewer.html RESULT_VARIABLE failed)
file(READ ${VIEWER}/viewer.html kept)
if(NOT failed)
  file(READ ${WORK_DIR}/viewer.html made)
endif()
if(failed OR NOT kept STREQUAL made)
  message(FATAL_ERROR "tools/viewer/viewer.html is not what its sources make: "
    "run node tools/viewer/build.mjs")
endif()
