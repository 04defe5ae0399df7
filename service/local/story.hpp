#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bisect/search/search.hpp"
#include "service/local/log_entry.hpp"

namespace vigil::local {

/// What became of one probe so far.
struct ProbeStory {
    search::ProbeRequest request;
    std::vector<std::optional<RunEnded>> runs;  ///< by position
    bool build_failed = false;                  ///< of one of its commits
    bool over = false;                          ///< nothing more will be run of it
};

struct CommitStory {
    int builds_failed = 0;
    bool built = false;
    std::string digest;
    std::string build_message;  ///< of the last failure
    std::vector<double> values;
    int runs_failed = 0;
    std::string run_message;  ///< of the last failure
};

/// A search as its log tells it. Pure: the same lines give the same story.
class Story {
  public:
    /// The story of a search inside of a merge that `outer` has found: it goes on with what is left
    /// of outer's budget.
    static Story inside_of(const Story& outer);

    /// @throws Error{invalid_argument} for lines that cannot follow those before them
    void add(const Entry& entry);

    bool started() const { return started_.has_value(); }
    const Started& start() const { return *started_; }
    const Order& order() const { return started_->order; }
    int last() const { return static_cast<int>(started_->suspects.size()); }
    /// The commit of a position in 0..last(); of commit 0 only the hash is known.
    const Revision& revision(int commit) const;
    const history::Commit& suspect(int commit) const {
        return started_->suspects[static_cast<std::size_t>(commit) - 1];
    }

    /// What a culprit moves of the project's dependencies; nothing when it moves none.
    const history::PinMoves* moves(int commit) const;
    /// Why a search inside of a merge was given up, or the whole stopped; empty while it goes on.
    const std::string& paused() const { return paused_; }

    const std::vector<ProbeStory>& probes() const { return probes_; }
    const CommitStory& commit(int number) const;
    int runs() const { return runs_; }
    int builds() const { return builds_; }
    int builds_failed() const { return builds_failed_; }
    double seconds() const { return seconds_; }  ///< spent in builds and runs
    double build_seconds() const;                ///< median of the builds that were made
    double run_seconds() const;                  ///< median of the runs
    bool out_of_time() const;
    const Spending& spending() const { return spending_; }
    const std::optional<Ended>& ended() const { return ended_; }

    /// What the search is asked; its costs are those seen so far.
    search::Problem problem() const;
    search::Facts facts() const;

  private:
    double expected_ratio() const;
    void add_start(const Started& start);
    void add_asked(const Asked& asked);
    void add_build(const BuildEnded& build);
    void add_run(const RunEnded& run);
    ProbeStory& probe(int number);
    CommitStory& commit_at(int number);

    std::optional<Started> started_;
    std::optional<Ended> ended_;
    std::vector<ProbeStory> probes_;
    std::map<int, CommitStory> commits_;
    std::vector<double> build_times_;
    std::vector<double> run_times_;
    std::map<int, history::PinMoves> moves_;
    std::string paused_;
    Spending spending_;
    int jobs_ = 1;
    int runs_ = 0;
    int builds_ = 0;
    int builds_failed_ = 0;
    double seconds_ = 0;
    double seconds_before_ = 0;  ///< when it was resumed: the time limit counts from there
    int outer_runs_ = 0;         ///< of the searches around this one: they count for the budget
    int outer_builds_ = 0;
};

/// One search as far as it came.
struct Found {
    Story story;
    search::Decision decision;
};

/// @param entries  of one search
/// @throws Error{invalid_argument} naming the log
Story replay_story(const std::vector<Entry>& entries);

}  // namespace vigil::local
