// How a regression ended, from the night to all who ask: check, label, notice, filter and page.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/api/common/inner_call.hpp"
#include "service/api/common/listing.hpp"
#include "service/pages/common/pages.hpp"
#include "service/report/deliver/night_check.hpp"
#include "service/report/report_step.hpp"
#include "service/store/lists/history.hpp"
#include "service/store/lists/lists.hpp"
#include "service/store/reports/reports.hpp"
#include "tests/support/fleet.hpp"

using namespace vigil;
using namespace vigil::service;
using tests::Fleet;
using tests::World;

namespace {

/// Targets of every way to be told of regressions, in files.
void add_hook_targets(Fleet& fleet) {
    const auto add = [&](const std::string& name, std::vector<std::string> states) {
        ReportTarget target;
        target.name = name;
        target.kind = TargetKind::webhook;
        target.states = std::move(states);
        fleet.config().report_targets[name] = target;
        fleet.config().projects["lab"].reports.push_back(name);
    };
    add("all", {});
    add("back", {"recovered"});
    add("lost", {"not_reproduced"});
    add("confirmed", {"confirmed"});
}

/// Reports of regressions that went to a target.
int reports_to(Fleet& fleet, const std::string& target) {
    return fleet.count(
        "outbox o JOIN report r ON r.id = o.report_id",
        "r.kind = 'regression' AND o.target = '" + target + "'");
}

nlohmann::json ids_in_state(Fleet& fleet, const std::string& state) {
    const HandlerContext context{fleet.config(), fleet.now_s(), 0, fleet.now_s()};
    http::Request request;
    request.query["state"] = state;
    auto ids = nlohmann::json::array();
    const auto handler = list_of<lists::regressions, add_links>;
    const auto list =
        read_api(handler, request, fleet.db(), context, request.query, request.parameters);
    for (const auto& one : list.at("items")) ids.push_back(one.at("id"));
    return ids;
}

std::string page_in_state(
    Fleet& fleet, Handler handler, const std::string& path, const char* state) {
    const HandlerContext context{fleet.config(), fleet.now_s(), 0, fleet.now_s()};
    http::Request request;
    request.method = "GET";
    request.path = path;
    if (state != nullptr) request.query["state"] = state;
    request.parameters["id"] = "1";
    return handler(request, fleet.db(), context).body;
}

bool page_has(const std::string& text, const std::string& words) {
    return text.find(words) != text.npos;
}

void play_and_report(Fleet& fleet, int from, int nights) {
    for (int night = 0; night < nights; ++night) {
        fleet.night(from + 10 * night);
        report_step(fleet.db(), fleet.config(), fleet.now_s());
    }
}

NightlyId only_finding_night(Fleet& fleet) {
    return fleet.db().find<NightlyId>("SELECT nightly_id FROM regression").value();
}

}  // namespace

