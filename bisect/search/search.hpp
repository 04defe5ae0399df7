#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/metric.hpp"

// The search for culprits as a pure state machine: its state is the list of observations, so the
// same list gives the same next probe on every machine and after every restart. docs/search.md has
// the model.

namespace vigil::search {

/// Version of the rules below. `vigil bisect` refuses the log of another version; the service goes
/// on under the newest, from what was built and measured so far.
constexpr int planner_version = 21;

/// One series of the regression. Series of the same group are measured together: a probe runs every
/// open series of one group on one worker.
struct SeriesSpec {
    int group = 0;  ///< index of the machine class
    Direction direction = Direction::lower_is_better;
    MetricKind kind = MetricKind::time;
    double threshold = 0.07;       ///< change ratio that is worth a report
    double expected_ratio = 0.07;  ///< change ratio that confirmation measured; sets a scale only
    double noise = 0;   ///< spread of ln(value) over one build's runs in history; 0: not known
    double nights = 0;  ///< the same over single runs of earlier nights' builds at one level
    /// What got better is sought, not what got worse. Ratios and words stay those of `direction`:
    /// a commit that takes away 30 % of the time has the ratio -0.3.
    bool better = false;
    /// The ends are other builds than those that confirmation measured, and must show a change of
    /// at least this ratio before anything is searched; 0: they are the same builds.
    double least_ratio = 0;
};

/// The expected ratio of a change from 0, whose size no ratio tells: the search takes it for a
/// doubling.
inline constexpr double expected_from_zero = 1;

/// Which way is better for a search that looks for what gets worse.
Direction sought_direction(const SeriesSpec& spec);

struct Budget {
    int max_probes = 200;      ///< sessions of runs
    int max_builds = 60;       ///< of commits
    int max_runs = 1'000'000;  ///< processes, over all probes
    /// What looking for further changes may cost, of what it took to verify the first culprit; as
    /// much again for each that is found where the ends differ by more. 0: none is looked for.
    double further = 1;
};

/// What things take, in units of one run (one process of one series).
struct Costs {
    double build = 10;
    double change = 0.1;  ///< to another product on a worker
};

/// The machines of one group that could make a probe now.
struct GroupMachines {
    std::vector<std::string> there;  ///< names; they may be busy
    int to_come = 0;                 ///< others that can be had on demand
};

/// Commits 0..suspects in first-parent order: 0 is the good build, `suspects` the bad one.
struct Problem {
    int suspects = 0;  ///< >= 1
    std::vector<SeriesSpec> series;
    std::vector<double> weights;  ///< [suspects] prior of commits 1..; empty: uniform
    Budget budget;
    Costs costs;
    int workers = 1;  ///< probes that can run at once, over all groups
    /// An early answer is worth builds that may turn out to be unneeded: workers that would be idle
    /// make them.
    bool hurries = false;
    int at_once = 1;  ///< runs of a probe that are alive at once, and meet the same moments
    /// By group. With a second machine, a change must show there too before it is named. Empty: it
    /// is not known who measures.
    std::vector<GroupMachines> machines;
    /// [suspects + 1] what people call the commits, as a short hash; empty: by their numbers.
    std::vector<std::string> names;

