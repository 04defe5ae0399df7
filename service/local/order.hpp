#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/metric.hpp"
#include "schema/model/text_ids.hpp"

namespace vigil::local {

/// What is judged of each run.
enum class Measure {
    time,     ///< wall time
    cpu,      ///< user and system time of the process tree
    memory,   ///< largest resident set of a process of the tree
    samples,  ///< what the benchmark prints
};

Metric metric_of(Measure measure);

/// Runs of a session that are alive together.
constexpr int usual_at_once = 6;
constexpr int most_at_once = 32;

/// How many runs are alive together unless something else is asked for: processor time is counted
/// for each process, so its runs may share a processor and with it the moment.
int at_once_for(Measure measure);

/// The build command where there is nothing to build.
inline constexpr const char* nothing_to_build = "true";

/// What a person asked for: everything that a number depends on, and nothing that it does not (so
/// that a search may go on with another budget).
struct Order {
    std::string repository;  ///< absolute path as git knows it: the common git folder
    Revision good;
    Revision bad;
    std::string build;  ///< for sh -c, in the source tree
    std::string bench;  ///< for sh -c, in the product
    Measure measure = Measure::time;
    Direction direction = Direction::lower_is_better;
    double threshold = 0.07;
    std::vector<std::string> outputs;  ///< what a build makes, relative; empty: the whole tree
    std::string path;                  ///< suspects that touch it are more likely; empty: none
    int timeout_s = 3600;              ///< for each build and each run
    int at_once = 1;                   ///< runs of a session that are alive together, at most

    friend bool operator==(const Order&, const Order&) = default;
};

nlohmann::json to_json(const Order& order);
/// What answers say of the order: metric, direction, threshold, at_once.
nlohmann::json asked_json(const Order& order);
/// @throws Error{invalid_argument}
Order parse_order(const nlohmann::json& value, const std::string& path);

/// Names what builds share: repository, build command and outputs. 12 hex digits.
std::string build_key(const Order& order);
/// Names what a search is about, within one build key. 12 hex digits.
std::string search_key(const Order& order);

/// The options of `vigil compare` and `vigil bisect run` that say the same as the order.
std::string options_text(const Order& order, const std::string& good, const std::string& bad);

}  // namespace vigil::local
