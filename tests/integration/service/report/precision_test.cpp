#include "service/report/facts/precision.hpp"

#include <array>
#include <string>

#include <catch2/catch.hpp>

#include "service/report/facts/night_facts.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/night_sections.hpp"
#include "service/report/render/render_night.hpp"
#include "service/report/render/render_regression.hpp"
#include "tests/integration/service/report/ledger.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr std::int64_t day_s = 86'400;

// Six suspicions of the second night, from 2050 on; see ledger_rows.hpp for the first.
constexpr const char* more_suspicions = R"sql(
INSERT INTO suspicion (id, series_id, nightly_id, good_nightly_id, session_id, kind, state, verdict,
    base, value, change_ratio, reason, created_at_s, ended_at_s, is_check, waits) VALUES
    (2, 2, 2, 1, 1, 'level', 'ended', 'noise', 1, 1, 0.08, '', 2050, 2350, 0, ''),
    (3, 3, 2, 1, 1, 'level', 'ended', 'watch', 1, 1, 0.08, '', 2050, 2400, 1, ''),
    (4, 2, 1, 1, NULL, 'level', 'ended', 'watch', 1, 1, 0.08, '', 2050, 2400, 0, 'spent'),
    (5, 3, 1, 1, 1, 'level', 'ended', 'drift', 1, 1, 0.04, '', 2050, 3050, 0, '');
)sql";

PrecisionScope whole() {
    return {std::nullopt, 0, 1'000'000};
}

bool tells(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("What became of suspicions is counted from the ledger's rows", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(more_suspicions);
    const auto facts = load_precision(ledger.db, whole());
    CHECK(facts.nights == 1);
    CHECK(facts.suspicions == 5);
    CHECK(facts.checks == 1);
    CHECK(facts.confirmed == 1);
    CHECK(facts.drifts == 1);
    CHECK(facts.not_reproduced == 1);
    CHECK(facts.undecided == 1);
    CHECK(facts.waited == 1);
    CHECK(facts.open == 0);
    // 150, 300 and 1000 seconds.
    CHECK(facts.timed == 3);
    CHECK(facts.median_verdict_s == 300);
    CHECK(facts.slow_verdict_s == 860);
    CHECK(facts.nightly_runs == 2);
    CHECK(facts.confirm_runs == 2);
    CHECK(facts.search_runs == 5);
    REQUIRE(facts.noisiest.size() == 2);
    CHECK(facts.noisiest[0].not_reproduced + facts.noisiest[0].undecided == 1);
    CHECK(facts.noisiest[0].runs == 2);
    CHECK(load_precision(ledger.db, {ProjectId{1}, 0, 2060}).suspicions == 5);
    CHECK(load_precision(ledger.db, {ProjectId{2}, 0, 2060}).suspicions == 0);
    CHECK(load_precision(ledger.db, {std::nullopt, 2051, 9999}).suspicions == 0);
    CHECK(load_precision(ledger.db, {std::nullopt, 0, 2050}).suspicions == 0);
}

TEST_CASE("Runs are counted by the second in which they were asked for", "[service][report]") {
    Ledger ledger;
    // The jobs of a night, a session and a search lie within one day: at its noon they are moved
    // to days of their own.
    const auto runs = [&](std::int64_t since_s, std::int64_t until_s) {
        const auto facts = load_precision(ledger.db, {std::nullopt, since_s, until_s});
        return std::array{facts.nightly_runs, facts.confirm_runs, facts.search_runs};
    };
    const std::array<std::int64_t, 3> all{2, 2, 5};
    const std::array<std::int64_t, 3> none{0, 0, 0};
    ledger.db.execute_script(
        "CREATE TEMP TABLE moved AS SELECT * FROM run; DELETE FROM measurement; DELETE FROM run;"
        "UPDATE job SET created_at_s = 86400 * CASE purpose WHEN 'nightly' THEN 10 "
        "WHEN 'confirm' THEN 11 ELSE 12 END + 43200; INSERT INTO run SELECT * FROM moved;");
    CHECK(runs(0, 100 * day_s) == all);
    CHECK(runs(10 * day_s, 13 * day_s) == all);
    const auto noon = [](std::int64_t day) { return day * day_s + day_s / 2; };
    CHECK(runs(noon(10), noon(12) + 1) == all);
    CHECK(runs(noon(10), noon(12)) == std::array<std::int64_t, 3>{2, 2, 0});
    CHECK(runs(noon(10) + 1, noon(12) + 1) == std::array<std::int64_t, 3>{0, 2, 5});
    CHECK(runs(noon(10), noon(10) + 1) == std::array<std::int64_t, 3>{2, 0, 0});
    CHECK(runs(noon(10) - 9, noon(10)) == none);
    CHECK(runs(noon(10) + 1, noon(11)) == none);
    CHECK(runs(11 * day_s, 12 * day_s) == std::array<std::int64_t, 3>{0, 2, 0});
    CHECK(runs(13 * day_s, 12 * day_s) == none);
    const auto other = load_precision(ledger.db, {ProjectId{2}, 0, 100 * day_s});
    CHECK(other.nightly_runs + other.confirm_runs + other.search_runs == 0);
}

TEST_CASE("A verdict that took two nights is timed from the first", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "UPDATE suspicion SET verdict = 'watch', created_at_s = 1000 WHERE id = 1;"
        "INSERT INTO nightly (id, project_id, build_id, version, day, revision, state, "
        "created_at_s, "
        "ended_at_s) VALUES (3, 1, 2, '2026-11-21', '2026-11-21', 'x', 'done', 3000, 3500);"
        "INSERT INTO suspicion (series_id, nightly_id, good_nightly_id, session_id, kind, state, "
        "verdict, base, value, change_ratio, reason, created_at_s, ended_at_s) VALUES "
        "(1, 3, 1, 1, 'level', 'ended', 'regression', 1, 1, 0.08, '', 3100, 3400);");
    const auto facts = load_precision(ledger.db, whole());
    CHECK(facts.timed == 1);
    CHECK(facts.median_verdict_s == 2400);
}

