#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/bench/bisect/lab.hpp"

// The rules that are compared. Each answers for every series of a world.

namespace vigil::bench {

struct Stretch {
    int first = 0;
    int last = 0;
};

struct Answer {
    enum class Kind { named, cleared, open };
    Kind kind = Kind::open;
    std::vector<Stretch> named;  ///< one commit each, or what broken builds leave
    std::vector<int> set;        ///< open: the commits that are left; 0 stands for no change
    int filed = 0;               ///< of `named`: what the service makes an issue of
};

struct Rule {
    std::string name;
    std::function<std::vector<Answer>(const World&, Lab&)> play;
};

/// The product's search, asked again whenever a probe ends.
/// @param step_s  gets the processor time of each step, in seconds; may be null
std::vector<Answer> play_vigil(const World& world, Lab& lab, std::vector<double>* step_s);

/// Vigil and what is used elsewhere, in the order of the table's columns.
std::vector<Rule> all_rules();

}  // namespace vigil::bench
