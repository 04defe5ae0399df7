#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bisect/search/driver.hpp"
#include "bisect/search/onward.hpp"
#include "service/local/log_entry.hpp"

namespace vigil::local {

/// A search as its log tells it. Pure: the same lines give the same story.
class Story {
  public:
    /// The story of a search inside of a merge, with what it inherits of the search before it.
    /// @param decision  that search's last one
    static Story inside_of(const Story& before, const search::Decision& decision);

    /// @throws Error{invalid_argument} for lines that cannot follow those before them
    void add(const LogEntry& entry);

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
    /// Whether the commits that a culprit brought can be searched; nothing when it is not known.
    const MergeSeen* merge(int commit) const;
    /// Runs that may be alive together.
    int at_once() const { return interference_ ? interference_->at_once : order().at_once; }
    const std::optional<Interference>& interference() const { return interference_; }
    /// Both ends have runs at once, and none alone to hold them against.
    bool is_interference_open() const;
    /// Of the runs of the ends that were alive together with others.
    EndValues values_together() const;
    /// Of a program that prints many cases: the one that is searched, and what the others do.
    const std::optional<CaseChosen>& chosen() const { return chosen_; }
    /// Why a search inside of a merge was given up, or the whole stopped; empty while it goes on.
    const std::string& paused() const { return paused_; }

    const std::vector<search::ProbeState>& probes() const { return driver_.probes(); }
    /// Whether a run has shown how values are read.
    bool knows_reading() const;
    const search::ProbeState& probe(int number) const { return driver_.probe(number); }
    /// Runs of a probe that are still to be made, those that are made at once together.
    std::vector<std::vector<int>> groups_left(int number) const;
    const search::CommitState& commit(int number) const { return driver_.commit(number); }
    int runs() const { return runs_; }
    int builds() const { return builds_; }
    int builds_failed() const { return builds_failed_; }
    /// Spent in builds, with all that belongs to them, and in runs.
    double seconds() const { return seconds_; }
    /// Of these: checking commits out, and keeping what was built.
    double handling_seconds() const { return handling_seconds_; }
    double build_seconds() const;  ///< median of the builds that were made, with their handling
    double run_seconds() const;    ///< median of the runs
    bool out_of_time() const;
    const Spending& spending() const { return spending_; }
    const std::optional<SearchEnded>& ended() const { return ended_; }

    /// What all searches of the log may spend, without what those before this one did.
    search::Budget budget() const;
    /// What the search is asked; its costs are those seen so far.
    search::Problem problem() const;
    search::Facts facts() const;
    /// What to do next, or what was found.
    search::Decision decide() const { return search::next(problem(), facts()); }

  private:
    static constexpr double usual_build_cost = 10;

    double expected_ratio() const;
    void add_start(const Started& start);
    void add_requested(const ProbeRequested& asked);
    void add_build(const BuildEnded& build);
    void add_run(const RunEnded& run);
    void add_chosen(const CaseChosen& chosen);
    void add_interference(const Interference& interference);

    std::optional<Started> started_;
    std::optional<SearchEnded> ended_;
    search::Driver driver_;
    std::vector<double> build_times_;
    std::vector<double> run_times_;
    std::map<int, history::PinMoves> moves_;
    std::map<int, MergeSeen> merges_;
    std::optional<Interference> interference_;
    std::optional<CaseChosen> chosen_;
    std::string paused_;
    Spending spending_;
    int jobs_ = 1;
    int runs_ = 0;
    int builds_ = 0;
    int builds_failed_ = 0;
    double seconds_ = 0;
    double handling_seconds_ = 0;
    double seconds_before_ = 0;   ///< when it was resumed: the time limit counts from there
    search::Spent spent_before_;  ///< by the searches before this one
    double inherited_ratio_ = 0;  ///< 0: none
    double inherited_build_cost_ = usual_build_cost;
};

/// One search as far as it came.
struct Found {
    Story story;
    search::Decision decision;
};

/// What the searches of one log found: that of the line, and those inside of merges, outer first.
struct SearchAccount : Found {
    std::vector<Found> inside = {};
};
/// @param searches  that of the line first; never empty
SearchAccount account_of(std::vector<Found> searches);

/// @param entries  of one search
/// @throws Error{invalid_argument} naming the log
Story replay_story(const std::vector<LogEntry>& entries);

}  // namespace vigil::local