    std::string name(int commit) const {
        return names.empty() ? std::to_string(commit) : names[static_cast<std::size_t>(commit)];
    }
};

enum class ProbePurpose { search, verify };

/// An ordered session on one worker of one group: each position is one fresh process per series.
struct ProbeRequest {
    int group = 0;
    ProbePurpose purpose = ProbePurpose::search;
    std::vector<int> commits;  ///< e.g. {0, 35, 35, 0}: control, suspect, suspect, control
    std::vector<int> series;   ///< indices of the series to measure
    std::string why;           ///< one line, for a person
    /// A machine that must not make it. If no other one comes, it is ended without runs. Empty: any
    /// may.
    std::string not_on = {};
};

/// What came of one process of a probe, or of an A/B run made before the search.
struct Observation {
    int probe = -1;  ///< number of the probe; -1 - k: the k-th A/B session of confirmation
    ProbePurpose purpose = ProbePurpose::search;
    int commit = 0;
    int series = 0;
    double value = 0;  ///< median of the process, metric's unit, >= 0
    int group = -1;    ///< runs of a probe with the same number were at once; -1: alone
    double busy = 0;   ///< of a wall time: the processor time by it; 0: not known
};

/// A commit that gave no value: its build failed (`builds` times), or its run did (crash, oom).
struct Failure {
    int commit = 0;
    int times = 1;
    bool built =
        false;  ///< false: the build failed; true: the build is there, the run gave no value
};

struct Facts {
    std::vector<Observation> observations;  ///< finished probes only, in order of their numbers
    std::vector<Failure> failures;
    std::vector<int> open_probes;     ///< numbers of the probes still running
    std::vector<ProbeRequest> asked;  ///< every probe asked for so far; index is its number
    /// By probe, which machine made it; empty, or none at the end: not known.
    std::vector<std::string> machines;
    std::vector<int> built;  ///< commits whose product exists, ascending
    /// [suspects + 1] equal numbers: equal products (their commits cannot differ); -1: not known.
    std::vector<int> product;
};

enum class Ending {
    culprit,         ///< one commit, verified against the newest measurable commit before it
    range,           ///< narrowed, and why it goes no further
    not_reproduced,  ///< measured again, the bad end is not worse (sought: better) than the good
};

/// A change between the ends that surely is there, and was not found.
struct Remaining {
    int first = 0;  ///< commits that most likely hold it, inclusive
    int last = 0;
    double change_ratio = 0;  ///< the rest of what the ends differ by
    double probability = 0;   ///< that one change there is of a size worth telling; 0: unlikely
};

/// What the verified changes of a series explain of the change between its ends.
struct Explained {
    double whole_ratio = 0;  ///< the bad end over the good one, less 1, by all their runs
    double share = 0;        ///< of its log; above 1: what else there is is for the better
    double rest_ratio = 0;   ///< what the ends differ by without the verified changes
    double rest_low = 0;     ///< 90 % interval of rest_ratio; both 0: not known
    double rest_high = 0;

    bool enough() const;    ///< about four fifths of it
    bool has_rest() const;  ///< its interval excludes 0: of any other rest nothing is said
};
/// @param error  standard error of ln(1 + rest_ratio)
Explained explain(double whole_ratio, std::span<const double> change_ratios, double error);

struct SeriesEnding {
    int series = 0;
    Ending ending = Ending::range;
    int first = 0;  ///< culprit: first == last; range: inclusive; in commits 1..suspects
    int last = 0;
    int parent = 0;          ///< culprit: the commit it was verified against
    double probability = 0;  ///< of the culprit, or of the whole range
    double unchanged = 0;    ///< P(no change above half the threshold)
    /// A verified change for the worse that is large enough to be told by itself: by all runs
    /// nearly the threshold, or by verification's own above it.
    bool stands_alone = false;
    /// From verification's own runs: of a culprit, and of a range as narrow as what can be built.
    Comparison verified;
    std::string reason;                       ///< one line: why this, why no further
    std::optional<Remaining> remaining = {};  ///< of the series, beside its verified changes
    std::optional<Explained> explained = {};  ///< of a culprit: by it and the further ones
    /// Of a verified change: those on which it shows by their own runs alone. Empty: not known.
    std::vector<std::string> machines = {};
};

/// Either probes to make (maybe none while some are open), or endings for every series.
struct Decision {
    bool done = false;
    std::vector<ProbeRequest> probes;
    std::vector<SeriesEnding> endings;  ///< when done, one for each series, in order
    /// When done: the other changes verified on the way, of either direction; a series may have
    /// several, each with its own culprit or range.
    std::vector<SeriesEnding> further;
    /// Before it is done: what is verified by now, of each series the largest first. Only further
    /// changes are looked for then.
    std::vector<SeriesEnding> verified = {};
    std::vector<std::vector<double>> posterior;  ///< [series][suspects]: P(change at commit i+1)
    std::string summary;                         ///< one line: where the search stands
};

/// What a set of commits holds that is told where no single one is.
inline constexpr double credible_share = 0.95;

/// The fewest commits that hold the change of one series with probability `share`, ascending.
/// @param posterior  [suspects] as in Decision
std::vector<int> credible_set(std::span<const double> posterior, double share = credible_share);

/// @throws Error{invalid_argument} when the problem is inconsistent (no series, bad indices)
Decision next(const Problem& problem, const Facts& facts);

}  // namespace vigil::search
