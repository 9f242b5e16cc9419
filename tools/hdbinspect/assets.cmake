# Compiles text files into the program: writes assets.cpp in the build folder.
foreach(file IN ITEMS ../viewer/viewer.html
    interface/texts/completion.bash interface/texts/completion.zsh interface/texts/completion.fish
    interface/texts/names.txt interface/texts/filters.txt interface/texts/globs.txt)
  set(path ${CMAKE_CURRENT_LIST_DIR}/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  get_filename_component(name ${file} NAME)
  string(TOUPPER HDB_${name} name)
  string(REPLACE "." "_" name ${name})
  file(READ ${path} ${name})
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/assets.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/assets.cpp @ONLY)
