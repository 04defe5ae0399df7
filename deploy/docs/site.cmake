# The documentation site that the daemon serves under /docs. Whoever changes the code need not wait
# for it: a debug build has none unless asked for.
if(CMAKE_BUILD_TYPE STREQUAL Debug)
  set(docs_default off)
else()
  set(docs_default auto)
endif()
set(VIGIL_DOCS ${docs_default} CACHE STRING
    "The documentation site: on, off, or auto where it can be built")
file(GLOB_RECURSE docs_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*
     ${CMAKE_SOURCE_DIR}/deploy/docs/*)
list(FILTER docs_files EXCLUDE REGEX "__pycache__")
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/docs-work/built
  COMMAND ${CMAKE_COMMAND} -E env VIGIL_DOCS=${VIGIL_DOCS} ${CMAKE_SOURCE_DIR}/deploy/docs/build
          ${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR}/docs-work ${CMAKE_BINARY_DIR}/docs-site
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/docs-work/built
  DEPENDS ${docs_files} ${openapi} ${key_notes_file} ${manual}
  COMMENT "Building the documentation site"
  VERBATIM)
add_custom_target(docs-site ALL DEPENDS ${CMAKE_BINARY_DIR}/docs-work/built)
