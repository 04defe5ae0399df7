#pragma once

#include <string>
#include <utility>

namespace vigil::nights {

/// Wilson's 95 % interval of a share of n.
std::pair<double, double> wilson(int k, int n);

/// One-sided 95 % upper bound of a Poisson mean after k events.
double upper(int k);

/// ".83" or ".83 (.77-.88)"; "-" where n is 0
std::string share(int k, int n, bool bounds);

}  // namespace vigil::nights
