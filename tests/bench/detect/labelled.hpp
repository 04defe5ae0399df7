#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/model/metric.hpp"

namespace vigil::bench {

struct Step {
    std::size_t night = 0;
    bool required = false;
};

struct Labelled {
    std::vector<double> values;
    std::vector<bool> moved;  ///< to another environment
    Direction direction = Direction::lower_is_better;
    std::size_t start = 0;
    std::vector<Step> steps;
};

/// The series of a folder that holds online.jsonl and online.labels.jsonl.
std::vector<Labelled> read_labelled(const std::string& folder);

}  // namespace vigil::bench
