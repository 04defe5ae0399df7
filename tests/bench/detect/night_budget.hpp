#pragma once

#include <vector>

#include "tests/bench/detect/labelled.hpp"

namespace vigil::bench {

/// All series as one fleet whose nights have few sessions: prints how soon true steps have their
/// turn, by the order in which suspicions are served.
void print_night_budgets(const std::vector<Labelled>& all);

}  // namespace vigil::bench
