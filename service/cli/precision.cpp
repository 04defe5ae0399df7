#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

void print_counts(const Session& session, const json& precision) {
    auto& out = *session.world.out;
    const auto suspicions = object_at(precision, "suspicions");
    out << fmt::format(
        "nights {}, suspicions {} (checks {}): {} confirmed, {} drift, {} not reproduced,\n"
        "{} environment, {} better, {} undecided, {} without their turn, {} open\n",
        number_at(precision, "nights"),
        number_at(suspicions, "opened"),
        number_at(suspicions, "checks"),
        number_at(suspicions, "confirmed"),
        number_at(suspicions, "drift"),
        number_at(suspicions, "not_reproduced"),
        number_at(suspicions, "environment"),
        number_at(suspicions, "improvement"),
        number_at(suspicions, "undecided"),
        number_at(suspicions, "waiting"),
        number_at(suspicions, "open"));
    const auto regressions = object_at(precision, "regressions");
    const std::string upheld =
        is_set(regressions, "upheld_share")
            ? fmt::format(" ({:.0f} % upheld)", 100 * real_at(regressions, "upheld_share"))
            : "";
    out << fmt::format(
        "regressions {}: {} upheld and {} refuted by a person{}, {} not found again by the "
        "search,\n{} recovered without a word\n",
        number_at(regressions, "opened"),
        number_at(regressions, "upheld"),
        number_at(regressions, "refuted"),
        upheld,
        number_at(regressions, "not_found_again"),
        number_at(regressions, "recovered"));
    const auto verdicts = object_at(precision, "time_to_verdict");
    if (number_at(verdicts, "verdicts") > 0) {
        out << fmt::format(
            "time to a verdict: {} in the middle, {} for nine of ten\n",
            text::duration(number_at(verdicts, "median_s")),
            text::duration(number_at(verdicts, "nine_of_ten_s")));
    }
    const auto runs = object_at(precision, "runs");
    out << fmt::format(
        "runs: {} of the nights, {} to confirm, {} to search\n",
        number_at(runs, "nightly"),
        number_at(runs, "confirm"),
        number_at(runs, "search"));
}

}  // namespace

ExitCode show_precision(const Session& session) {
    const auto filters = with_days(session, filters_of(session, {"project"}));
    const auto precision = session.api.get("/api/v1/precision" + http::query_string(filters));
    if (session.json) return print_json(session, precision), ExitCode::ok;
    print_counts(session, precision);
    Table table({"ASKED IN VAIN", "METRIC", "NOT REPRODUCED", "UNDECIDED", "RUNS", "SPREAD"});
    for (const auto& one : array_at(precision, "noisiest")) {
        table.add(
            {fmt::format(
                 "{} ({}) on {}",
                 text_at(one, "benchmark"),
                 text_at(one, "variant"),
                 text_at(one, "machine_class")),
             text_at(one, "metric"),
             std::to_string(number_at(one, "not_reproduced")),
             std::to_string(number_at(one, "undecided")),
             std::to_string(number_at(one, "runs")),
             is_set(one, "spread_ratio")
                 ? fmt::format("{:.1f} %", 100 * real_at(one, "spread_ratio"))
                 : "-"});
    }
    if (!table.empty()) {
        *session.world.out << "\n" << table.text(session.world.width, session.colours);
    }
    return ExitCode::ok;
}

}  // namespace vigil::cli
