#pragma once

#include <string>
#include <vector>

#include "service/config/config.hpp"

// What a running daemon makes of a config that was changed. Pure functions.

namespace vigil::service {

struct ConfigChange {
    std::string key;   ///< as the documentation has it, with names: "projects.toy.runs_per_night"
    std::string from;  ///< effective values as JSON; empty: there was none
    std::string to;    ///< empty: there is none any more
    bool needs_restart = false;  ///< a running daemon cannot change it
};

/// The effective values that differ, by key. What came or went as a whole is one change.
std::vector<ConfigChange> list_changes(const Config& before, const Config& after);

/// `after`, but for what needs a restart: that is as in `before`.
Config change_while_running(const Config& before, Config after);

}  // namespace vigil::service
