#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"

namespace vigil::service {

class Database;

// How well the service itself did: what became of what it suspected and filed, and what that cost.

/// A stretch of time, and one project or all.
struct PrecisionScope {
    std::optional<ProjectId> project;
    std::int64_t since_s = 0;
    std::int64_t until_s = 0;  ///< not included
};

/// A series that asked for most sessions in vain.
struct NoisySeriesFact {
    SeriesId id;
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    int not_reproduced = 0;
    int undecided = 0;
    std::int64_t runs = 0;         ///< of its sessions
    std::optional<double> spread;  ///< of its newest nights, relative, where it is remembered
};

struct PrecisionFacts {
    PrecisionScope scope;
    int nights = 0;  ///< that ended

    int suspicions = 0;  ///< opened
    int checks = 0;      ///< of these: asked for although nothing looked different
    int confirmed = 0;   ///< surely worse by more than the threshold, broken or leaking
    int drifts = 0;
    int not_reproduced = 0;
    int environment = 0;
    int improvements = 0;
    int undecided = 0;  ///< measured, and went on with the next night
    int waited = 0;     ///< the night had no runs for them
    int open = 0;       ///< without a verdict yet

    int regressions = 0;  ///< opened; what a person said of them, and what became of the others:
    int upheld = 0;       ///< acknowledged or accepted
    int refuted = 0;
    int not_found_again = 0;  ///< the search could not reproduce them
    int recovered = 0;        ///< closed by themselves, without a word

    int timed = 0;  ///< verdicts by measuring again
    /// From the night's judgement, the first where it took several, to the verdict.
    std::int64_t median_verdict_s = 0;
    std::int64_t slow_verdict_s = 0;  ///< 90 % came within

    std::int64_t nightly_runs = 0;
    std::int64_t confirm_runs = 0;
    std::int64_t search_runs = 0;

    std::vector<NoisySeriesFact> noisiest;  ///< most in vain first

    /// Of the regressions that a person spoke about, the share that was upheld.
    std::optional<double> upheld_share() const {
        if (upheld + refuted == 0) return std::nullopt;
        return static_cast<double>(upheld) / (upheld + refuted);
    }
};

/// Counts what was opened within the scope, as it stands now.
PrecisionFacts load_precision(Database& db, const PrecisionScope& scope);

/// The week before the one in which this night ended (weeks begin on Monday, UTC), when it is the
/// first of its project that ended in its week and an earlier one exists.
std::optional<PrecisionScope> find_week_to_report(Database& db, NightlyId nightly);

}  // namespace vigil::service
