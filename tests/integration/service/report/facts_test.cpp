#include <string>

#include <catch2/catch.hpp>

#include "service/report/facts/marker.hpp"
#include "service/report/facts/night_facts.hpp"
#include "service/report/facts/night_headline.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_night.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/report/report_step.hpp"
#include "tests/integration/service/report/ledger.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A regression's facts come out of the ledger's rows", "[service][report]") {
    Ledger ledger;
    const auto facts = load_regression_facts(ledger.db, RegressionId{1}, ledger.config);
    CHECK(facts.project == "tensorlab");
    CHECK(facts.marker == load_marker(ledger.db, {.regression = RegressionId{1}}).line);
    CHECK(facts.culprit == Revision(full_hash('3')));
    CHECK(facts.good.night == "2026-11-19");
    CHECK(facts.bad.revision.str() == full_hash('4'));
    REQUIRE(facts.series.size() == 1);
    CHECK(facts.series[0].confirmed.change_ratio == Approx(0.21));
    REQUIRE(facts.series[0].verified.has_value());
    CHECK(facts.series[0].verified->runs_after == 3);
    REQUIRE(facts.suspects.size() == 5);
    CHECK(facts.suspects[1].build_failure == "main.cpp:1: error: expected ;");
    CHECK(facts.suspects[2].has_product);
    CHECK(facts.suspects[3].merge);
    REQUIRE(facts.probes.size() == 2);
    CHECK(facts.probes[1].verifies);
    REQUIRE(facts.probes[1].runs.size() == 3);
    CHECK(facts.probes[1].runs[1].position == 3);
    CHECK(facts.probes[1].runs[1].values.at(0) == Approx(1.2e7));
    CHECK(facts.probes[1].runs[2].outcome == Outcome::oom);
    REQUIRE(facts.endings.size() == 1);
    CHECK(facts.endings[0].parent == 2);
    CHECK(facts.session_environment_known);
    CHECK(facts.session_environment.empty());
    REQUIRE(facts.night_environment.size() == 1);
    CHECK(facts.night_environment[0].good == "6.1.0-26");
    CHECK(facts.measured_series == 2);
    CHECK(facts.unmoved_series == 1);
    CHECK(facts.verdicts.at(Verdict::regression) == 1);
    CHECK(facts.reproduction.benchmark.has_value());
}

TEST_CASE("Each regression of a series tells its own change, and the other", "[service][report]") {
    Ledger ledger;
    auto conclusion =
        *ledger.db.find<BisectionConclusion>("SELECT conclusion FROM bisection WHERE id = 1");
    auto further = conclusion.endings.front();
    further.first = further.last = 2;
    further.parent = 1;
    further.reason = "verified as well";
    further.verified.change_ratio = 0.1;
    further.stands_alone = true;
    auto small = further;
    small.first = small.last = 4;
    small.verified.change_ratio = 0.04;
    small.stands_alone = false;
    conclusion.further = {further, small};
    conclusion.endings.front().remaining = search::Remaining{1, 2, 0.08, 0.4};
    ledger.db.execute("UPDATE bisection SET conclusion = ?1 WHERE id = 1", conclusion);
    ledger.db.execute(
        "INSERT INTO regression (id, project_id, nightly_id, state, good_build_id, bad_build_id, "
        "bisection_id, split_from_id, culprit, suspects, reason, created_at_s, changed_at_s) "
        "SELECT 2, project_id, nightly_id, state, good_build_id, bad_build_id, bisection_id, 1, "
        "?1, '[]', reason, created_at_s, changed_at_s "
        "FROM regression WHERE id = 1",
        full_hash('2'));
    ledger.db.execute(
        "INSERT INTO regression_series SELECT 2, series_id, suspicion_id, NULL, '{}' "
        "FROM regression_series");
    const auto first = load_regression_facts(ledger.db, RegressionId{1}, ledger.config);
    const auto second = load_regression_facts(ledger.db, RegressionId{2}, ledger.config);
    REQUIRE(first.endings.size() == 1);
    REQUIRE(second.endings.size() == 1);
    CHECK(first.endings[0].first == 3);
    CHECK(second.endings[0].first == 2);
    CHECK(second.endings[0].reason == "verified as well");
    REQUIRE(first.others.size() == 3);
    CHECK(first.others[0].regression == RegressionId{2});
    CHECK(first.others[0].first == Revision(full_hash('2')));
    CHECK_FALSE(first.others[0].verified);
    CHECK(first.others[1].last == Revision(full_hash('4')));
    CHECK_FALSE(first.others[1].regression);
    CHECK(first.others[1].change_ratio == 0.04);
    CHECK(first.others[2].remaining == 0.4);
    CHECK(first.others[2].first == Revision(full_hash('1')));
    REQUIRE(second.others.size() == 3);
    CHECK(second.others[0].regression == RegressionId{1});
    CHECK(second.others[0].verified);
    CHECK(second.others[0].change_ratio == 0.2);
}

