#pragma once

#include <string>
#include <vector>

namespace vigil::service {

/// The kinds of events, thing.state, in order. The ledger may hold others, of earlier versions.
std::vector<std::string> event_kinds();

}  // namespace vigil::service
