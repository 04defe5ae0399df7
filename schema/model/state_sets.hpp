#pragma once

#include <string_view>

#include "schema/model/canary.hpp"
#include "schema/model/states.hpp"

// Sets of states, verdicts and purposes that several places ask for, each written once: SQL renders
// them (service/store/named_states.hpp), commands and pages ask them about a word of the HTTP
// interface. `is_open(RegressionState)`, `is_over(RequestState)` and `is_over(PullState)` stand
// beside their enums.

namespace vigil {

/// A worker has it, or will.
constexpr bool is_open(JobState state) {
    return state == JobState::queued || state == JobState::leased;
}

constexpr bool is_over(JobState state) {
    return !is_open(state);
}

/// It ended without its runs.
constexpr bool is_undone(JobState state) {
    return is_over(state) && state != JobState::done;
}

/// A worker has it, or will, now or when a person says so.
constexpr bool is_in_queue(JobState state) {
    return is_open(state) || state == JobState::parked;
}

/// The program did not do what it should.
constexpr bool is_failure(Outcome outcome) {
    return outcome != Outcome::passed && outcome != Outcome::unsupported;
}

constexpr bool is_over(NightlyState state) {
    return state == NightlyState::done || state == NightlyState::failed;
}

constexpr bool is_open(NightlyState state) {
    return !is_over(state);
}

/// Its own runs ended, and it is judged.
constexpr bool is_judged(NightlyState state) {
    return state != NightlyState::measuring && state != NightlyState::failed;
}

constexpr bool is_open(SuspicionState state) {
    return state != SuspicionState::ended;
}

constexpr bool is_over(BisectionState state) {
    return state == BisectionState::done || state == BisectionState::failed;
}

constexpr bool is_open(BisectionState state) {
    return !is_over(state);
}

constexpr bool is_open(BackfillState state) {
    using enum BackfillState;
    return state == listing || state == measuring || state == looking;
}

constexpr bool is_open(RequestState state) {
    return !is_over(state);
}

/// Its search has an end, which no report tells yet.
constexpr bool is_unreported(RegressionState state) {
    return state == RegressionState::attributed || state == RegressionState::range;
}

/// A report tells of it, and nobody closed it.
constexpr bool is_reported(RegressionState state) {
    return state == RegressionState::reported || state == RegressionState::acknowledged;
}

/// Whoever told of it may take it back.
constexpr bool may_take_back(MissedState state) {
    return state != MissedState::confirmed && state != MissedState::taken_back;
}

/// Neither held nor ended.
constexpr bool is_under_way(PullState state) {
    return state == PullState::listing || state == PullState::measuring;
}

/// Its worker measures it.
constexpr bool is_open(CanaryState state) {
    return state == CanaryState::measuring || state == CanaryState::again;
}

/// Its value is taken as its worker's usual one.
constexpr bool is_usual(CanaryState state) {
    return state == CanaryState::learning || state == CanaryState::steady;
}

/// Measured again it is there, and a regression is opened for it.
constexpr bool opens_regression(Verdict verdict) {
    return verdict == Verdict::regression || verdict == Verdict::broken;
}

/// For the worse, and above the threshold.
constexpr bool is_worse(Verdict verdict) {
    return opens_regression(verdict) || verdict == Verdict::leak;
}

constexpr bool is_better(Verdict verdict) {
    return verdict == Verdict::improvement || verdict == Verdict::fixed;
}

/// The series has another level than before.
constexpr bool moves_level(Verdict verdict) {
    return is_worse(verdict) || is_better(verdict);
}

/// Runs were spent, and nothing was found.
constexpr bool finds_nothing(Verdict verdict) {
    return verdict == Verdict::noise || verdict == Verdict::watch;
}

/// The build did not change the series: it was noise, or the machine moved.
constexpr bool is_refuted(Verdict verdict) {
    return verdict == Verdict::noise || verdict == Verdict::environment;
}

/// Values that are surely worse, by however little.
constexpr bool is_surely_worse(Verdict verdict) {
    return verdict == Verdict::regression || verdict == Verdict::drift;
}

/// It is a verdict on values, and not on how runs ended.
constexpr bool is_on_values(Verdict verdict) {
    return verdict != Verdict::broken && verdict != Verdict::leak;
}

/// Its jobs are probes of a search.
constexpr bool is_of_search(Purpose purpose) {
    return purpose == Purpose::probe || purpose == Purpose::verify;
}

/// Its jobs judge series.
constexpr bool is_of_judgement(Purpose purpose) {
    return !is_of_search(purpose);
}

/// Whether `word` names a state of the set: `is_one<NightlyState>("done", is_over)`.
template <NamedEnum State>
constexpr bool is_one(std::string_view word, bool (*is_in_set)(State)) {
    const auto state = find_enum<State>(word);
    return state && is_in_set(*state);
}

}  // namespace vigil
