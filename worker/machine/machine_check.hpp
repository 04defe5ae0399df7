#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/enum_names.hpp"
#include "worker/machine/machine_snapshot.hpp"

// What makes a machine's numbers unsteady, and what to do about it.

namespace vigil::worker {

enum class CheckFinding { pass, warn, unknown };

struct MachineCheck {
    std::string name;  ///< "governor", "turbo", ..., "gpu0 clocks"
    CheckFinding finding = CheckFinding::unknown;
    std::string seen;    ///< what was found
    std::string advice;  ///< what to do; empty: nothing
};

/// Governor, turbo, C-states, SMT, isolated cores, NUMA, huge pages, allocators, load, virtual
/// machine, whether instructions can be counted; persistence and clocks of each GPU. Pure: asks
/// nothing but the snapshot.
std::vector<MachineCheck> check_machine(const MachineSnapshot& snapshot);

/// A line for each, with what to do below it.
std::string checks_text(const std::vector<MachineCheck>& checks);
/// {"checks": [{"name", "finding", "seen", "advice"}], "warnings": 2}
nlohmann::json checks_json(const std::vector<MachineCheck>& checks);

}  // namespace vigil::worker
