#pragma once

#include <string>
#include <string_view>

namespace vigil::service {

/// The meaning of a key of the config, one sentence; empty: the key is not known.
/// @param path  as `list_keys` has it: "http.port", "projects.<project>.matrix[].suite"
/// @source  service/config/key_notes.txt, which travels inside the program
std::string_view note_of_key(std::string_view path);

/// Text of `vigild --config-reference`: each key with its default, its range and its meaning, in
/// the order of the table. @param prefix  only keys that begin with it; empty: all
std::string config_reference(std::string_view prefix);

}  // namespace vigil::service
