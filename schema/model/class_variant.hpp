#pragma once

#include <compare>
#include <string>

#include "schema/model/ids.hpp"

namespace vigil {

/// A benchmark's variant on a machine class: what has one series for each metric.
struct ClassVariant {
    std::string benchmark;
    std::string variant;
    MachineClassId machine_class;
    friend auto operator<=>(const ClassVariant&, const ClassVariant&) = default;
};

}  // namespace vigil
