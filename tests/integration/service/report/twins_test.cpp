// A comment or a check run whose first request was carried out minutes late.

#include <catch2/catch.hpp>

#include "tests/integration/service/report/notice_board.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

/// It is cut off, and carried out five minutes later.
test::BoardFault late(const std::string& end, bool before = false) {
    auto fault = cut("POST", end, before);
    fault.act_after_s = before ? 0 : 300;
    return fault;
}

int standing(NoticeBoard& post) {
    int all = 0;
    for (const auto& one : post.board.comments()) all += one.issue == 7 ? 1 : 0;
    return all;
}

}  // namespace

TEST_CASE("A comment that came late a second time is removed", "[service][report]") {
    NoticeBoard post;
    post.board.plan(late("/comments"));
    post.comment("first\n");
    post.board.say({7, "a person's\n", "ada"});
    CHECK(post.look_all() == 2);  // it removes one, and sees that there are no more
    CHECK(standing(post) == 2);
    CHECK(post.count("event WHERE kind = 'notice.twin_ended'") == 1);
    CHECK(post.count("notice WHERE look_at_s IS NULL AND state = 'sent'") == 1);
    post.comment("second\n");
    CHECK(post.look_all() == 0);
    int found = 0;
    for (const auto& one : post.board.comments()) {
        if (one.issue == 7 && one.author != "ada") found += one.body.starts_with("second") ? 1 : 9;
    }
    CHECK(found == 1);
}

TEST_CASE("What another account wrote with our marker stays", "[service][report]") {
    NoticeBoard post;
    post.board.plan(late("/comments", true));  // which never came
    post.comment("first\n");
    post.write_all();
    REQUIRE(standing(post) == 1);
    post.board.say({7, post.board.comments()[0].body, "mallory"});
    CHECK(post.look_all() == 1);
    CHECK(standing(post) == 2);
    CHECK(post.count("event WHERE kind = 'notice.twin_ended'") == 0);
}

TEST_CASE("Of two check runs the newest has the newest words", "[service][report]") {
    NoticeBoard post;
    post.board.plan(late("/check-runs"));
    post.check("queued", "waits");
    post.write_all();
    post.check("failure", "1 of 2 series is worse");
    CHECK(post.look_all() == 1);
    const auto checks = post.board.checks();
    REQUIRE(checks.size() == 2);
    CHECK(checks[1].conclusion == "failure");
    CHECK(post.count("notice WHERE state = 'sent' AND external_ref = '2'") == 1);
}

TEST_CASE("A look for twins that fails is done again", "[service][report]") {
    NoticeBoard post;
    post.board.plan(late("/comments"));
    post.comment("first\n");
    post.write_all();  // ten minutes: the look is due
    auto fault = cut("DELETE", "", true);
    post.board.plan(fault);
    fault.method = "GET";
    post.board.plan(fault);
    CHECK(post.look_all() == 4);
    CHECK(standing(post) == 1);
}

TEST_CASE("A twin whose removal has to wait is told once it is removed", "[service][report]") {
    NoticeBoard post;
    post.board.plan(late("/comments"));
    test::CannedReply busy;
    busy.status = 429;
    busy.headers["retry-after"] = "30";
    post.board.plan({"DELETE", busy, true});
    post.comment("first\n");
    post.look_all();
    CHECK(standing(post) == 1);
    CHECK(post.count("event WHERE kind = 'notice.twin_ended'") == 1);
}

TEST_CASE("One request makes one, and nobody looks for others", "[service][report]") {
    NoticeBoard post;
    post.board.plan(cut("POST", "/comments", false));
    post.comment("first\n");
    post.write_all();
    CHECK(post.look_all() == 0);
    CHECK(standing(post) == 1);
    // The request of a daemon that was killed counts, whether it was carried out or not.
    post.check("queued", "waits");
    REQUIRE(take_due_notices(post.db, post.config, Moment(post.now_s)).size() == 1);
    CHECK(resume_notices(post.db, post.now_s) == 1);
    end_open_writes(post.db, post.now_s * 1000);
    post.write_all();
    CHECK(post.look_all() == 1);
    CHECK(post.board.checks().size() == 1);
}
