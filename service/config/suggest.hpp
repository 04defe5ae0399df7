#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::service {

/// The known word that a person most likely meant, or nothing when none is near: at most one edit
/// (insert, delete, replace, swap neighbours; letter case is free) for every three letters.
/// @return  of equally near ones, the first
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// "a, b, c"
std::string joined(const std::vector<std::string>& words);

/// `; did you mean "x"?`, or nothing: to be put behind the words of an error.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace vigil::service
