#include "service/api/common/event_kinds.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "schema/model/allocation.hpp"
#include "schema/model/states.hpp"
#include "schema/model/storm.hpp"

namespace vigil::service {

namespace {

struct EventWords {
    std::string_view thing;
    std::string_view ends;
};

constexpr EventWords named[] = {
    {"bisection", "breakage done inside mending planner probe searching"},
    {"backfill", "asked night skipped"},
    {"budget", "spent"},
    {"build", "failed no_input"},
    {"callback", "failed"},
    {"canary", "class_moved moved"},
    {"case", "not_printed"},
    {"class", "changed no_workers"},
    {"config", "refused"},
    {"content", "unknown"},
    {"command", "answered given_up refused"},
    {"culprit", "no_pull pull"},
    {"delivery", "acted conflict ignored replayed"},
    {"disk", "full"},
    {"drift", "found"},
    {"fleet", "blocked unreachable"},
    {"job",
     "cancelled done foreign_result leased lost parked queued released retried stale_result "
     "unreadable"},
    {"mute", "begun ended"},
    {"night", "late many_causes missing summary"},
    {"nightly",
     "again import_undone new none part_failed restored same set_aside unbuildable withdrawn"},
    {"notice", "given_up retried sent twin_ended undelivered"},
    {"object_store", "failed"},
    {"product", "differs"},
    {"regression", "assigned confirmed level mended partly_recovered revert still_worse why"},
    {"report", "given_up held retried sent stored undelivered"},
    {"repository", "unreachable"},
    {"run", "leaks"},
    {"schedule", "failed"},
    {"self_test", "missed"},
    {"series", "no_direction not_judged set_aside"},
    {"source", "failed incomplete waiting"},
    {"storm", "found"},
    {"submodule", "missing"},
    {"suspicion", "lapsed opened waits"},
    {"tick", "failed"},
    {"token", "created revoked"},
    {"trigger", "joined requested"},
    {"trouble", "ended"},
    {"worker", "quarantined ready released"}};

template <NamedEnum Enum>
void add_states(std::vector<std::string>& kinds, std::string_view thing) {
    for (const auto& [value, name] : enum_names<Enum>) {
        kinds.push_back(std::string(thing) + "." + std::string(name));
    }
}

}  // namespace

std::vector<std::string> event_kinds() {
    std::vector<std::string> kinds;
    for (const auto& [thing, ends] : named) {
        std::istringstream words{std::string(ends)};
        for (std::string end; words >> end;) kinds.push_back(std::string(thing) + "." + end);
    }
    add_states<AllocationState>(kinds, "allocation");
    add_states<BackfillState>(kinds, "backfill");
    add_states<MissedState>(kinds, "missed");
    add_states<NightlyState>(kinds, "nightly");
    add_states<PullState>(kinds, "pull");
    add_states<RegressionState>(kinds, "regression");
    add_states<RegressionEnd>(kinds, "regression");
    add_states<RequestState>(kinds, "request");
    add_states<StormState>(kinds, "storm");
    add_states<Verdict>(kinds, "suspicion");
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    return kinds;
}

}  // namespace vigil::service
