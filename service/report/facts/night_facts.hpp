#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "schema/model/storm.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"
#include "service/config/links.hpp"
#include "service/report/facts/mending_facts.hpp"
#include "service/report/facts/precision.hpp"

namespace vigil::service {

class Database;

// What the summary of one night says, as plain values.

/// The jobs of one purpose.
struct NightWorkFact {
    std::map<JobState, int> jobs;
    std::int64_t runs = 0;
    std::int64_t machine_s = 0;  ///< time workers spent on them, lost attempts too
};

/// Whether a regression in this state still asks somebody for something.
bool is_open(RegressionState state);

/// A regression that is open, or changed that night.
struct NightRegressionFact {
    RegressionId id;
    RegressionState state = RegressionState::confirmed;
    std::string title;  ///< of its report
    std::optional<Revision> culprit;
    bool tonight = false;                    ///< found by this night
    bool recovered = false;                  ///< its last series came back this night
    std::string found_night;                 ///< its name
    std::string issue = {};                  ///< where the report was filed; empty: no issue
    int back = 0;                            ///< series that came back this night
    int series = 0;                          ///< of how many
    std::vector<MendingFact> mendings = {};  ///< of this night
};

/// What was measured beside the nights of one series.
struct NightValueFact {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    double value = 0;  ///< median over processes, metric's unit
    std::size_t runs = 0;
};

/// A suspicion of the night and what became of it.
struct NightChangeFact {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    std::optional<Verdict> verdict;  ///< nullopt: still being confirmed
    double change_ratio = 0;         ///< confirmed where it was, else the night's
    std::string waits = {};          ///< why it goes on another night; empty: it had its turn
};

/// A change that is certain and not filed, found tonight.
struct NightDriftFact {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    std::string kind;         ///< as in the ledger: history, measured, creep
    std::string since_night;  ///< name of the likeliest first one
    double change_ratio = 0;
    double low = 0;  ///< 90 % interval
    double high = 0;
};

/// Many series of one worker moved in this night.
struct NightStormFact {
    std::string worker;
    StormState state = StormState::checking;
    int series = 0;  ///< of the worker, whose nights can tell
    int suspicious = 0;
    double moved_ratio = 0;
    int rebased = 0;  ///< series that start a new baseline
    std::string message;
};

/// Something that should have happened and did not, one for each cause. The texts may be a
/// stranger's.
struct MissingFact {
    std::string what;  ///< "job 12 (nightly)", "build of 1a2b3c4d5e", "worker w1"
    std::string why;
    bool in_sandbox = false;  ///< what a build or a run said: its paths tell where to look
};

/// Attempts of the night's jobs that a worker did not bring to an end. Their jobs were made again,
/// or parked: then they are missing as well.
struct LostFact {
    std::string worker;
    std::int64_t attempts = 0;
    std::string why;
};

/// Of a nightly that does not build: the search for the commit that broke it. Subject, author, pins
/// and log are a stranger's text.
struct BreakageFact {
    BisectionId bisection;
    BisectionState state = BisectionState::listing;
    std::optional<Revision> culprit;  ///< first commit that breaks the build; its parent is built
    std::string subject;
    std::string author;
    std::string pins;           ///< what it moves of the dependencies, in words
    Revision bad;               ///< of the nightly
    Revision good;              ///< the newest nightly before that was built
    std::string good_night;     ///< its name
    std::int64_t commits = 0;   ///< after it, up to the nightly
    std::int64_t builds = 0;    ///< asked for
    std::string said;           ///< how the search ended, in words
    std::string log_tail;       ///< last lines of the culprit's build
    std::optional<Digest> log;  ///< the whole of it
};

struct NightFacts {
    Links links;
    std::string marker;  ///< last line of the summary, by which it is found again
    NightlyId id;
    std::string project;
    std::string version;
    std::string name;  ///< its day, with a number from the second of a day on
    Revision revision;
    std::string beside;     ///< why it is no night, in words; empty: it is one
    std::string withdrawn;  ///< the whole night: by whom and why, in words; empty: it counts
    NightlyState state = NightlyState::measuring;
    std::string message;  ///< of the nightly: why it failed
    std::int64_t started_at_s = 0;
    std::int64_t ended_at_s = 0;   ///< 0: not ended
    std::string same_revision_as;  ///< version of an earlier nightly; empty: a new revision

    std::map<Purpose, NightWorkFact> work;
    std::map<Outcome, int> outcomes;   ///< of the nightly's own runs
    std::int64_t measured_series = 0;  ///< judged series with a value from the nightly's own runs
    /// Of these, held against an earlier night; nullopt: not judged, or not counted then.
    std::optional<std::int64_t> compared_series;
    std::int64_t first_series = 0;       ///< of the measured: no earlier night has a value
    std::vector<NightValueFact> values;  ///< of what is measured beside the nights
    std::vector<NightChangeFact> changes;
    std::vector<NightRegressionFact> regressions;
    std::vector<NightDriftFact> drifts;
    std::vector<NightStormFact> storms;
    std::vector<MissingFact> missing;
    std::vector<LostFact> lost;
    std::optional<BreakageFact> breakage;
    std::vector<std::string> series_notes;    ///< what came, went, or is measured in another way
    std::optional<PrecisionFacts> last_week;  ///< of the first night of each week
};

/// The newest search for what broke the build of a nightly.
std::optional<BreakageFact> find_breakage(Database& db, NightlyId nightly);

/// Reads a night's facts; works in every state of a night.
/// @throws Error{not_found} when there is no such nightly
NightFacts load_night_facts(Database& db, NightlyId nightly, const Config& config);

}  // namespace vigil::service
