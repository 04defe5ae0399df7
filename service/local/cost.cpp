#include "service/local/cost.hpp"

#include <fmt/format.h>

#include "schema/text/numbers.hpp"

namespace vigil::local {

namespace {

int runs_failed(const Story& story) {
    int failed = 0;
    for (int commit = 0; commit <= story.last(); ++commit) {
        failed += story.commit(commit).runs_failed;
    }
    return failed;
}

}  // namespace

Cost cost_of(const Story& story, std::span<const Found> inside) {
    Cost cost;
    const auto take = [&](const Story& one) {
        cost.runs += one.runs();
        cost.runs_failed += runs_failed(one);
        cost.builds += one.builds();
        cost.builds_failed += one.builds_failed();
        cost.seconds += one.seconds();
        cost.handling_seconds += one.handling_seconds();
    };
    take(story);
    for (const Found& one : inside) take(one.story);
    return cost;
}

std::string cost_text(const Cost& cost) {
    const std::string failed =
        cost.builds_failed > 0 ? fmt::format(" ({} failed)", cost.builds_failed) : "";
    std::string text = fmt::format(
        "{} runs, {} builds{}, {} of building and measuring",
        cost.runs,
        cost.builds,
        failed,
        text::short_duration(cost.seconds - cost.handling_seconds));
    if (cost.handling_seconds >= 1) {
        text += fmt::format(
            ", {} of checking out and keeping", text::short_duration(cost.handling_seconds));
    }
    return text;
}

}  // namespace vigil::local
