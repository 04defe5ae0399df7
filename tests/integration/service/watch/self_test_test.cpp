#include "service/watch/self_test.hpp"

#include <catch2/catch.hpp>

#include "service/config/self_test.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/self_tests.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

using test::JobScene;

struct Nights : JobScene {
    Nights() {
        config.self_test.emplace();
        project_id = ensure_project(db, std::string(self_test_name), now_s);
    }
    /// A night whose regression is due in an hour. @return  its commit
    Revision plant(char digit) {
        const Revision revision(std::string(40, digit));
        const auto number = begin_self_test(db, now_s);
        record_planted(db, number, PlantedRegression{"work-3", revision, now_s + 3600});
        return revision;
    }
    void add_night(const std::string& state) {
        db.execute(
            "INSERT INTO build (project_id, revision, input_kind, created_at_s) "
            "VALUES (?1, 'r' || (SELECT count(*) FROM build), 'source_tree', 1)",
            project_id);
        db.execute(
            "INSERT INTO nightly (project_id, build_id, version, day, revision, state, "
            "created_at_s) VALUES (?1, last_insert_rowid(), 'v', '2026-01-01', 'r', ?2, ?3)",
            project_id,
            state,
            now_s);
    }
    /// A regression of the newest night with this culprit, and its report for a target.
    void report(const Revision& culprit, const std::string& outbox_state) {
        db.execute(
            "INSERT INTO regression (project_id, nightly_id, state, good_build_id, bad_build_id, "
            "culprit, created_at_s, changed_at_s) SELECT project_id, id, 'reported', build_id, "
            "build_id, ?1, 1, 1 FROM nightly ORDER BY id DESC LIMIT 1",
            culprit);
        db.execute(
            "INSERT INTO report (kind, project_id, regression_id, version, title, body, "
            "created_at_s, told_culprit) VALUES ('regression', ?1, last_insert_rowid(), 1, 't', "
            "'b', ?2, ?3)",
            project_id,
            now_s,
            culprit);
        db.execute(
            "INSERT INTO outbox (report_id, target, state, next_attempt_at_s) "
            "VALUES (last_insert_rowid(), 'desk', ?1, 0)",
            outbox_state);
    }
    /// The trouble's message; empty: there is none.
    std::string look() {
        check_self_tests(db, config, now_s);
        const auto open = list_troubles(db, "self_test.missed");
        return open.empty() ? "" : open.front().message;
    }
    std::string state(int number) {
        return *db.find<std::string>("SELECT state FROM self_test WHERE number = ?1", number);
    }

    ProjectId project_id;
};

TEST_CASE("A planted regression that is reported in time is no trouble", "[service][watch]") {
    Nights nights;
    CHECK(nights.look().empty());
    const auto planted = nights.plant('a');
    nights.add_night("done");
    CHECK(nights.look().empty());
    nights.report(planted, "pending");
    CHECK(nights.look().empty());
    CHECK(nights.state(1) == "waiting");  // no target has it yet
    nights.db.execute("UPDATE outbox SET state = 'sent'");
    nights.now_s += 7200;
    CHECK(nights.look().empty());
    CHECK(nights.state(1) == "reported");
    CHECK(find_reported_self_test_s(nights.db) == nights.now_s - 7200);
}

TEST_CASE("A planted regression that is missed is told with how far it came", "[service][watch]") {
    Nights nights;
    const auto planted = nights.plant('a');
    nights.now_s += 3601;
    using Catch::Contains;
    CHECK_THAT(nights.look(), Contains("work-3 of aaaaaaaaaa") && Contains("no night came of it"));
    CHECK(nights.state(1) == "missed");
    nights.add_night("measuring");
    CHECK_THAT(nights.look(), Contains("its night 2026-01-01 is still measuring"));
    nights.db.execute("UPDATE nightly SET state = 'done'");
    CHECK_THAT(nights.look(), Contains("found no regression"));
    nights.report(Revision(std::string(40, 'f')), "sent");
    CHECK_THAT(nights.look(), Contains("its search did not name the commit"));
    nights.report(planted, "dead");
    CHECK_THAT(nights.look(), Contains("its report was not delivered"));
    // A later one that is reported ends it.
    const auto next = nights.plant('b');
    CHECK_FALSE(nights.look().empty());
    nights.add_night("done");
    nights.report(next, "sent");
    CHECK(nights.look().empty());
    CHECK(nights.state(1) == "missed");
    CHECK(nights.state(2) == "reported");
}

TEST_CASE("The trouble ends with the self-test", "[service][watch]") {
    Nights nights;
    nights.plant('a');
    nights.now_s += 3601;
    CHECK_FALSE(nights.look().empty());
    nights.config.self_test.reset();
    CHECK(nights.look().empty());
}

TEST_CASE("A planting that was cut off is taken up, and quiet nights owe nothing", "[service]") {
    Nights nights;
    CHECK(begin_self_test(nights.db, nights.now_s) == 1);
    CHECK(begin_self_test(nights.db, nights.now_s) == 1);
    record_planted(nights.db, 1, std::nullopt);
    CHECK(begin_self_test(nights.db, nights.now_s) == 2);
    nights.now_s += 1'000'000;
    CHECK(nights.look().empty());
}

}  // namespace
}  // namespace vigil::service
