// What comes back within two weeks opens its issue again; what is another cause does not.

#include "service/report/facts/recurrence.hpp"

#include <catch2/catch.hpp>

#include "tests/integration/service/report/post.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr std::int64_t one_day_s = 86'400;

/// A regression that was filed, recovered in nightly 3, and is in its place again from nightly 4.
struct Recurring : Post {
    Recurring() {
        deliver_all();
        db.execute_script(
            "INSERT INTO nightly (id, project_id, build_id, version, day, revision, state, "
            "message, created_at_s, ended_at_s) VALUES (3, 1, 2, '2026-11-21', '2026-11-21', "
            "'a', 'done', '', 3000, 3100), (4, 1, 2, '2026-11-22', '2026-11-22', 'b', 'done', '', "
            "4000, 4100);"
            "UPDATE nightly SET summed_up = 1;"
            "UPDATE regression_series SET recovered_nightly_id = 3 WHERE regression_id = 1;");
        change("closed");
        deliver_all();
    }

    /// Another regression of the same series, reported.
    void recur(const std::string& culprit, std::int64_t after_s) {
        now_s += after_s;
        db.execute(
            "INSERT INTO regression (id, project_id, nightly_id, good_build_id, bad_build_id, "
            "state, bisection_id, culprit, created_at_s, changed_at_s) VALUES (2, 1, 4, 1, 2, "
            "?1, 1, nullif(?2, ''), ?3, ?3)",
            culprit.empty() ? "range" : "attributed",
            culprit,
            now_s);
        db.execute("UPDATE nightly SET created_at_s = ?1 WHERE id = 3", now_s - after_s);
        db.execute_script(
            "INSERT INTO suspicion (id, series_id, nightly_id, good_nightly_id, session_id, kind, "
            "state, verdict, base, value, change_ratio, confirmed, reason, created_at_s, "
            "ended_at_s) SELECT 9, series_id, 4, 3, session_id, kind, state, verdict, base, value, "
            "change_ratio, confirmed, reason, created_at_s, ended_at_s FROM suspicion WHERE id = 1;"
            "INSERT INTO regression_series(regression_id, series_id, suspicion_id) "
            "VALUES (2, 1, 9);");
        report_step(db, config, now_s);
        deliver_all();
    }
};

}  // namespace

TEST_CASE("What recurs within two weeks opens its issue again", "[service][report]") {
    Recurring post;
    REQUIRE(post.board.issues().size() == 1);
    REQUIRE(post.board.issues()[0].state == "closed");
    post.recur("", 3 * one_day_s);
    const auto issues = post.board.issues();
    REQUIRE(issues.size() == 1);
    CHECK(issues[0].state == "open");
    CHECK(issues[0].body.find("<!-- vigil:regression:") != std::string::npos);
    CHECK(has_marker_line(
        issues[0].body, load_marker(post.db, {.regression = RegressionId{2}}).line));
    const auto said = post.board.comments();
    REQUIRE(said.size() == 2);
    CHECK(said[1].body.starts_with("**Open again:** it is back in the nightly of"));
    // The earlier one writes there no more.
    post.db.execute("UPDATE regression SET reason = 'x', changed_at_s = 1 WHERE id = 1");
    post.db.execute("UPDATE regression_series SET verified = '{}' WHERE regression_id = 1");
    report_step(post.db, post.config, post.now_s += 60);
    post.deliver_all();
    CHECK(post.board.issues()[0].state == "open");
    CHECK(post.board.issues()[0].body == issues[0].body);
}

TEST_CASE("What comes back later, or by another commit, is an issue of its own", "[service]") {
    const bool later = GENERATE(true, false);
    Recurring post;
    post.recur(later ? "" : full_hash('2'), later ? 15 * one_day_s : 3 * one_day_s);
    const auto issues = post.board.issues();
    REQUIRE(issues.size() == 2);
    CHECK(issues[0].state == "closed");
    CHECK(issues[1].state == "open");
    CHECK(
        issues[1].body.find("(https://tracker.example/owner/name/issues/1)") != std::string::npos);
}

TEST_CASE("A recurrence has no other culprit, or brings the earlier one back", "[service]") {
    RegressionFacts facts;
    EarlierFact earlier;
    earlier.culprit = Revision(full_hash('1'));
    earlier.subject = "Check bounds twice";
    CHECK(is_recurrence(facts, earlier));
    facts.culprit = earlier.culprit;
    CHECK(is_recurrence(facts, earlier));
    facts.culprit = Revision(full_hash('2'));
    CHECK_FALSE(is_recurrence(facts, earlier));
    SuspectFact suspect;
    suspect.position = 1;
    suspect.revision = *facts.culprit;
    suspect.subject = "Something else";
    facts.suspects = {suspect};
    CHECK_FALSE(is_recurrence(facts, earlier));
    facts.suspects[0].subject = "Reapply \"Check bounds twice\"";
    CHECK(is_recurrence(facts, earlier));
}
