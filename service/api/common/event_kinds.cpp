#include "service/api/common/event_kinds.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "schema/model/states.hpp"
#include "schema/model/storm.hpp"

namespace vigil::service {

namespace {

constexpr std::string_view named[] = {
    "bisection.breakage",
    "bisection.done",
    "bisection.inside",
    "bisection.planner",
    "bisection.probe",
    "bisection.searching",
    "build.failed",
    "build.no_input",
    "canary.class_moved",
    "canary.moved",
    "class.no_workers",
    "config.refused",
    "content.unknown",
    "delivery.acted",
    "delivery.conflict",
    "delivery.ignored",
    "delivery.replayed",
    "drift.found",
    "job.cancelled",
    "job.done",
    "job.foreign_result",
    "job.leased",
    "job.lost",
    "job.parked",
    "job.queued",
    "job.released",
    "job.stale_result",
    "job.unreadable",
    "night.late",
    "night.missing",
    "night.summary",
    "nightly.again",
    "nightly.new",
    "nightly.none",
    "nightly.part_failed",
    "nightly.restored",
    "nightly.same",
    "nightly.set_aside",
    "nightly.unbuildable",
    "nightly.withdrawn",
    "product.differs",
    "regression.joined",
    "regression.mended",
    "regression.partly_recovered",
    "report.given_up",
    "report.retried",
    "report.sent",
    "report.stored",
    "report.undelivered",
    "repository.unreachable",
    "schedule.failed",
    "series.not_judged",
    "series.set_aside",
    "source.failed",
    "source.waiting",
    "storm.found",
    "suspicion.lapsed",
    "suspicion.opened",
    "suspicion.waits",
    "tick.failed",
    "token.created",
    "token.revoked",
    "trigger.joined",
    "trigger.requested",
    "trouble.ended",
    "worker.quarantined",
    "worker.ready",
    "worker.released"};

template <NamedEnum Enum>
void add_states(std::vector<std::string>& kinds, std::string_view thing) {
    for (const auto& [value, name] : enum_names<Enum>) {
        kinds.push_back(std::string(thing) + "." + std::string(name));
    }
}

}  // namespace

std::vector<std::string> event_kinds() {
    std::vector<std::string> kinds(std::begin(named), std::end(named));
    add_states<NightlyState>(kinds, "nightly");
    add_states<RegressionState>(kinds, "regression");
    add_states<StormState>(kinds, "storm");
    add_states<Verdict>(kinds, "suspicion");
    std::sort(kinds.begin(), kinds.end());
    return kinds;
}

}  // namespace vigil::service