TEST_CASE("A regression's facts tell a search that did not begin at the good build", "[service]") {
    Ledger ledger;
    const auto plain = load_regression_facts(ledger.db, RegressionId{1}, ledger.config);
    CHECK_FALSE(plain.parted_at.has_value());
    const Revision base(full_hash('9'));
    ledger.db.execute("UPDATE bisection SET good_revision = ?1 WHERE id = 1", base);
    CHECK(load_regression_facts(ledger.db, RegressionId{1}, ledger.config).parted_at == base);
}

TEST_CASE("A regression's facts hold what was searched inside of merges", "[service][report]") {
    Ledger ledger;
    ledger.search_inside();
    auto facts = load_regression_facts(ledger.db, RegressionId{1}, ledger.config);
    REQUIRE(facts.insides.size() == 2);  // @3 is the merge; its parent 2 shows nothing
    CHECK(facts.line_commits == 4);
    CHECK(facts.insides[0].parent == 2);
    CHECK(holds(facts.insides[0].said, "do not show the change alone"));
    CHECK_FALSE(facts.insides[0].led);
    CHECK(facts.insides[1].said == "its end is gone");
    ledger.db.execute_script("UPDATE regression SET bisection_id = 3");
    ledger.db.execute("UPDATE regression SET culprit = ?1", full_hash('6'));
    facts = load_regression_facts(ledger.db, RegressionId{1}, ledger.config);
    REQUIRE(facts.insides.size() == 2);
    CHECK(facts.insides[1].led);
    CHECK(facts.insides[1].base == Revision(full_hash('1')));
    CHECK(facts.insides[1].commits == 2);
    CHECK(facts.insides[1].subject == "Slower, fixes #1 @all");
    REQUIRE(facts.suspects.size() == 3);
    CHECK(facts.suspects[1].revision == Revision(full_hash('6')));
    CHECK(holds(
        render_regression(facts).body, "4 commits on the line; 2 commits that the merge brought"));
}

TEST_CASE("The report made of rows names the culprit and mentions nobody", "[service][report]") {
    Ledger ledger;
    const auto facts = load_regression_facts(ledger.db, RegressionId{1}, ledger.config);
    const Document document = render_regression(facts);
    CHECK(document.body.starts_with("**Commit `" + full_hash('3').substr(0, 10) + "` makes `mlp`"));
    CHECK_FALSE(holds(document.body, "@all"));
    CHECK_FALSE(holds(document.body, "#1 "));
    CHECK(holds(document.body, "git clone --quiet --no-checkout \"$repository\""));
    CHECK_FALSE(holds(document.body, "/srv/"));  // a path of the daemon's machine
}

TEST_CASE("A project that the config no longer names still gets its report", "[service][report]") {
    Ledger ledger;
    ledger.config.projects.clear();
    const auto facts = load_regression_facts(ledger.db, RegressionId{1}, ledger.config);
    CHECK(holds(render_regression(facts).body, "No command can be given"));
}

TEST_CASE("A regression that does not exist is not found", "[service][report]") {
    Ledger ledger;
    CHECK_THROWS_AS(load_regression_facts(ledger.db, RegressionId{9}, ledger.config), Error);
    CHECK_THROWS_AS(load_night_facts(ledger.db, NightlyId{9}, ledger.config), Error);
}

TEST_CASE("A night's facts name what is missing", "[service][report]") {
    Ledger ledger;
    const auto facts = load_night_facts(ledger.db, NightlyId{2}, ledger.config);
    CHECK(facts.measured_series == 2);
    CHECK(facts.work.at(Purpose::nightly).jobs.at(JobState::parked) == 1);
    CHECK(facts.work.at(Purpose::nightly).machine_s == 100);
    REQUIRE(facts.regressions.size() == 1);
    CHECK(facts.regressions[0].tonight);
    const Document document = render_night(facts);
    CHECK(holds(document.body, "job 6 (nightly) parked: `lost 3 times`"));
    CHECK(holds(document.body, "Attempts that workers did not end: 1 on w1 (`stopped answering`)"));
    CHECK_FALSE(headline_of(facts).standing == NightStanding::all_clear);
    const auto before = load_night_facts(ledger.db, NightlyId{1}, ledger.config);
    CHECK(before.regressions.empty());
}