TEST_CASE(
    "What a person said of a regression counts, also when it is closed", "[service][report]") {
    Ledger ledger;
    CHECK_FALSE(load_precision(ledger.db, whole()).upheld_share().has_value());
    const std::string event =
        "INSERT INTO event(at_s, kind, project_id, subject, message) VALUES "
        "(3000, 'regression.";
    ledger.db.execute_script(event + "acknowledged', 1, 'regression/1', '');");
    ledger.db.execute_script("UPDATE regression SET state = 'closed', ended_as = 'recovered';");
    auto facts = load_precision(ledger.db, whole());
    CHECK(facts.regressions == 1);
    CHECK(facts.upheld == 1);
    CHECK(facts.recovered == 0);
    CHECK(facts.upheld_share() == 1.0);
    ledger.db.execute_script(event + "refuted', 1, 'regression/1', '');");
    facts = load_precision(ledger.db, whole());
    CHECK(facts.refuted == 1);
    CHECK(facts.upheld == 0);
    CHECK(facts.upheld_share() == 0.0);
    CHECK(tells(precision_section(facts), "0 upheld and 1 refuted by a person (0 % upheld)"));
}

TEST_CASE(
    "Recall counts what was found and what people told, each cause once", "[service][report]") {
    Ledger ledger;
    CHECK(load_precision(ledger.db, whole()).recall() == 1.0);
    const std::string row =
        "INSERT INTO missed(project_id, series_id, nightly_id, good_nightly_id, token, state, "
        "request_id, suspicion_id, created_at_s) VALUES (1, ";
    ledger.db.execute_script(
        "INSERT INTO request(id, project_id, kind, state, a, b, asked, token, created_at_s) "
        "VALUES (1, 1, 'comparison', 'done', 'a', 'b', '{}', 'ada', 9000);" +
        row + "2, 2, 1, 'ada', 'undecided', 1, NULL, 9000);" + row +
        "3, 2, 1, 'ada', 'measuring', 1, NULL, 9000);" + row +
        "3, 1, 1, 'ada', 'not_confirmed', 1, NULL, 9000);");
    auto facts = load_precision(ledger.db, whole());
    CHECK(facts.found == 1);
    CHECK(facts.missed() == 2);
    CHECK(tells(
        precision_section(facts),
        "- Recall 33 %: 1 found, 2 missed (1 being measured, 1 undecided)\n"));
    // Counted in the week of its night, whenever it was told.
    CHECK(load_precision(ledger.db, {std::nullopt, 2000, 2001}).missed() == 2);
    CHECK(load_precision(ledger.db, {std::nullopt, 8000, 9999}).missed() == 0);
    CHECK(load_precision(ledger.db, {ProjectId{2}, 0, 9999}).missed() == 0);
    // One that is confirmed is a regression that people told, unless its cause was found.
    ledger.db.execute_script(
        "INSERT INTO suspicion (id, series_id, nightly_id, good_nightly_id, session_id, kind, "
        "state, verdict, base, value, change_ratio, reason, created_at_s) VALUES "
        "(9, 2, 2, 1, 1, 'level', 'ended', 'regression', 1, 1, 0.04, '', 9100);"
        "UPDATE missed SET state = 'confirmed', suspicion_id = 9 WHERE series_id = 2;"
        "INSERT INTO regression VALUES (2, 1, 2, 'range', 1, 2, NULL, NULL, NULL, '[]', '', 9100, "
        "9100, 1, '', NULL);"
        "INSERT INTO regression_series VALUES (2, 2, 9, NULL, '{}');");
    facts = load_precision(ledger.db, whole());
    CHECK(facts.found == 1);
    CHECK(facts.told_regressions == 1);
    CHECK(facts.missed() == 2);
    CHECK(facts.suspicions == 1);
    ledger.db.execute_script("UPDATE regression_series SET regression_id = 1 WHERE series_id = 2;");
    facts = load_precision(ledger.db, whole());
    CHECK(facts.found == 1);
    CHECK(facts.told_regressions == 0);
    const auto report =
        render_regression(load_regression_facts(ledger.db, RegressionId{1}, ledger.config));
    CHECK(tells(report.body, "`ada` told this as missed since `2026-11-20`"));
}

