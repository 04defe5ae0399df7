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
    regression,     ///< surely a real change, more likely above the threshold than not
    drift,          ///< real, not above the threshold
    noise,          ///< not reproduced
    watch,          ///< undecided at the cap, goes on tomorrow
    environment,    ///< the old build moved too
    broken,         ///< no longer runs, runs out of memory, wrong answer
    leak,           ///< memory grows with every iteration
    improvement,
    fixed,
};
enum class RegressionState {
    confirmed,
    searching,
    attributed,
    range,
    not_reproduced,
    reported,
    acknowledged,
    accepted,
    refuted,
    recovered,
    closed,
};
enum class BisectionState { listing, searching, verifying, done, failed };
enum class Scope { read, write, worker, admin };
enum class InputKind { source_tree, archive };

#define VIGIL_NAME(Enum, value)               \
    std::pair {                               \
        Enum::value, std::string_view(#value) \
    }

template <>
struct EnumNames<Purpose> {
    static constexpr std::string_view noun = "purpose";
    static constexpr std::array names{
        VIGIL_NAME(Purpose, nightly),
        VIGIL_NAME(Purpose, confirm),
        VIGIL_NAME(Purpose, probe),
        VIGIL_NAME(Purpose, verify),
        VIGIL_NAME(Purpose, request)};
};

template <>
struct EnumNames<JobState> {
    static constexpr std::string_view noun = "job state";
    static constexpr std::array names{
        VIGIL_NAME(JobState, queued),
        VIGIL_NAME(JobState, leased),
        VIGIL_NAME(JobState, done),
        VIGIL_NAME(JobState, failed),
        VIGIL_NAME(JobState, cancelled),
        VIGIL_NAME(JobState, parked)};
};

template <>
struct EnumNames<Outcome> {
    static constexpr std::string_view noun = "outcome";
    static constexpr std::array names{
        VIGIL_NAME(Outcome, passed),
        VIGIL_NAME(Outcome, failed),
        VIGIL_NAME(Outcome, wrong),
        VIGIL_NAME(Outcome, oom),
        VIGIL_NAME(Outcome, timeout),
        VIGIL_NAME(Outcome, unsupported)};
};

template <>
struct EnumNames<NightlyState> {
    static constexpr std::string_view noun = "nightly state";
    static constexpr std::array names{
        VIGIL_NAME(NightlyState, measuring),
        VIGIL_NAME(NightlyState, confirming),
        VIGIL_NAME(NightlyState, searching),
        VIGIL_NAME(NightlyState, done),
        VIGIL_NAME(NightlyState, failed)};
};

template <>
struct EnumNames<SuspicionState> {
    static constexpr std::string_view noun = "suspicion state";
    static constexpr std::array names{
        VIGIL_NAME(SuspicionState, open),
        VIGIL_NAME(SuspicionState, confirming),
        VIGIL_NAME(SuspicionState, ended)};
};

template <>
struct EnumNames<Verdict> {
    static constexpr std::string_view noun = "verdict";
    static constexpr std::array names{
        VIGIL_NAME(Verdict, regression),
        VIGIL_NAME(Verdict, drift),
        VIGIL_NAME(Verdict, noise),
        VIGIL_NAME(Verdict, watch),
        VIGIL_NAME(Verdict, environment),
        VIGIL_NAME(Verdict, broken),
        VIGIL_NAME(Verdict, leak),
        VIGIL_NAME(Verdict, improvement),
        VIGIL_NAME(Verdict, fixed)};
};

template <>
struct EnumNames<RegressionState> {
    static constexpr std::string_view noun = "regression state";
    static constexpr std::array names{
        VIGIL_NAME(RegressionState, confirmed),
        VIGIL_NAME(RegressionState, searching),
        VIGIL_NAME(RegressionState, attributed),
        VIGIL_NAME(RegressionState, range),
        VIGIL_NAME(RegressionState, not_reproduced),
        VIGIL_NAME(RegressionState, reported),
        VIGIL_NAME(RegressionState, acknowledged),
        VIGIL_NAME(RegressionState, accepted),
        VIGIL_NAME(RegressionState, refuted),
        VIGIL_NAME(RegressionState, recovered),
        VIGIL_NAME(RegressionState, closed)};
};

template <>
struct EnumNames<BisectionState> {
    static constexpr std::string_view noun = "bisection state";
    static constexpr std::array names{
        VIGIL_NAME(BisectionState, listing),
        VIGIL_NAME(BisectionState, searching),
        VIGIL_NAME(BisectionState, verifying),
        VIGIL_NAME(BisectionState, done),
        VIGIL_NAME(BisectionState, failed)};
};

template <>
struct EnumNames<Scope> {
    static constexpr std::string_view noun = "scope";
    static constexpr std::array names{
        VIGIL_NAME(Scope, read),
        VIGIL_NAME(Scope, write),
        VIGIL_NAME(Scope, worker),
        VIGIL_NAME(Scope, admin)};
};

template <>
struct EnumNames<InputKind> {
    static constexpr std::string_view noun = "input kind";
    static constexpr std::array names{
        VIGIL_NAME(InputKind, source_tree), VIGIL_NAME(InputKind, archive)};
};

#undef VIGIL_NAME

}  // namespace vigil
