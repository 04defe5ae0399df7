#include "service/report/weeks.hpp"

#include <catch2/catch.hpp>

#include "tests/integration/service/report/ledger.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

constexpr const char* better_rows = R"sql(
INSERT INTO suspicion (id, series_id, nightly_id, good_nightly_id, session_id, kind, state, verdict,
    base, value, change_ratio, confirmed, reason, created_at_s, ended_at_s) VALUES
    (2, 2, 2, 1, 1, 'level', 'ended', 'improvement', 1, 1, -0.2,
     '{"before":10,"after":8,"change_ratio":-0.2,"low":-0.25,"high":-0.15,"above":0,'
     || '"runs_before":4,"runs_after":4,"finding":"better"}', '', 2050, 2200),
    (3, 3, 2, 1, 1, 'outcome', 'ended', 'fixed', 1, 1, 0, '{}', '', 2050, 2200);
DELETE FROM night_range;
INSERT INTO night_range VALUES (1, NULL, 0, ''), (2, 1, 3, '');
INSERT INTO night_commit VALUES (2, 0, '1', 'One', 'Author One', 1100),
    (2, 1, '2', 'Two', 'Author Two', 1200), (2, 2, '3', 'Three', 'Author Two', 1300);
)sql";

}  // namespace

TEST_CASE("The rows of a week say what became better, by whom, and the time", "[service][report]") {
    Ledger ledger;
    ledger.db.execute_script(better_rows);
    const auto facts = load_week_facts(ledger.db, ledger.config, "tensorlab", 3000);
    REQUIRE(facts.regressions.size() == 1);
    CHECK(facts.regressions[0].author == "Author Two");
    REQUIRE(facts.improvements.size() == 2);
    const auto& better = facts.improvements[0];
    CHECK(better.confirmed.change_ratio == -0.2);
    CHECK(better.night_name == "2026-11-20");
    CHECK(better.before_name == "2026-11-19");
    CHECK(better.commits.count == 3);
    CHECK(better.commits.authors == std::vector<std::string>{"Author Two", "Author One"});
    CHECK(better.commits.subject.empty());
    CHECK(facts.improvements[1].verdict == Verdict::fixed);
    CHECK(facts.machine_s.at(Purpose::nightly) == 100);
    CHECK(facts.machine_s.at(Purpose::confirm) == 50);
    const auto body = render_week(facts).body;
    CHECK_THAT(body, Contains("3 commits by Author Two and Author One"));
    CHECK_THAT(body, Contains("1 min 40 s for nights, 50 s to confirm"));

    ledger.db.execute_script(
        "UPDATE night_range SET count = 1 WHERE nightly_id = 2;"
        "DELETE FROM night_commit WHERE position > 0;");
    const auto one = load_week_facts(ledger.db, ledger.config, "tensorlab", 3000);
    CHECK(one.improvements[0].commits.subject == "One");

    CHECK(facts.mutes.empty());
    ledger.db.execute_script(
        "INSERT INTO mute (project_id, series_id, owner, reason, token, since_s, until_s) VALUES "
        "(1, 1, 'ada', 'r', 't', 1, 3000 + 86400), (1, 2, 'ada', 'r', 't', 1, 3000 + 8640000);"
        "INSERT INTO trouble (kind, subject, project_id, message, since_s, seen_s) VALUES "
        "('a.b', 'project/tensorlab', 1, 'm', 1, 1), ('a.b', 'other', NULL, 'm', 1, 1);");
    const auto decided = load_week_facts(ledger.db, ledger.config, "tensorlab", 3000);
    REQUIRE(decided.mutes.size() == 1);
    CHECK(decided.mutes[0].what == "series/1");
    CHECK(decided.troubles.size() == 1);

    // Another week, and a project without a row.
    CHECK(load_week_facts(ledger.db, ledger.config, "tensorlab", 2000).improvements.empty());
    CHECK(load_week_facts(ledger.db, ledger.config, "other", 3000).regressions.empty());
}

TEST_CASE("Machine time adds up as attempts end, also those of before", "[service][report]") {
    Ledger ledger;
    const auto seconds = [&](const char* purpose) {
        return ledger.db.find<std::int64_t>(
            "SELECT seconds FROM machine_time WHERE project_id = 1 AND purpose = ?1",
            std::string(purpose));
    };
    CHECK(seconds("nightly") == 100);
    CHECK(seconds("confirm") == 50);
    CHECK_FALSE(seconds("probe"));
    ledger.db.execute_script(
        "INSERT INTO attempt (job_id, number, worker_id, recipe_digest, claimed_at_s) "
        "VALUES (4, 1, 1, 'r', 2300);"
        "UPDATE attempt SET ended_at_s = 2350, outcome = 'done' WHERE job_id = 4;"
        "UPDATE attempt SET message = 'again', ended_at_s = 2350 WHERE job_id = 4;");
    CHECK(seconds("probe") == 50);
}