TEST_CASE("A lost attempt whose job was made again is not missing", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "UPDATE job SET state = 'done' WHERE id = 6;"
        "UPDATE run SET outcome = 'passed'; DELETE FROM product WHERE state = 'failed';"
        "UPDATE nightly SET state = 'done', ended_at_s = 3000 WHERE id = 2;");
    auto facts = load_night_facts(ledger.db, NightlyId{2}, ledger.config);
    CHECK(facts.missing.empty());
    REQUIRE(facts.lost.size() == 1);
    CHECK(facts.lost[0].attempts == 1);
    CHECK_FALSE(headline_of(facts).standing == NightStanding::all_clear);  // a regression is open
    ledger.db.execute_script("UPDATE regression SET state = 'accepted'");
    facts = load_night_facts(ledger.db, NightlyId{2}, ledger.config);
    CHECK(headline_of(facts).standing == NightStanding::all_clear);
    CHECK(holds(render_night(facts).title, "all clear"));
}

TEST_CASE("Many jobs that one broken build ended are one thing missing", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "INSERT INTO job (project_id, machine_class_id, purpose, state, priority, nightly_id, "
        "plan, message, created_at_s) SELECT 1, 1, 'nightly', 'failed', 1, 2, '{}', "
        "'its build failed 2 times', 2000 FROM suspect WHERE position > 0;"
        "INSERT INTO machine_class (id, name) VALUES (7, 'other');"
        "UPDATE job SET machine_class_id = 7 WHERE id = (SELECT max(id) FROM job);");
    const auto body = render_night(load_night_facts(ledger.db, NightlyId{2}, ledger.config)).body;
    CHECK(holds(body, "- 4 jobs (nightly) failed, the first is job 7: `its build failed 2 times`"));
    CHECK(holds(body, "- job 6 (nightly) parked: `lost 3 times`"));
}

TEST_CASE("Of what is missing only the sandbox's words keep their paths", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "UPDATE run SET outcome = 'failed', message = '/build/mlp.py:7: no GPU' WHERE job_id IN "
        "(SELECT id FROM job WHERE nightly_id = 2 AND purpose = 'nightly');"
        "UPDATE job SET message = 'the source of build 2 cannot be had: opening /srv/git' "
        "WHERE id = 6;"
        "INSERT INTO event(at_s, kind, project_id, subject, message) VALUES (2000, "
        "'nightly.part_failed', 1, 'nightly/2', 'its judgement: opening /srv/ledger');");
    const auto body = render_night(load_night_facts(ledger.db, NightlyId{2}, ledger.config)).body;
    CHECK(holds(body, "/build/mlp.py:7: no GPU"));
    CHECK(holds(body, "the source of build 2 cannot be had: opening"));
    CHECK(holds(body, "its judgement: opening"));
    CHECK_FALSE(holds(body, "/srv/"));
}

TEST_CASE("A regression's report shows no path of the server", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "UPDATE regression SET state = 'range', culprit = NULL, "
        "reason = 'its step failed: opening /srv/content/a: denied';"
        "UPDATE build SET input_error = 'listing in /srv/git/a.git: it is gone';"
        "DELETE FROM product;");
    const auto facts = load_regression_facts(ledger.db, RegressionId{1}, ledger.config);
    CHECK(holds(facts.reason, "its step failed: opening"));
    CHECK_FALSE(holds(render_regression(facts).body, "/srv/"));
}

