# Sets `zoo_names`: the models of the zoo, compiled in or not, as a list of C++ texts; and
# `zoo_names_file`, which has them for vigil-bench.
file(GLOB zoo_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/zoo/*/*.cpp)
list(FILTER zoo_files EXCLUDE REGEX "/zoo/blocks/")
set(zoo_names "")
foreach(zoo_file ${zoo_files})
  get_filename_component(zoo_name ${zoo_file} NAME_WE)
  string(APPEND zoo_names "\"${zoo_name}\", ")
endforeach()
set(zoo_names_file ${CMAKE_CURRENT_BINARY_DIR}/zoo_names.cpp)
file(CONFIGURE OUTPUT ${zoo_names_file} CONTENT [[
#include "worker/bench/arguments/refused_model.hpp"
std::vector<std::string> vigil_bench::zoo_names() { return {@zoo_names@}; }
]] @ONLY)
