// Comments and check runs that are kept up to date in place, on a board that keeps state.

#include "service/report/deliver/notices.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "schema/wire/digest.hpp"
#include "service/report/notice_step.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/reports/commands.hpp"
#include "tests/integration/service/report/notice_board.hpp"

using namespace vigil;
using namespace vigil::service;
using vigil::test::BoardPull;
using vigil::test::Fault;

TEST_CASE("A comment and a check run are made once and edited in place", "[service][report]") {
    NoticeBoard post;
    post.comment("measured\n");
    post.check("queued", "waits");
    CHECK(post.write_all() == 2);
    post.comment("slower\n");
    post.check("failure", "1 of 2 series is worse");
    post.check("failure", "1 of 2 series is worse");
    CHECK(post.write_all() == 2);
    const auto comments = post.board.comments();
    REQUIRE(comments.size() == 1);
    CHECK(comments[0].issue == 7);
    CHECK(comments[0].body.starts_with("slower\n\n<!-- vigil:notice:"));
    const auto checks = post.board.checks();
    REQUIRE(checks.size() == 1);
    CHECK(checks[0].name == "vigil");
    CHECK(checks[0].head == full_hash('4'));
    CHECK(checks[0].external_id.starts_with("vigil:notice:"));
    CHECK(checks[0].status == "completed");
    CHECK(checks[0].conclusion == "failure");
    CHECK(checks[0].title == "1 of 2 series is worse");
    CHECK(checks[0].summary == "1 of 2 series is worse in full\n");
    CHECK(post.count("notice WHERE state = 'sent'") == 2);
    CHECK(post.count("event WHERE kind = 'notice.sent'") == 4);
    post.comment("slower\n");  // no news
    CHECK(post.write_all() == 0);
}

TEST_CASE("A notice is there once, whatever fails", "[service][report]") {
    NoticeBoard post;
    const bool before = GENERATE(false, true);
    CAPTURE(before);
    post.board.plan(cut("POST", "/comments", before));
    post.board.plan(cut("POST", "/check-runs", before));
    post.board.plan(cut("PATCH", "/comments/0", before));
    post.comment("first\n");
    post.check("in_progress", "first");
    post.write_all();
    CHECK(post.count("notice WHERE state = 'sent' AND external_ref <> ''") == 2);
    post.comment("second\n");
    post.write_all();
    CHECK(post.board.comments().size() == 1);
    CHECK(post.board.checks().size() == 1);
    CHECK(post.board.comments()[0].body.starts_with("second\n"));
}

TEST_CASE("A kill at any point of a notice repeats nothing", "[service][report]") {
    NoticeBoard post;
    const bool sends = GENERATE(false, true);
    CAPTURE(sends);
    post.comment("first\n");
    auto due = take_due_notices(post.db, post.config, Moment(post.now_s));
    REQUIRE(due.size() == 1);
    CHECK(take_due_notices(post.db, post.config, Moment(post.now_s + 5)).empty());
    if (sends) send_notice(post.session, due[0], post.now_s);  // nobody sees its end
    post.comment("second\n");                                  // meanwhile
    CHECK(resume_notices(post.db, post.now_s) == 1);
    post.db.execute_script("UPDATE tracker_write SET open = 0");
    post.write_all();
    REQUIRE(post.board.comments().size() == 1);
    CHECK(post.board.comments()[0].body.starts_with("second\n"));
}

TEST_CASE("Many notices are there once each, with faults and kills", "[service][report]") {
    NoticeBoard post;
    post.board.behave({.fault_share = 0.2, .seed = 5});
    constexpr int pulls = 40;
    for (int number = 8; number < 8 + pulls; ++number) {
        const auto head = Revision(wire::sha256(std::to_string(number)).str().substr(0, 40)).str();
        post.board.add_pull(BoardPull{.number = number, .head = head, .base = full_hash('0')});
        const auto place = std::to_string(number);
        for (const auto* words : {"first\n", "second\n"}) {
            put_notice(post.db, {"issues", "pull/" + place, number, "", "", "", words}, post.now_s);
            put_notice(
                post.db,
                {"issues", "check/" + head, number, head, "success", words, words},
                post.now_s);
            if (number % 2 == 0) break;
        }
    }
    CHECK(post.play(0.2) > 10);
    CHECK(post.board.faults() > 10);
    CHECK(post.count("notice WHERE state <> 'sent'") == 0);
    std::set<int> threads;
    for (const auto& comment : post.board.comments()) threads.insert(comment.issue);
    CHECK(threads.size() == pulls);
    CHECK(post.board.comments().size() == pulls);
    std::set<std::string> heads;
    for (const auto& check : post.board.checks()) heads.insert(check.head);
    CHECK(heads.size() == pulls);
    CHECK(post.board.checks().size() == pulls);
    const auto writes = post.board.writes_ms();
    for (std::size_t i = 1; i < writes.size(); ++i) CHECK(writes[i] - writes[i - 1] >= 1000);
}

TEST_CASE("Newer words that come while older ones are on their way are sent", "[service][report]") {
    NoticeBoard post;
    post.comment("first\n");
    const auto due = take_due_notices(post.db, post.config, Moment(post.now_s));
    REQUIRE(due.size() == 1);
    post.comment("second\n");
    finish_notice(
        post.db,
        post.config,
        due[0],
        send_notice(post.session, due[0], post.now_s),
        Moment(post.now_s));
    CHECK(post.board.comments()[0].body.starts_with("first\n"));
    CHECK(post.write_all() == 1);
    CHECK(post.board.comments()[0].body.starts_with("second\n"));
}

