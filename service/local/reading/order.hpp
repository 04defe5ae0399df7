#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/metric.hpp"
#include "schema/model/series_rule.hpp"
#include "schema/model/text_ids.hpp"

namespace vigil::wire {
class ObjectReader;
}

namespace vigil::local {

/// What is judged of each run.
enum class Measure {
    time,      ///< wall time
    cpu,       ///< user and system time of the process tree
    memory,    ///< largest resident set of a process of the tree
    samples,   ///< what the benchmark prints
    quantity,  ///< what its harness prints under the name that the order gives
};

Metric metric_of(Measure measure);

/// Of which numbers of what a benchmark's harness prints a run's value is made; see find_read_as.
struct ReadAs {
    std::string program;    ///< "Google Benchmark"
    std::string benchmark;  ///< one of those that it prints; empty: each of them
    std::string quantity;   ///< "CPU time"; empty: the time that the harness is there to measure
    std::string unit;       ///< of values: "ns", "bytes", or what the harness writes
    MetricKind kind = MetricKind::time;
    Direction direction = Direction::lower_is_better;
    std::string bench;  ///< the line that is really run, for sh -c
    friend bool operator==(const ReadAs&, const ReadAs&) = default;
};

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
    bool better = false;  ///< a search looks for what got better, not for what got worse
    double threshold = 0.07;
    std::vector<std::string> outputs;  ///< what a build makes, relative; empty: the whole tree
    std::string path;                  ///< suspects that touch it are more likely; empty: none
    int timeout_s = 3600;              ///< for each build and each run
    int at_once = 1;                   ///< runs of a session that are alive together, at most
    std::string select;  ///< one of the benchmarks that a harness prints; empty: all of them
    bool ignore_failure = false;  ///< a run counts whatever its exit code
    std::string quantity;         ///< for Measure::quantity, as the harness calls it
    /// Known from the first run on; not of the order that was asked for.
    std::optional<ReadAs> read_as = {};
    /// Which way what a harness prints is better; what follows from them is in `read_as`.
    std::vector<SeriesRule> rules = {};
    std::string rules_file = {};    ///< where they stand, absolute; empty: none
    std::string rules_digest = {};  ///< of the file: with other rules it is another search

    friend bool operator==(const Order&, const Order&) = default;
};

/// Whether each benchmark that a run prints is a case of its own.
bool reads_all(const Order& order);

/// The order from now on, when a run showed how its values are read.
Order reading_as(Order order, const ReadAs& read_as);

/// The unit of a run's value: "ns", "bytes", what a harness writes, or "" of plain numbers.
std::string unit_of(const Order& order);
MetricKind kind_of(const Order& order);
/// What is really run, for sh -c.
const std::string& bench_line(const Order& order);

/// What the measure is called in a sentence: "wall time", "CPU time of BM_sum".
std::string measure_text(const Order& order);
/// Whose numbers are read, and what is really run; one line.
/// @param order  with read_as
std::string reading_text(const Order& order);

/// As it was asked for: without what a run showed.
nlohmann::json to_json(const Order& order);
nlohmann::json to_json(const ReadAs& read_as);
/// What answers say of the order: metric, direction, threshold, at_once, and how values are read.
nlohmann::json requested_json(const Order& order);
/// @throws Error{invalid_argument}
Order parse_order(const nlohmann::json& value, const std::string& path);
/// @throws Error{invalid_argument}
ReadAs parse_read_as(wire::ObjectReader& reader);

/// Whether commits have submodules. Once their folders were left empty: what was built of such
/// commits is not what is built of them now.
enum class Trees { plain, with_submodules };

/// Names what builds share: repository, build command and outputs. 12 hex digits.
std::string build_key(const Order& order, Trees trees);
/// Names what a search is about, within one build key. 12 hex digits.
std::string search_key(const Order& order);

/// The options of `vigil compare` and `vigil bisect run` that say the same as the order.
std::string options_text(const Order& order, const std::string& good, const std::string& bad);

}  // namespace vigil::local
