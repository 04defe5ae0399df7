#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bisect/search/search.hpp"

// What drives a search. Whoever builds and measures tells what happened, and hears what to do next:
// `vigil bisect run` tells the lines of its log, `vigil bisect plan` what another program says.
// What was told is the whole state: the same events give the same decision, live, after a restart
// or replayed, in whichever order the results of different probes came.

namespace vigil::search {

/// A probe was asked for. Its number is how many were before it.
struct Planned {
    ProbeRequest request;
};

/// The product of a commit is there: it was built now, or found.
struct Built {
    int commit = 0;
    std::string product = {};  ///< equal texts are equal products; empty: not known
    /// The open probe that it was built for: it goes on, should a failure have ended it.
    std::optional<int> probe = {};
};

struct BuildFailed {
    int commit = 0;
    int times = 1;
    /// The open probe that it was built for: it is over, and with it all that wait for the commit.
    std::optional<int> probe = {};
    std::string why = {};  ///< one line, for a person
};

/// A run gave a value. Runs of one probe count in the order of their positions.
struct Ran {
    int probe = 0;  ///< -1 - k: the k-th A/B session of confirmation
    int position = 0;
    int commit = 0;
    int series = 0;
    double value = 0;  ///< median of the process, metric's unit, >= 0
    int group = -1;    ///< runs of a probe with the same number were at once; -1: alone
    double busy = 0;   ///< of a wall time: the processor time by it; 0: not known
};

enum class Loss {
    failed,  ///< a crash, for one: the commit may not be fit to run
    lost     ///< for no reason that is known; only many of them say something of the commit
};

/// A run gave no value.
struct RunFailed {
    int probe = 0;
    int position = 0;
    int commit = 0;
    Loss loss = Loss::failed;
    std::string why = {};  ///< one line, for a person
};

/// Nothing more comes of a probe, says whoever made it. It is over by itself when each of its
/// commits has run as often as asked, or one of them failed twice and gave no value.
struct ProbeEnded {
    int probe = 0;
    bool without_runs = false;  ///< its worker was lost, for one
    std::string machine = {};   ///< that made it; empty: not known
};

using Event = std::variant<Planned, Built, BuildFailed, Ran, RunFailed, ProbeEnded>;

/// Probes that ended without any run tell nothing; so many mean that the machines, not the search,
/// need a person.
constexpr int most_lost_probes = 8;

/// What came of one run.
struct ProbeRun {
    int position = 0;
    int commit = 0;
    int series = -1;  ///< -1: it gave no value
    double value = 0;
    int group = -1;
    double busy = 0;
    std::string why = {};  ///< it gave none, for a person

    bool gave_value() const { return series >= 0; }
};

/// What became of a probe so far.
struct ProbeState {
    ProbeRequest request;
    std::vector<ProbeRun> runs;  ///< by position
    bool build_failed = false;   ///< of one of its commits
    bool over = false;
    std::string machine = {};  ///< that made it; empty: not known
};

struct CommitState {
    bool built = false;
    std::string product;
    int builds_failed = 0;
    std::string build_failure;   ///< why the last one failed, for a person
    std::vector<double> values;  ///< of all series, as they came
    int runs_failed = 0;
    int runs_lost = 0;
    std::string run_failure;  ///< why the last one gave no value, for a person
};

/// A search of the commits 0 (good) to `suspects` (bad) as far as it was told.
class Driver {
  public:
    Driver() = default;
    /// @param refused  ends that must build and run: whoever searches gives up where one fails, so
    ///                 the search is not told
    explicit Driver(int suspects, std::vector<int> refused = {});

    /// @throws Error{invalid_argument} for what cannot follow what was told before
    void add(const Event& event);

    int suspects() const { return suspects_; }
    const std::vector<ProbeState>& probes() const { return probes_; }
    const ProbeState& probe(int number) const { return probes_[static_cast<std::size_t>(number)]; }
    const CommitState& commit(int number) const;
    int lost_probes() const { return lost_probes_; }

    /// Open probes that cannot tell what they were asked for: none of them has run, all their
    /// products are there, and of each suspect it is that of another commit, which was measured.
    /// Whoever learns the products before the runs ends them (ProbeEnded).
    std::vector<int> needless_probes() const;

    /// What the search may know: of probes that are over, in the order of their numbers.
    Facts facts() const;

    /// @param problem  of so many suspects
    /// @throws Error{invalid_argument} as `next` does
    Decision decide(const Problem& problem) const { return next(problem, facts()); }

  private:
    void take(const Planned& planned);
    void take(const Built& built);
    void take(const BuildFailed& failed);
    void take(const Ran& ran);
    void take(const RunFailed& failed);
    void take(const ProbeEnded& ended);
    ProbeState& probe_at(int number);
    CommitState& commit_at(int number);
    bool is_known_by_product(int number) const;
    void add_run(int number, ProbeRun run);

    int suspects_ = 0;
    std::vector<int> refused_;
    std::vector<ProbeState> probes_;
    std::vector<ProbeState> sessions_;  ///< of confirmation; they come first
    std::map<int, CommitState> commits_;
    int lost_probes_ = 0;
};

}  // namespace vigil::search
