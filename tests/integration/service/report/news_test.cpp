// What is said below an issue, beside its text: news, and at most once a day.

#include <catch2/catch.hpp>

#include "service/report/deliver/turns.hpp"
#include "service/store/findings/regressions.hpp"
#include "tests/integration/service/report/post.hpp"

using namespace vigil;
using namespace vigil::service;

TEST_CASE("Recovery is said in a comment, once, and closes the issue", "[service][report]") {
    Post post;
    post.deliver_all();
    CHECK(post.board.comments().empty());
    post.change("closed");
    post.change("closed");
    post.deliver_all();
    const auto said = post.board.comments();
    REQUIRE(said.size() == 1);
    CHECK(said[0].issue == 1);
    CHECK(said[0].body.starts_with("**Recovered.**"));
    CHECK(said[0].body.find("<!-- vigil:comment:1:") != std::string::npos);
    CHECK(post.board.issues()[0].state == "closed");
    CHECK(
        post.count("outbox WHERE target = 'files'") ==
        post.count("outbox WHERE target = 'files' AND state <> 'pending'"));
    CHECK(post.count("report WHERE kind = 'comment'") == 1);
}

TEST_CASE("What changes within a day of a comment waits, and is one", "[service][report]") {
    Post post;
    post.deliver_all();
    post.change("closed");
    post.deliver_all();
    REQUIRE(post.board.comments().size() == 1);
    const auto first_s = post.now_s;
    post.change("reported");
    post.change("closed");
    post.change("reported");
    const auto before = post.board.requests().size();
    post.deliver_all();
    CHECK(post.now_s >= first_s + comment_spacing_s - 120);
    const auto said = post.board.comments();
    REQUIRE(said.size() == 2);
    CHECK(said[1].body.find("**Open again") == 0);
    CHECK(said[1].body.find("**Recovered") != std::string::npos);
    CHECK(post.board.requests().size() > before);
    CHECK(post.board.issues()[0].state == "open");
}

TEST_CASE("What a command in the thread decided is not said twice", "[service][report]") {
    Post post;
    post.deliver_all();
    move_by_hand(
        post.db, RegressionId{1}, RegressionState::accepted, "github:ada", "fine", post.now_s);
    report_step(post.db, post.config, post.now_s += 60);
    post.deliver_all();
    CHECK(post.board.comments().empty());
    move_by_hand(post.db, RegressionId{1}, RegressionState::reported, "ada", "@all", post.now_s);
    report_step(post.db, post.config, post.now_s += 60);
    post.deliver_all();
    const auto said = post.board.comments();
    REQUIRE(said.size() == 1);
    CHECK(said[0].body.starts_with("**Open again by `ada`"));
    CHECK(said[0].body.find("@all") == std::string::npos);  // nobody is mentioned
}

TEST_CASE("A comment whose answer was lost is looked for, not written twice", "[service][report]") {
    Post post;
    post.deliver_all();
    test::CannedReply lost;
    lost.fault = test::Fault::hang_up;
    post.board.plan({.method = "POST", .reply = lost, .target_end = "/comments"});
    post.change("closed");
    post.deliver_all();
    CHECK(post.board.comments().size() == 1);
    CHECK(
        post.count("outbox o JOIN report r ON r.id = o.report_id WHERE r.kind = 'comment' "
                   "AND o.state = 'sent'") == 1);
}

TEST_CASE("News that came late a second time is removed", "[service][report]") {
    Post post;
    post.deliver_all();
    test::CannedReply lost;
    lost.fault = test::Fault::hang_up;
    const auto late_s = GENERATE(60, 300);
    CAPTURE(late_s);
    post.board.plan(
        {.method = "POST", .reply = lost, .act_after_s = late_s, .target_end = "/comments"});
    post.change("closed");
    post.deliver_all();
    post.change("reported");  // what was late is carried out before this one
    post.deliver_all();
    int recovered = 0;
    for (const auto& one : post.board.comments()) {
        recovered += one.issue == 1 && one.body.starts_with("**Recovered") ? 1 : 0;
    }
    CHECK(recovered == 1);
    CHECK(
        post.count("outbox o JOIN report r ON r.id = o.report_id WHERE r.kind = 'comment' "
                   "AND o.state = 'sent' AND o.external_ref LIKE 'https://tracker.example/%'") ==
        2);
}

TEST_CASE("A comment that a kill cut off is not said again by a later one", "[service][report]") {
    Post post;
    post.deliver_all();
    post.change("closed");
    while (post.board.comments().empty()) {
        for (const auto& one : take_due(post.db, post.config, ++post.now_s)) {
            const auto reply = post.deliverer().deliver(one.envelope, post.now_s);
            if (one.envelope.comment_below != 0) break;  // nobody wrote it down
            finish_delivery(post.db, one, reply, post.now_s);
        }
    }
    REQUIRE(resume_outbox(post.db, post.now_s) == 1);
    post.change("reported");
    post.deliver_all();
    const auto said = post.board.comments();
    REQUIRE(said.size() == 2);
    CHECK(said[1].body.find("**Open again") == 0);
    CHECK(said[1].body.find("**Recovered") == std::string::npos);
}

TEST_CASE("Nothing is said below an issue that was never filed", "[service][report]") {
    Post post;
    post.config.report_targets["issues"].base_url = "http://127.0.0.1:1";
    post.change("closed");
    post.deliver_all(3000);
    CHECK(post.board.comments().empty());
    CHECK(post.count("outbox WHERE state = 'dead' AND message LIKE 'commenting on%'") == 1);
}
