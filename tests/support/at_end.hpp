#pragma once

#include <functional>
#include <vector>

namespace vigil::tests {

/// What a test program still checks when its tests have ended. Each is told whether all tests ran
/// (no filter was given) and returns how many faults it has printed.
inline std::vector<std::function<int(bool all_ran)>>& at_end() {
    static std::vector<std::function<int(bool)>> checks;
    return checks;
}

}  // namespace vigil::tests
