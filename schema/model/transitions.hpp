#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "schema/model/allocation.hpp"
#include "schema/model/canary.hpp"
#include "schema/model/error.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/revert_check.hpp"
#include "schema/model/states.hpp"
#include "schema/model/storm.hpp"

// The state machines, as tables: what may follow what. `docs/architecture.md` draws them, and a
// test holds the drawings against these tables. The stores of the ledger refuse every other change.

namespace vigil {

template <class State>
using Move = std::pair<State, State>;  ///< from, to

template <class State>
struct Moves;

template <>
struct Moves<JobState> {
    static constexpr std::array all{
        Move<JobState>{JobState::queued, JobState::leased},
        Move<JobState>{JobState::leased, JobState::queued},
        Move<JobState>{JobState::leased, JobState::done},
        Move<JobState>{JobState::leased, JobState::parked},
        Move<JobState>{JobState::queued, JobState::failed},
        Move<JobState>{JobState::leased, JobState::failed},
        Move<JobState>{JobState::queued, JobState::cancelled},
        Move<JobState>{JobState::leased, JobState::cancelled}};
};

template <>
struct Moves<NightlyState> {
    static constexpr std::array all{
        Move<NightlyState>{NightlyState::measuring, NightlyState::confirming},
        Move<NightlyState>{NightlyState::measuring, NightlyState::done},
        Move<NightlyState>{NightlyState::measuring, NightlyState::failed},
        Move<NightlyState>{NightlyState::confirming, NightlyState::searching},
        Move<NightlyState>{NightlyState::confirming, NightlyState::failed},
        Move<NightlyState>{NightlyState::searching, NightlyState::done},
        Move<NightlyState>{NightlyState::searching, NightlyState::confirming},
        Move<NightlyState>{NightlyState::searching, NightlyState::failed},
        Move<NightlyState>{NightlyState::done, NightlyState::confirming},
        Move<NightlyState>{NightlyState::done, NightlyState::failed}};
};

template <>
struct Moves<SuspicionState> {
    static constexpr std::array all{
        Move<SuspicionState>{SuspicionState::open, SuspicionState::confirming},
        Move<SuspicionState>{SuspicionState::open, SuspicionState::ended},
        Move<SuspicionState>{SuspicionState::confirming, SuspicionState::ended}};
};

template <>
struct Moves<BisectionState> {
    static constexpr std::array all{
        Move<BisectionState>{BisectionState::listing, BisectionState::searching},
        Move<BisectionState>{BisectionState::listing, BisectionState::failed},
        Move<BisectionState>{BisectionState::searching, BisectionState::verifying},
        Move<BisectionState>{BisectionState::verifying, BisectionState::searching},
        Move<BisectionState>{BisectionState::searching, BisectionState::done},
        Move<BisectionState>{BisectionState::verifying, BisectionState::done},
        Move<BisectionState>{BisectionState::searching, BisectionState::failed},
        Move<BisectionState>{BisectionState::verifying, BisectionState::failed}};
};

template <>
struct Moves<BackfillState> {
    static constexpr std::array all{
        Move<BackfillState>{BackfillState::listing, BackfillState::measuring},
        Move<BackfillState>{BackfillState::listing, BackfillState::done},
        Move<BackfillState>{BackfillState::listing, BackfillState::cancelled},
        Move<BackfillState>{BackfillState::listing, BackfillState::failed},
        Move<BackfillState>{BackfillState::measuring, BackfillState::looking},
        Move<BackfillState>{BackfillState::looking, BackfillState::done},
        Move<BackfillState>{BackfillState::looking, BackfillState::cancelled}};
};

template <>
struct Moves<RequestState> {
    using S = RequestState;
    static constexpr std::array all{
        Move<S>{S::naming, S::measuring},
        Move<S>{S::naming, S::failed},
        Move<S>{S::naming, S::cancelled},
        Move<S>{S::measuring, S::searching},
        Move<S>{S::measuring, S::done},
        Move<S>{S::measuring, S::failed},
        Move<S>{S::measuring, S::cancelled},
        Move<S>{S::searching, S::done},
        Move<S>{S::searching, S::failed},
        Move<S>{S::searching, S::cancelled}};
};

template <>
struct Moves<MissedState> {
    using S = MissedState;
    static constexpr std::array all{
        Move<S>{S::measuring, S::confirmed},
        Move<S>{S::measuring, S::not_confirmed},
        Move<S>{S::measuring, S::undecided},
        Move<S>{S::measuring, S::taken_back},
        Move<S>{S::not_confirmed, S::taken_back},
        Move<S>{S::undecided, S::taken_back}};
};

template <>
struct Moves<PullState> {
    using S = PullState;
    static constexpr std::array all{
        Move<S>{S::held, S::listing},
        Move<S>{S::held, S::stopped},
        Move<S>{S::listing, S::measuring},
        Move<S>{S::listing, S::failed},
        Move<S>{S::listing, S::stopped},
        Move<S>{S::measuring, S::done},
        Move<S>{S::measuring, S::failed},
        Move<S>{S::measuring, S::stopped},
        Move<S>{S::done, S::listing},
        Move<S>{S::failed, S::listing},
        Move<S>{S::stopped, S::listing},
        Move<S>{S::stopped, S::held}};
};

template <>
struct Moves<RegressionState> {
    using S = RegressionState;
    static constexpr std::array all{
        Move<S>{S::searching, S::searching},
        Move<S>{S::searching, S::attributed},
        Move<S>{S::searching, S::range},
        Move<S>{S::searching, S::closed},
        Move<S>{S::attributed, S::reported},
        Move<S>{S::attributed, S::closed},
        Move<S>{S::range, S::reported},
        Move<S>{S::range, S::closed},
        Move<S>{S::reported, S::acknowledged},
        Move<S>{S::reported, S::accepted},
        Move<S>{S::reported, S::refuted},
        Move<S>{S::reported, S::closed},
        Move<S>{S::acknowledged, S::accepted},
        Move<S>{S::acknowledged, S::refuted},
        Move<S>{S::acknowledged, S::closed},
        Move<S>{S::accepted, S::reported},
        Move<S>{S::refuted, S::reported},
        Move<S>{S::closed, S::reported}};
};

template <>
struct Moves<WhyState> {
    static constexpr std::array all{
        Move<WhyState>{WhyState::listing, WhyState::waiting},
        Move<WhyState>{WhyState::waiting, WhyState::profiling},
        Move<WhyState>{WhyState::waiting, WhyState::done},
        Move<WhyState>{WhyState::profiling, WhyState::waiting},
        Move<WhyState>{WhyState::profiling, WhyState::done},
        Move<WhyState>{WhyState::done, WhyState::listing}};
};

template <>
struct Moves<RevertState> {
    using S = RevertState;
    static constexpr std::array all{
        Move<S>{S::waiting, S::applying},
        Move<S>{S::waiting, S::done},
        Move<S>{S::applying, S::measuring},
        Move<S>{S::applying, S::comparing},
        Move<S>{S::applying, S::done},
        Move<S>{S::measuring, S::comparing},
        Move<S>{S::measuring, S::done},
        Move<S>{S::comparing, S::done},
        Move<S>{S::done, S::waiting}};
};

template <>
struct Moves<FixState> {
    static constexpr std::array all{
        Move<FixState>{FixState::listing, FixState::listed},
        Move<FixState>{FixState::listed, FixState::told},
        Move<FixState>{FixState::told, FixState::told},
        Move<FixState>{FixState::told, FixState::listing}};
};

template <>
struct Moves<CanaryState> {
    using S = CanaryState;
    static constexpr std::array all{
        Move<S>{S::measuring, S::again},
        Move<S>{S::measuring, S::learning},
        Move<S>{S::measuring, S::steady},
        Move<S>{S::measuring, S::missing},
        Move<S>{S::again, S::learning},
        Move<S>{S::again, S::steady},
        Move<S>{S::again, S::moved},
        Move<S>{S::again, S::missing}};
};

template <>
struct Moves<StormState> {
    static constexpr std::array all{
        Move<StormState>{StormState::checking, StormState::environment},
        Move<StormState>{StormState::checking, StormState::code},
        Move<StormState>{StormState::checking, StormState::mixed},
        Move<StormState>{StormState::checking, StormState::given_up}};
};

template <>
struct Moves<AllocationState> {
    using S = AllocationState;
    static constexpr std::array all{
        Move<S>{S::planned, S::pending},
        Move<S>{S::planned, S::running},
        Move<S>{S::planned, S::leaving},
        Move<S>{S::planned, S::ended},
        Move<S>{S::pending, S::running},
        Move<S>{S::pending, S::leaving},
        Move<S>{S::pending, S::ended},
        Move<S>{S::running, S::pending},
        Move<S>{S::running, S::leaving},
        Move<S>{S::running, S::ended},
        Move<S>{S::leaving, S::pending},
        Move<S>{S::leaving, S::running},
        Move<S>{S::leaving, S::ended}};
};

/// Whether the state machine has this arrow.
template <class State>
constexpr bool may_move(State from, State to) {
    const auto& all = Moves<State>::all;
    return std::find(all.begin(), all.end(), Move<State>{from, to}) != all.end();
}

/// @param what  in words for the error: "job"
/// @throws Error{conflict} when it has not
template <class Tag, class State>
void check_move(std::string_view what, Id<Tag> id, State from, State to) {
    if (may_move(from, to)) return;
    throw Error(
        Errc::conflict,
        std::string(what) + " " + to_string(id) + " is " + std::string(to_string(from)) +
            "; it cannot become " + std::string(to_string(to)));
}

}  // namespace vigil
