#pragma once

#include <string>
#include <vector>

#include "service/store/findings/requests.hpp"

// What came of a request, in words. Pure.

namespace vigil::service {

/// Whether the ends of a range differ beyond the threshold: then it is searched.
bool is_apart(const SessionVerdict& ends);

/// "2 worse, 1 better, 3 the same"
std::string verdict_words(const std::vector<SessionVerdict>& verdicts);

/// "worse by 20.1 % (19.2 % to 21.0 %): worse beyond the threshold ..."
std::string ends_words(const SessionVerdict& ends);

}  // namespace vigil::service
