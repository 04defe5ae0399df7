// A night that finds very much is one issue, not hundreds.

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "service/report/targets.hpp"
#include "tests/integration/service/report/post.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

/// So many regressions more of the night, each of its series.
void find_more(Post& post, int count) {
    for (int i = 0; i < count; ++i) {
        post.db.execute(
            "INSERT INTO regression (project_id, nightly_id, good_build_id, bad_build_id, state, "
            "bisection_id, culprit, reason, created_at_s, changed_at_s) SELECT project_id, "
            "nightly_id, good_build_id, bad_build_id, 'range', bisection_id, NULL, 'x', "
            "created_at_s, changed_at_s FROM regression WHERE id = 1");
        post.db.execute(
            "INSERT INTO regression_series(regression_id, series_id, suspicion_id) "
            "VALUES (?1, 1, 1)",
            post.db.last_insert_id());
    }
}

void report_all(Post& post) {
    for (int i = 0; i < 6; ++i) report_step(post.db, post.config, post.now_s += 20);
    post.deliver_all(2000);
}

}  // namespace

TEST_CASE("A night of up to twenty causes is as many issues", "[service][report]") {
    Post post;
    find_more(post, max_causes - 1);
    report_all(post);
    CHECK(post.board.issues().size() == std::size_t(max_causes));
    CHECK(post.count("trouble WHERE kind = 'night.many_causes'") == 0);
}

TEST_CASE("A night of more causes is one issue beside those that are there", "[service][report]") {
    Post post;
    post.deliver_all();
    REQUIRE(post.board.issues().size() == 1);
    find_more(post, 40);
    post.config.report_targets["issues"].troubles = false;  // it stands for regressions
    report_all(post);
    auto issues = post.board.issues();
    REQUIRE(issues.size() == 2);
    CHECK(issues[1].title == "tensorlab: one night found many regressions");
    CHECK(issues[1].body.find("41 regressions") != std::string::npos);
    CHECK(issues[1].state == "open");
    CHECK(post.count("outbox WHERE target = 'files' AND state = 'sent'") > 41);

    // Its list follows them, and it ends with the last of them.
    post.change("accepted");
    report_all(post);
    issues = post.board.issues();
    REQUIRE(issues.size() == 2);
    CHECK(issues[1].body.find("accepted") != std::string::npos);
    CHECK(issues[1].state == "closed");
    CHECK(post.count("trouble WHERE kind = 'night.many_causes' AND ended_s IS NULL") == 0);
}

TEST_CASE("A trouble of many causes that names no night ends, and stops nothing", "[service]") {
    for (const std::string subject :
         {"nightly/", "nightly/x", "nightly/99999999999999999999", "x"}) {
        CAPTURE(subject);
        Post post;
        post.db.execute(
            "INSERT INTO trouble(kind, subject, message, since_s, seen_s) "
            "VALUES ('night.many_causes', ?1, 'm', 1, 1)",
            subject);
        CHECK_NOTHROW(report_all(post));
        CHECK(post.count("trouble WHERE kind = 'night.many_causes' AND ended_s IS NULL") == 0);
        CHECK(post.board.issues().size() == 1);
    }
}
