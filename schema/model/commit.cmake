# Writes the source that tells the commit, when it is another one than before.
# cmake -D source=FOLDER -D out=FILE [-D commit=TEXT] -P commit.cmake; without a text git is asked.
if(NOT commit AND EXISTS ${source}/.git)
  execute_process(COMMAND git -C ${source} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR NOT commit MATCHES "^[0-9a-f]+(-dirty)?$")
    set(commit "")  # no clone, or no git
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/commit.cpp.in ${out} @ONLY)