TEST_CASE("A night that failed waits for the search of its broken build", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "UPDATE nightly SET state = 'failed', ended_at_s = 2100 WHERE id = 2;"
        "INSERT INTO bisection(id, project_id, nightly_id, good_revision, bad_revision, state, "
        "planner, settings, created_at_s, kind) SELECT 9, 1, 2, good_revision, bad_revision, "
        "'searching', 1, '{}', 2100, 'build' FROM bisection WHERE id = 1;"
        "INSERT INTO suspect SELECT 9, position, revision, parent, merge, subject, author, "
        "authored_at_s, build_id, pins, brought, commits, dependency, stands_for FROM suspect "
        "WHERE bisection_id = 1;"
        "INSERT INTO probe VALUES (9, 9, 0, '{}', 'done', 2100);");
    const std::string of_night = "report WHERE kind = 'night' AND nightly_id = 2";
    report_step(ledger.db, ledger.config, ledger.now_s);
    CHECK(ledger.count(of_night) == 0);
    BisectionConclusion conclusion;
    search::SeriesEnding ending;
    ending.ending = search::Ending::culprit;
    ending.first = ending.last = 1;
    conclusion.endings = {ending};
    ledger.db.execute(
        "UPDATE bisection SET state = 'done', conclusion = ?1, log_tail = 'main.cpp:1: error\n' "
        "WHERE id = 9",
        conclusion);
    report_step(ledger.db, ledger.config, ledger.now_s);
    CHECK(ledger.count(of_night) == 1);
    const auto facts = load_night_facts(ledger.db, NightlyId{2}, ledger.config);
    REQUIRE(facts.breakage);
    CHECK(facts.breakage->culprit == Revision(full_hash('1')));
    CHECK(facts.breakage->commits == 4);
    CHECK(facts.breakage->builds == 1);
    CHECK(facts.breakage->good_night == "2026-11-19");
    CHECK(holds(render_night(facts).body, "`Broken` by `Author Two`"));
    CHECK(holds(render_night(facts).body, "main.cpp:1: error"));
    CHECK_FALSE(find_breakage(ledger.db, NightlyId{1}));
}

TEST_CASE("A nightly that does not build is a report that follows it", "[service][report]") {
    Ledger ledger;
    ledger.config.links.compare_url = "https://forge.example/{good}...{bad}";
    ledger.db.execute_script(
        "INSERT INTO trouble(kind, subject, project_id, message, since_s, seen_s) VALUES "
        "('nightly.unbuildable', 'project/tensorlab', 1, 'main.cpp:1: error', 2100, 2100);"
        "INSERT INTO bisection(id, project_id, nightly_id, good_revision, bad_revision, state, "
        "planner, settings, created_at_s, kind) SELECT 9, 1, 2, good_revision, bad_revision, "
        "'searching', 1, '{}', 2100, 'build' FROM bisection WHERE id = 1;"
        "INSERT INTO suspect SELECT 9, position, revision, parent, merge, subject, author, "
        "authored_at_s, build_id, pins, brought, commits, dependency, stands_for FROM suspect "
        "WHERE bisection_id = 1;");
    const std::string mine = "report WHERE kind = 'trouble' AND subject = 'trouble/1'";
    const auto title = [&] {
        return ledger.db
            .find<std::string>("SELECT title FROM " + mine + " ORDER BY version DESC LIMIT 1")
            .value_or("");
    };
    for (int round = 0; round < 3; ++round) {
        report_step(ledger.db, ledger.config, ledger.now_s + round);
    }
    CHECK(ledger.count(mine) == 1);
    CHECK(title() == "tensorlab: the nightly does not build");

    BisectionConclusion conclusion;
    search::SeriesEnding ending;
    ending.ending = search::Ending::culprit;
    ending.first = ending.last = 1;
    conclusion.endings = {ending};
    ledger.db.execute(
        "UPDATE bisection SET state = 'done', conclusion = ?1 WHERE id = 9", conclusion);
    report_step(ledger.db, ledger.config, ledger.now_s + 10);
    CHECK(ledger.count(mine) == 2);
    CHECK(holds(title(), "does not build since " + Revision(full_hash('1')).brief()));
    CHECK(ledger.count(mine + " AND body LIKE '%https://forge.example/c0ffee%...c0ffee%'") == 2);

    ledger.db.execute("UPDATE trouble SET ended_s = 3000");
    for (int round = 0; round < 3; ++round) {
        report_step(ledger.db, ledger.config, ledger.now_s + 20 + round);
    }
    CHECK(ledger.count(mine) == 3);
    CHECK(ledger.count(mine + " AND body LIKE '%It ended%'") == 1);
}