TEST_CASE("What was confirmed and then not reproduced is nowhere a regression", "[scenario]") {
    const auto seed = GENERATE(1u, 2u);
    CAPTURE(seed);
    World world{.seed = seed, .commits = 200};
    world.changes = {{.commit = 103, .variant = "infer", .time = 1.2}};
    // The search never meets what the nights and the confirmation met.
    world.lie = [](Purpose purpose, const std::string&, Metric metric, std::mt19937& random) {
        const bool searches = purpose == Purpose::probe || purpose == Purpose::verify;
        if (!searches || metric != Metric::cpu_time_ns) return std::vector<double>{};
        std::normal_distribution<double> noise(0, 0.01);
        return std::vector{std::round(1e7 * std::exp(noise(random)))};
    };
    Fleet fleet(world, ":memory:");
    add_hook_targets(fleet);
    play_and_report(fleet, 0, 12);
    REQUIRE(fleet.count("regression") == 1);
    CHECK(fleet.count("event", "kind = 'regression.confirmed'") == 1);
    CHECK(fleet.count("event", "kind = 'regression.not_reproduced'") == 1);
    CHECK(fleet.count("regression", "state = 'closed' AND ended_as = 'not_reproduced'") == 1);

    const auto night = only_finding_night(fleet);
    CHECK(load_check(fleet.db(), night, fleet.config()).conclusion == CheckConclusion::success);
    CHECK(load_causes_of(fleet.db(), night).causes == 0);
    const auto series =
        fleet.db().find<SeriesId>("SELECT series_id FROM regression_series").value();
    CHECK(list_worse_nights(fleet.db(), series).empty());

    CHECK(reports_to(fleet, "all") == 0);
    CHECK(reports_to(fleet, "confirmed") == 0);
    CHECK(reports_to(fleet, "back") == 0);
    CHECK(reports_to(fleet, "lost") == 1);
    CHECK(fleet.count("report", "kind = 'regression' AND title LIKE '%, not reproduced'") == 1);
    const auto summary = fleet.db().load<std::string>(
        "report", "SELECT title || body FROM report WHERE nightly_id = ?1", night);
    CHECK(page_has(summary, "all clear"));
    CHECK(page_has(summary, "(not reproduced, new"));

    CHECK(ids_in_state(fleet, "not_reproduced") == nlohmann::json{1});
    CHECK(ids_in_state(fleet, "closed") == nlohmann::json{1});
    for (const auto* other : {"confirmed", "open", "recovered", "joined"}) {
        CAPTURE(other);
        CHECK(ids_in_state(fleet, other).empty());
    }
    CHECK(page_has(
        page_in_state(fleet, get_regressions_page, "/regressions", "not_reproduced"),
        "not reproduced"));
    const auto shown = page_in_state(fleet, get_regression_page, "/regressions/1", nullptr);
    CHECK(page_has(shown, "not reproduced"));
    CHECK(page_has(shown, "Not reproduced, nothing to do"));
}

TEST_CASE("What recovered is asked for and told by that word", "[scenario]") {
    const auto seed = GENERATE(1u, 2u);
    CAPTURE(seed);
    World world{.seed = seed, .commits = 250};
    world.changes = {
        {.commit = 103, .variant = "infer", .time = 1.2},
        {.commit = 133, .variant = "infer", .time = 1 / 1.2}};
    Fleet fleet(world, ":memory:");
    add_hook_targets(fleet);
    play_and_report(fleet, 0, 13);
    REQUIRE(fleet.count("regression", "state = 'reported'") == 1);
    CHECK(ids_in_state(fleet, "confirmed") == nlohmann::json{1});
    CHECK(ids_in_state(fleet, "open") == nlohmann::json{1});
    CHECK(ids_in_state(fleet, "recovered").empty());
    CHECK(reports_to(fleet, "confirmed") > 0);
    CHECK(reports_to(fleet, "back") == 0);
    const auto night = only_finding_night(fleet);
    CHECK(load_check(fleet.db(), night, fleet.config()).conclusion == CheckConclusion::failure);

    play_and_report(fleet, 130, 6);
    REQUIRE(fleet.count("regression", "state = 'closed' AND ended_as = 'recovered'") == 1);
    CHECK(fleet.count("event", "kind = 'regression.recovered'") == 1);
    CHECK(ids_in_state(fleet, "recovered") == nlohmann::json{1});
    CHECK(ids_in_state(fleet, "recovered,open") == nlohmann::json{1});
    CHECK(ids_in_state(fleet, "confirmed").empty());
    CHECK(ids_in_state(fleet, "not_reproduced").empty());
    CHECK(reports_to(fleet, "back") > 0);
    CHECK(reports_to(fleet, "lost") == 0);
    CHECK(load_check(fleet.db(), night, fleet.config()).conclusion == CheckConclusion::failure);
    const auto series =
        fleet.db().find<SeriesId>("SELECT series_id FROM regression_series").value();
    CHECK(list_worse_nights(fleet.db(), series) == std::vector{night});
    CHECK(page_has(
        page_in_state(fleet, get_regressions_page, "/regressions", "recovered"), "recovered"));
    CHECK(page_has(
        page_in_state(fleet, get_regression_page, "/regressions/1", nullptr), "recovered"));
}
