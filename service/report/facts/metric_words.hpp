#pragma once

#include <string>

#include "schema/model/metric.hpp"

namespace vigil::service {

/// "CPU time", "peak process memory", ...
std::string metric_words(Metric metric);

}  // namespace vigil::service
