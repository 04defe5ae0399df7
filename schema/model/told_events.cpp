#include "schema/model/told_events.hpp"

#include <algorithm>
#include <iterator>

namespace vigil {

bool is_reported(std::string_view event_kind) {
    constexpr std::string_view beginnings[]{
        "nightly.",
        "night.",
        "regression.",
        "missed.",
        "suspicion.",
        "report.",
        "delivery.",
        "trigger.",
        "schedule.",
        "build.",
        "storm.",
        "canary.",
        "pull.",
        "notice.given_up",
        "command.given_up",
        "worker.",
        "case.",
        "series.set_aside",
        "job.parked",
        "job.unreadable",
        "bisection.breakage",
        "bisection.mending",
        "bisection.verified",
        "bisection.done"};
    constexpr std::string_view silent[]{
        "suspicion.opened",
        "report.stored",
        "nightly.part_failed"};  // its error's line stands already
    if (std::ranges::find(silent, event_kind) != std::end(silent)) return false;
    return std::ranges::any_of(
        beginnings, [&](std::string_view beginning) { return event_kind.starts_with(beginning); });
}

}  // namespace vigil