TEST_CASE("A night's drifts are told with it, and only with it", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "INSERT INTO drift(series_id, kind, nightly_id, since_nightly_id, since_earliest_id, "
        "since_latest_id, before, after, change_ratio, low, high, created_at_s) "
        "VALUES (1, 'creep', 2, 1, 1, 2, 100, 104, 0.04, 0.03, 0.05, 100);");
    const auto facts = load_night_facts(ledger.db, NightlyId{2}, ledger.config);
    REQUIRE(facts.drifts.size() == 1);
    CHECK(facts.drifts[0].since_night == "2026-11-19");
    CHECK(facts.drifts[0].low == 0.03);
    CHECK(holds(render_night(facts).body, "+4.0 % | +3.0 % to +5.0 % | `2026-11-19` | an A/B"));
    CHECK(load_night_facts(ledger.db, NightlyId{1}, ledger.config).drifts.empty());
}

TEST_CASE("What is missing is told once for each cause, not for each job", "[service][report]") {
    Ledger ledger;
    for (int i = 0; i < 40; ++i) {
        ledger.db.execute(
            "INSERT INTO job (id, project_id, machine_class_id, purpose, state, priority, "
            "nightly_id, plan, message, attempt, created_at_s, ended_at_s) VALUES "
            "(?1, 1, 1, 'nightly', 'cancelled', 1, 2, '{}', 'no worker came for it', 0, 2000, "
            "2900)",
            100 + i);
        ledger.db.execute(
            "INSERT INTO run (job_id, attempt, step, build_id, benchmark, variant, "
            "machine_class_id, worker_id, outcome, message, started_at_ns, duration_ns) VALUES "
            "(2, 1, ?1, 2, 'net' || (?1 / 2), 'train', 1, 1, 'failed', 'no GPU', 2, 1)",
            10 + i);
    }
    ledger.db.execute_script(
        "UPDATE regression SET state = 'reported';"
        "UPDATE nightly SET state = 'done', ended_at_s = 3000 WHERE id = 2;");
    const auto facts = load_night_facts(ledger.db, NightlyId{2}, ledger.config);
    const auto body = render_night(facts).body;
    CHECK(facts.missing.size() == 3);  // with the parked job
    CHECK(
        holds(body, "40 jobs (nightly) on xeon cancelled, the first is job 100: `no worker came"));
    CHECK(holds(body, "net10 (train) and 19 more on xeon: 40 of their runs failed: `no GPU`"));
    CHECK(holds(body, "job 6 (nightly) parked: `lost 3 times`"));
    CHECK(report_step(ledger.db, ledger.config, ledger.now_s) > 0);
    CHECK(ledger.count("event WHERE kind = 'night.missing' AND subject = 'nightly/2'") == 3);
    report_step(ledger.db, ledger.config, ledger.now_s);
    CHECK(ledger.count("event WHERE kind = 'night.missing' AND subject = 'nightly/2'") == 3);
}

TEST_CASE("Series that come and go are told with their night", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "INSERT INTO event(at_s, kind, project_id, subject, message) VALUES "
        "(2000, 'series.gone', 1, 'nightly/2', '3 series no longer planned: net (@all) on xeon');");
    const auto body = render_night(load_night_facts(ledger.db, NightlyId{2}, ledger.config)).body;
    CHECK(holds(body, "### Series\n\n- 3 series no longer planned"));
    CHECK_FALSE(holds(body, "@all"));
    const auto before = load_night_facts(ledger.db, NightlyId{1}, ledger.config);
    CHECK(before.series_notes.empty());
}

TEST_CASE("What a night had no runs for is among its facts, with why", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, verdict, base, "
        "value, change_ratio, reason, created_at_s, chance, waited, waits) VALUES "
        "(2, 2, 1, 'level', 'ended', 'watch', 100, 109, 0.09, 'x', 100, 0.2, 1, 'number 1 of 1');");
    const auto facts = load_night_facts(ledger.db, NightlyId{2}, ledger.config);
    REQUIRE(facts.changes.size() == 2);
    CHECK(facts.changes[0].waits.empty());
    CHECK(facts.changes[1].waits == "number 1 of 1");
}

TEST_CASE("A failed trigger is named by the next night", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(
        "INSERT INTO trigger_request VALUES (1, 1, 'schedule', 'schedule:1', NULL, 'failed', "
        "'the repository is gone', NULL, 1800, 1900, '');");
    const Document document =
        render_night(load_night_facts(ledger.db, NightlyId{2}, ledger.config));
    CHECK(holds(document.body, "nightly asked for by schedule: `the repository is gone`"));
}
