#include "service/watch/confirm/night_budget.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "service/store/series/sessions.hpp"
#include "service/watch/series/suspicions.hpp"

namespace vigil::service {

namespace {

detect::Asking asking_of(const OpenSuspicion& suspicion) {
    const bool better =
        suspicion.asked == detect::Asked::better || suspicion.asked == detect::Asked::recovered;
    return {suspicion.chance, suspicion.waited, better};
}

std::string case_of(
    const OpenSuspicion& suspicion, const std::map<SuspicionId, std::string>& alone) {
    const auto found = alone.find(suspicion.id);
    return found == alone.end() ? "" : found->second;
}

}  // namespace

detect::RunBudget load_budget(Database& db, const ProjectConfig& config, NightlyId nightly) {
    detect::RunBudget budget(config.confirm_runs_per_night);
    for (const auto& asked : list_confirm_runs(db, nightly)) {
        asked.goes_on ? budget.count_open(asked.runs) : budget.count_ended(asked.runs);
    }
    return budget;
}

std::vector<OpenSuspicion> in_turn(const std::vector<OpenSuspicion>& open) {
    std::vector<detect::Asking> asking;
    for (const auto& one : open) asking.push_back(asking_of(one));
    std::vector<OpenSuspicion> ordered;
    for (const auto place : detect::rank(asking)) ordered.push_back(open[place]);
    std::stable_partition(
        ordered.begin(), ordered.end(), [](const auto& one) { return one.by_outcome; });
    return ordered;
}

std::vector<SessionSuspicions> choose_sessions(
    const std::vector<OpenSuspicion>& open,
    const std::map<SuspicionId, std::string>& alone,
    detect::RunBudget& budget) {
    // One session measures both.
    const auto are_together = [&](const OpenSuspicion& a, const OpenSuspicion& b) {
        return a.old_nights == b.old_nights && variant_of(a.series) == variant_of(b.series) &&
               case_of(a, alone) == case_of(b, alone);
    };
    std::vector<SessionSuspicions> sessions;
    std::set<SuspicionId> joined;
    for (const auto& first : in_turn(open)) {
        if (joined.contains(first.id)) continue;
        if (first.by_outcome) {
            budget.count_open(0);
        } else if (!budget.begin()) {
            break;
        }
        auto& session = sessions.emplace_back();
        session.case_name = case_of(first, alone);
        for (const auto& one : open) {
            if (!are_together(first, one)) continue;
            session.suspicions.push_back(one);
            joined.insert(one.id);
        }
    }
    return sessions;
}

void let_wait(
    Database& db,
    const std::vector<OpenSuspicion>& open,
    const detect::RunBudget& budget,
    std::int64_t now_s) {
    const auto waiting = in_turn(open);
    for (std::size_t place = 0; place < waiting.size(); ++place) {
        const auto& one = waiting[place];
        const auto why = fmt::format(
            "number {} of {} that wait: {} of the night's {} runs for measuring again went to what "
            "was worth more than {:.3g} (a chance of {:.3g} that it is above the threshold, {} "
            "nights waited before)",
            place + 1,
            waiting.size(),
            budget.taken(),
            budget.limit(),
            detect::worth_of(asking_of(one)),
            one.chance,
            one.waited);
        leave_suspicion(db, one, "waits, " + why, now_s, why);
    }
}

std::string runs_are_spent(const detect::RunBudget& budget) {
    return fmt::format(
        "the night's {} runs for measuring again are spent; it goes on with the next night",
        budget.limit());
}

}  // namespace vigil::service
