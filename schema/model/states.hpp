#pragma once

#include "schema/model/enum_names.hpp"

// The states and verdicts that docs/architecture.md draws and docs/glossary.md explains, and their
// spelling in the ledger.

namespace vigil {

enum class Purpose { nightly, confirm, probe, verify, request };
enum class JobState { queued, leased, done, failed, cancelled, parked };
enum class Outcome { passed, failed, wrong, oom, timeout, unsupported };
enum class NightlyState { measuring, confirming, searching, done, failed };
enum class SuspicionState { open, confirming, ended };
enum class Verdict {
    regression,   ///< surely a real change, more likely above the threshold than not
    drift,        ///< real, not above the threshold
    noise,        ///< not reproduced
    watch,        ///< undecided at the cap, goes on tomorrow
    environment,  ///< the old build moved too
    broken,       ///< no longer runs, runs out of memory, wrong answer
    leak,         ///< memory grows with every iteration
    improvement,
    fixed,
    unconfirmed,  ///< measured elsewhere: cannot be measured again here
};
enum class RegressionState {
    searching,
    attributed,
    range,
    reported,
    acknowledged,
    accepted,
    refuted,
    closed,
};

/// Whether a regression in this state still asks somebody for something.
constexpr bool is_open(RegressionState state) {
    using enum RegressionState;
    return state == searching || state == attributed || state == range || state == reported ||
           state == acknowledged;
}

/// How a regression was closed.
enum class RegressionEnd {
    recovered,       ///< every series is back
    not_reproduced,  ///< its search measured both ends again, and they do not differ
    joined,          ///< another regression of the same cause has its series
};

enum class FixState {
    listing,  ///< the git lane is asked for the commits
    listed,   ///< they are here
    told      ///< what they say of it is decided
};
/// Of the question why a verified culprit is slower.
enum class WhyState {
    listing,    ///< the git lane is asked for the files that the culprit changes
    waiting,    ///< for a worker, and the day's budget
    profiling,  ///< its job goes on
    done
};
enum class BackfillState { listing, measuring, looking, done, cancelled, failed };
enum class BisectionState { listing, searching, verifying, done, failed };
enum class RequestKind { run, comparison, bisection };
enum class RequestState {
    naming,     ///< the project's source is asked what a name means
    measuring,  ///< its sessions go on
    searching,  ///< among the commits between its ends
    done,
    failed,
    cancelled,
};

constexpr bool is_over(RequestState state) {
    using enum RequestState;
    return state == done || state == failed || state == cancelled;
}

/// A regression that a person tells of, because it was not found.
enum class MissedState {
    measuring,      ///< its request goes on
    confirmed,      ///< measured again it is there, and is a regression now
    not_confirmed,  ///< measured again it is not there
    undecided,      ///< the request could not tell
    taken_back,
};

/// A commit of a pull request.
enum class PullState {
    held,       ///< it is a fork's, and nobody has said that it may be built
    listing,    ///< the git lane is asked where it left its branch
    measuring,  ///< its request goes on
    done,
    failed,
    stopped,  ///< nobody waits for it any more
};

constexpr bool is_over(PullState state) {
    using enum PullState;
    return state == done || state == failed || state == stopped;
}

enum class Scope { read, ingest, trigger, worker, triage, admin };
enum class InputKind { source_tree, archive };

}  // namespace vigil
