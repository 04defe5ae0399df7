#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/metric.hpp"
#include "tests/bench/detect/world.hpp"
#include "tests/bench/nights/commits.hpp"
#include "tests/bench/nights/options.hpp"

// The simulated world: commits, series, noise, planted changes. Its truth is known; it knows
// nothing of the service. ln(value) = code + offset of the build + night + machine + run.

namespace vigil::nights {

/// The law of a noise by its short name: G1, G2, G3, G5, N3, LN5, T3, SP2, BI6, LJ1, AR3, MEMd,
/// MEMq, BB6, N10, ZERO. @throws Error{invalid_argument} for another name
const bench::NoiseKind& noise_named(std::string_view name);

/// What random numbers are for.
enum Stream : std::uint64_t {
    stream_commits = 1,
    stream_plan,
    stream_series,
    stream_run,
    stream_build
};

/// Random numbers that depend on seed and key only.
bench::Random keyed(std::uint64_t seed, std::initializer_list<std::uint64_t> key);
std::uint64_t seed_of(const std::string& word);

struct Event {
    int commit = 0;
    double size = 0;  ///< ln of the factor
};

struct SimulatedSeries {
    std::string id;  ///< class/benchmark/metric
    std::string machine_class;
    std::string benchmark;
    Metric metric = Metric::cpu_time_ns;
    std::string noise_name;
    bench::NoiseKind noise;
    bool is_time = true;  ///< judged by a clock, if only as things a second
    double base = 0;
    double mib = 0;
    std::vector<double> night_offsets;
    std::set<int> disturbed;  ///< nights whose own runs are slower
    std::vector<Event> events;
    int last_change = -1'000'000;  ///< night
};

/// One change that was planted, or a disturbance of one night.
struct Plant {
    int series = 0;
    std::string kind;
    double percent = 0;
    int night = 0;
    std::optional<int> commit;  ///< nullopt: a disturbance
    bool inside = false;        ///< of a merge
    std::optional<int> revert;  ///< night
    std::optional<int> back;    ///< the commit that reverts it
};

/// What a run shows of the series of its benchmark.
using Values = std::vector<std::pair<Metric, double>>;

class World {
  public:
    /// Draws commits and plants.
    explicit World(const Options& options);
    /// Commits and plants that are given; noises are drawn.
    World(
        const Options& options,
        Commits commits,
        std::vector<Plant> plants,
        std::vector<std::vector<Event>> events);

    const Options& options() const { return options_; }
    const Commits& commits() const { return commits_; }
    const std::vector<SimulatedSeries>& series() const { return series_; }
    const std::vector<Plant>& plants() const { return plants_; }
    const std::vector<std::string>& classes() const { return classes_; }
    /// Name and machine class.
    const std::vector<std::pair<std::string, std::string>>& workers() const { return workers_; }
    std::vector<std::string> benchmarks() const;

    /// Nights in which machines are on the move: "worker" or "class".
    const std::map<int, std::string>& move_nights() const { return move_nights_; }
    bool is_sick(const std::string& worker, int night) const;

    /// What consecutive processes of a job show.
    /// @param number   how many jobs of this class and benchmark the night had before
    /// @param commits  a process each
    std::vector<Values> measure(
        const std::string& machine_class,
        const std::string& benchmark,
        const std::string& worker,
        bool is_nightly,
        int night,
        int number,
        const std::vector<int>& commits) const;

  private:
    friend class Planner;
    void make_series();
    void plan_moves();
    double code(const SimulatedSeries& series, int commit) const;
    double offset(int series, int commit) const;

    Options options_;
    std::uint64_t seed_;
    Commits commits_;
    std::vector<std::string> classes_;
    std::vector<std::pair<std::string, std::string>> workers_;
    std::vector<SimulatedSeries> series_;
    std::map<std::pair<std::string, std::string>, std::vector<int>> of_job_;
    std::vector<Plant> plants_;
    std::map<std::pair<std::string, int>, double> moved_;  ///< worker and night: ln of the factor
    std::map<int, std::string> move_nights_;
    std::string sick_worker_;
    int sick_from_ = 0;
};

}  // namespace vigil::nights