TEST_CASE("What cannot be written is given up with the reason", "[service][report]") {
    NoticeBoard post;
    post.board.refuse_checks();
    post.check("queued", "waits");
    post.comment("there\n");
    post.write_all();
    CHECK(post.count("notice WHERE state = 'dead' AND message LIKE '%Checks: write%'") == 1);
    CHECK(post.count("notice WHERE state = 'sent'") == 1);
    CHECK(post.count("tracker_quiet") == 0);  // that is no matter of pace
    post.board.remove_comment(0);
    post.comment("again\n");
    post.write_all();
    CHECK(post.count("notice WHERE state = 'dead' AND message LIKE '%somebody removed it%'") == 1);
    CHECK(post.board.comments().size() == 1);
    post.config.report_targets.erase("issues");
    post.comment("once more\n");
    CHECK(post.write_all() == 0);
    CHECK(post.count("notice WHERE state = 'dead' AND message LIKE '%no longer has%'") == 1);
}

TEST_CASE("A notice that was given up is a trouble until it is there", "[service][report]") {
    NoticeBoard post;
    const std::string open = "trouble WHERE kind = 'notice.undelivered' AND ended_s IS NULL";
    const auto refuse = [&] {
        auto refused = cut("POST", "/comments", true);
        refused.reply.fault = Fault::none;
        refused.reply.status = 400;
        post.board.plan(refused);
    };
    refuse();
    post.comment("first\n");
    post.write_all();
    CHECK(post.count(open) == 1);
    const auto words = post.db.find<std::string>("SELECT message FROM trouble").value_or("");
    CHECK(
        words.starts_with("1 of the comments and check runs at issues was given up, the newest "
                          "is the comment below 7: making the comment below 7: the tracker "
                          "answered 400"));
    CHECK(post.count("trouble WHERE project_id = 1 AND subject = 'target/issues'") == 1);
    CHECK(post.count("event WHERE kind = 'notice.undelivered'") == 1);
    SECTION("said once, and ended by newer words") {
        refuse();
        post.comment("second\n");
        post.write_all();
        CHECK(post.count("event WHERE kind = 'notice.undelivered'") == 1);
        notice_step(post.db, post.config, post.now_s);
        CHECK(post.count(open) == 1);
        post.comment("third\n");
        post.check("queued", "another one");  // which arrives, and says nothing of the comment
        post.write_all();
        CHECK(post.count(open) == 0);
        CHECK(post.board.comments().size() == 1);
    }
    SECTION("nobody waits for old words") {
        notice_step(post.db, post.config, post.now_s + 31 * 86'400);
        CHECK(post.count(open) == 0);
    }
    SECTION("nor for those of a target that is gone") {
        post.config.report_targets.erase("issues");
        post.comment("second\n");
        post.write_all();
        CHECK(post.count("notice WHERE state = 'dead' AND given_up = 0") == 1);
        notice_step(post.db, post.config, post.now_s);
        CHECK(post.count(open) == 0);
    }
}

TEST_CASE("What a person or a token forbids is no trouble", "[service][report]") {
    NoticeBoard post;
    post.board.refuse_checks();
    post.check("queued", "waits");
    post.comment("there\n");
    post.write_all();
    post.board.remove_comment(0);
    post.comment("again\n");
    post.write_all();
    CHECK(post.count("notice WHERE state = 'dead'") == 2);
    CHECK(post.count("trouble") == 0);
}

TEST_CASE("While reports are held no notice is sent", "[service][report]") {
    NoticeBoard post;
    post.comment("first\n");
    post.config.hold_reports = true;
    CHECK(post.write_all() == 0);
    CHECK(post.board.requests().empty());
    post.config.hold_reports = false;
    CHECK(post.write_all() == 1);
}

TEST_CASE("A command's thread is told what came of its request", "[service][report]") {
    NoticeBoard post;
    add_command(post.db, {"issues", 7, "https://x.example/7", 1, "ada", "/vigil rerun"}, 1);
    NewRequest wanted;
    wanted.project = ProjectId{1};
    wanted.kind = RequestKind::comparison;
    wanted.a_build = BuildId{1};
    wanted.b_build = BuildId{2};
    wanted.asked.variants = {{"mlp", "train", "xeon"}};
    const auto request = add_request(post.db, wanted, post.now_s);
    note_request_of_command(post.db, 1, request);
    CHECK(notice_step(post.db, post.config, post.now_s) == 0);
    const auto session = add_request_session(
        post.db,
        load_request(post.db, request),
        wanted.asked.variants.front(),
        MachineClassId{1},
        "",
        post.now_s);
    note_verdict(
        post.db,
        session,
        {SeriesId{1}, Verdict::regression, {1e7, 1.2e7, 0.2, 0.19, 0.21, 1, 4, 4}, "worse"});
    move_request(post.db, request, RequestState::measuring, "", post.now_s);
    move_request(post.db, request, RequestState::done, "1 worse", post.now_s);
    CHECK(notice_step(post.db, post.config, post.now_s) == 1);
    CHECK(notice_step(post.db, post.config, post.now_s) == 0);
    post.write_all();
    REQUIRE(post.board.comments().size() == 1);
    const auto body = post.board.comments()[0].body;
    CAPTURE(body);
    CHECK(body.starts_with("**1 of 1 series is worse.**\n\n| Series |"));
    CHECK(
        body.find("| 10.00 ms | 12.00 ms | +20.0 % | +19.0 % to +21.0 % | **worse** | 4 + 4 |") !=
        body.npos);
    CHECK(body.find("Measured: `c0ffee0000` against `c0ffee0000`") != body.npos);
}