TEST_CASE("A regression that joined another is told and counted as that one", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "INSERT INTO regression VALUES (2, 1, 2, 'closed', 1, 2, 1, NULL, NULL, '[]', "
        "'the same culprit as regression 1, which has its series now', 2300, 2900, 1, '', "
        "'joined');"
        "INSERT INTO suspicion (id, series_id, nightly_id, good_nightly_id, session_id, kind, "
        "state, verdict, base, value, change_ratio, confirmed, reason, created_at_s, ended_at_s) "
        "SELECT 2, 3, nightly_id, good_nightly_id, session_id, kind, state, verdict, base, value, "
        "change_ratio, confirmed, reason, created_at_s, ended_at_s FROM suspicion WHERE id = 1;"
        "INSERT INTO regression_series SELECT 1, 3, 2, NULL, verified FROM regression_series;");
    CHECK(load_precision(ledger.db, whole()).regressions == 1);
    const auto night = load_night_facts(ledger.db, NightlyId{2}, ledger.config);
    REQUIRE(night.regressions.size() == 1);
    CHECK(night.regressions[0].id == RegressionId{1});
    // Of what joined there is no search of its own in the report, but what was verified.
    const auto facts = load_regression_facts(ledger.db, RegressionId{1}, ledger.config);
    REQUIRE(facts.series.size() == 2);
    CHECK(facts.endings.size() == 1);
    CHECK(tells(render_regression(facts).body, "wall time"));
}

TEST_CASE("The first night that ends in a week tells of the week before", "[service][report]") {
    Ledger ledger;
    const std::int64_t monday_s = 2948 * 7 * day_s - 3 * day_s;  // 00:00 UTC
    const auto end = [&](int nightly, std::int64_t at_s) {
        ledger.db.execute(
            "UPDATE nightly SET state = 'done', ended_at_s = ?2 WHERE id = ?1", nightly, at_s);
    };
    end(1, monday_s - 3600);
    end(2, monday_s + 60);
    CHECK_FALSE(find_week_to_report(ledger.db, NightlyId{1}).has_value());
    const auto week = find_week_to_report(ledger.db, NightlyId{2});
    REQUIRE(week.has_value());
    CHECK(week->since_s == monday_s - 7 * day_s);
    CHECK(week->until_s == monday_s);
    CHECK(week->project == ProjectId{1});
    auto facts = load_night_facts(ledger.db, NightlyId{2}, ledger.config);
    REQUIRE(facts.last_week.has_value());
    CHECK(facts.last_week->nights == 1);
    CHECK(tells(render_night(facts).body, "### Last week\n"));

    end(1, monday_s + 50);
    CHECK_FALSE(find_week_to_report(ledger.db, NightlyId{2}).has_value());
    facts = load_night_facts(ledger.db, NightlyId{2}, ledger.config);
    CHECK_FALSE(tells(render_night(facts).body, "Last week"));
}

TEST_CASE("A week in which nothing happened is told without tables", "[service][report]") {
    Ledger ledger;
    const auto text = precision_section(load_precision(ledger.db, {std::nullopt, 10, 20}));
    CHECK(tells(text, "0 nights"));
    CHECK_FALSE(tells(text, "Time to a verdict"));
    CHECK_FALSE(tells(text, "|"));
    CHECK_FALSE(tells(text, "% upheld"));
}
