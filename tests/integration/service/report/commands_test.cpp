// Commands below an issue, from the row that a delivery left to the answer in the thread.

#include "service/report/deliver/commands.hpp"

#include <atomic>
#include <fstream>
#include <iostream>

#include <catch2/catch.hpp>

#include "service/report/deliver/notices.hpp"
#include "service/report/deliver/outbox.hpp"
#include "service/report/report_step.hpp"
#include "service/report/send/deliverer.hpp"
#include "service/store/reports/tracker.hpp"
#include "tests/integration/service/report/ledger.hpp"
#include "tests/support/issue_board.hpp"

using namespace vigil;
using namespace vigil::service;
using vigil::test::BoardFault;
using vigil::test::BoardIssue;
using vigil::test::CannedReply;
using vigil::test::Fault;
using vigil::test::IssueBoard;

namespace {

constexpr const char* address = "https://tracker.example/owner/name/issues/1";

/// A reported regression whose issue is number 1, and time that a test moves.
struct IssueThread : Ledger {
    IssueThread() {
        const std::string token = (folder.path() / "token").string();
        std::ofstream(token) << "secret\n";
        config.report_targets["issues"].base_url = board.url();
        config.report_targets["issues"].token_file = token;
        report_step(db, config, now_s);
        db.execute(
            "UPDATE outbox SET state = 'sent', external_ref = ?1 WHERE target = 'issues'", address);
        board.add(BoardIssue{});
        board.permit("ada", "write");
    }

    void say(
        const std::string& words,
        const std::string& login = "ada",
        int comment = 0,
        bool is_member = false) {
        NewCommand asked{"issues", 1, address, comment, login, words};
        asked.is_member = is_member;
        if (comment == 0) asked.comment = ++comments;
        add_command(db, asked, now_s);
    }

    /// Until nothing is due for ten minutes.
    void answer_all(int seconds = 600) {
        Deliverer reports(config, std::cout, real_trackers());
        for (int second = 0; second < seconds; ++second, ++now_s) {
            clock_ms = now_s * 1000;
            for (const auto& one : take_due(db, config, Moment(now_s))) {
                const auto reply = reports.deliver(one.envelope, now_s);
                finish_delivery(db, one, reply, Moment(now_s));
            }
            for (const auto& one : take_due_commands(db, config, Moment(now_s))) {
                const auto came = ask_about(thread, one, now_s);
                finish_command(db, config, one, came, Moment(now_s));
            }
            for (const auto& one : take_due_notices(db, config, Moment(now_s))) {
                finish_notice(db, config, one, send_notice(session, one, now_s), Moment(now_s));
            }
            for (const auto& one : take_due_twins(db, config, Moment(now_s))) {
                finish_twin(db, one, end_notice_twin(session, one, now_s), Moment(now_s));
            }
        }
    }

    std::string state() {
        return *db.find<std::string>("SELECT state FROM regression WHERE id = 1");
    }
    std::string last_answer() {
        const auto all = board.comments();
        return all.empty() ? "" : all.back().body;
    }

    int answers() {
        int all = 0;
        for (const auto& one : board.comments()) all += one.issue == 1 ? 1 : 0;
        return all;
    }

    std::atomic<std::int64_t> clock_ms{0};
    IssueBoard board{[this] { return clock_ms.load(); }};
    TrackerSession session;
    GithubThread thread{session};
    int comments = 100;
};

BoardFault dropped(const std::string& method, const std::string& end, bool before) {
    CannedReply reply;
    reply.fault = Fault::hang_up;
    return {method, reply, before, 0, end};
}

bool starts(const std::string& text, const std::string& words) {
    return text.starts_with(words);
}

}  // namespace

TEST_CASE("Who may write decides by a comment, and is answered there", "[service][report]") {
    IssueThread post;
    post.say("/vigil ack");
    post.answer_all();
    CHECK(post.state() == "acknowledged");
    REQUIRE(post.board.comments().size() == 1);
    CHECK(post.board.comments()[0].issue == 1);
    CHECK(
        starts(post.last_answer(), "Regression 1 is acknowledged, as `ada` asked.\n\n<!-- vigil:"));
    post.say("/vigil accept the checks are worth it");
    post.answer_all();
    CHECK(post.state() == "accepted");
    CHECK(post.count("event WHERE kind = 'regression.accepted' AND data LIKE '%github:ada%'") == 1);
    post.say("/vigil reopen it was a mistake");
    post.say("/vigil mute 14d a release is near");
    post.answer_all();
    CHECK(post.state() == "reported");
    CHECK(post.count("mute WHERE owner = 'github:ada' AND reason = 'a release is near'") == 1);
    CHECK(post.count("command WHERE state = 'sent'") == 4);
    CHECK(post.count("event WHERE kind = 'command.answered'") == 4);
    report_step(post.db, post.config, post.now_s);  // the report may say so now
}

TEST_CASE("Who may not write changes nothing, and nothing is written", "[service][report]") {
    IssueThread post;
    post.say("/vigil accept all is well", "mallory");
    post.say("/vigil refute all is well", "mallory");
    post.answer_all();
    CHECK(post.state() == "reported");
    CHECK(post.board.writes_ms().empty());
    CHECK(post.count("command WHERE state = 'sent'") == 2);
    CHECK(post.count("event WHERE kind = 'command.refused' AND message LIKE '%mallory%'") == 2);
    int asked = 0;
    for (const auto& request : post.board.requests()) asked += request.method == "GET" ? 1 : 0;
    CHECK(asked == 1);  // it is known for five minutes
}

TEST_CASE("Strangers hold back no issue and no member's command", "[service][report]") {
    IssueThread post;
    for (int i = 0; i < 300; ++i) post.say("/vigil ack", "stranger" + std::to_string(i));
    CHECK(post.count("command") == 200);
    post.answer_all(30);  // as many as may be asked about in a minute
    post.say("/vigil ack", "ada", 0, true);
    post.db.execute(
        "UPDATE outbox SET state = 'pending', external_ref = '' WHERE target = 'issues'");
    const auto begun_s = post.now_s;
    post.answer_all(900);
    REQUIRE(post.board.writes_ms().size() >= 2);  // the issue, its news, and one answer
    CHECK(post.board.writes_ms().front() == begun_s * 1000);
    CHECK(post.board.issues().size() == 2);
    REQUIRE(post.answers() == 1);
    const auto answered_ms =
        post.db.find<std::int64_t>("SELECT at_s FROM event WHERE kind = 'command.answered'");
    CHECK(answered_ms == begun_s);
    CHECK(post.count("event WHERE kind = 'command.refused'") == 200);
}

TEST_CASE("Answers take no turn of a report's, whatever their number", "[service][report]") {
    IssueThread post;
    for (int i = 0; i < 200; ++i) post.say("/vigil help");  // by who may write
    post.answer_all(1800);
    CHECK(post.answers() == 100);  // of the hour
    post.db.execute(
        "UPDATE outbox SET state = 'pending', external_ref = '' WHERE target = 'issues'");
    const auto begun_s = post.now_s;
    post.answer_all(60);
    CHECK(post.board.issues().size() == 2);
    CHECK(post.board.writes_ms()[100] == begun_s * 1000);
}

TEST_CASE("What cannot be done is answered with the reason", "[service][report]") {
    IssueThread post;
    post.say("/vigil help");
    post.answer_all();
    CHECK(starts(post.last_answer(), "Nothing was changed: this is no command; known are `ack`"));
    post.say("/vigil accept fine");
    post.say("/vigil ack");
    post.answer_all();
    CHECK(post.state() == "accepted");
    CHECK(starts(post.last_answer(), "Nothing was changed: regression 1 is accepted"));
    post.db.execute_script("UPDATE outbox SET external_ref = ''");
    post.say("/vigil ack");
    post.answer_all();
    CHECK(starts(post.last_answer(), "Nothing was changed: no regression is reported"));
}

TEST_CASE("A comment is acted on once and answered once, whatever fails", "[service][report]") {
    IssueThread post;
    post.board.plan(dropped("GET", "/permission", false));
    post.board.plan(dropped("POST", "/comments", false));  // it is there, and nobody heard of it
    post.say("/vigil ack", "ada", 7);
    post.say("/vigil ack", "ada", 7);  // another hook of the same repository
    post.answer_all();
    CHECK(post.count("command") == 1);
    CHECK(post.board.comments().size() == 1);
    CHECK(post.count("event WHERE kind = 'regression.acknowledged'") == 1);
    CHECK(post.count("command WHERE state = 'sent'") == 1);
    // Cut off while its author was asked about, and while the answer was written.
    post.say("/vigil accept fine");
    auto due = take_due_commands(post.db, post.config, Moment(post.now_s));
    REQUIRE(due.size() == 1);
    ask_about(post.thread, due[0], post.now_s);  // nobody sees its end
    CHECK(resume_commands(post.db, post.now_s) == 1);
    end_open_writes(post.db, post.now_s * 1000);
    due = take_due_commands(post.db, post.config, Moment(++post.now_s));
    REQUIRE(due.size() == 1);
    const auto came = ask_about(post.thread, due[0], post.now_s);
    finish_command(post.db, post.config, due[0], came, Moment(post.now_s));
    const auto answers = take_due_notices(post.db, post.config, Moment(++post.now_s));
    REQUIRE(answers.size() == 1);
    send_notice(post.session, answers[0], post.now_s);  // nobody sees its end
    CHECK(resume_notices(post.db, post.now_s) == 1);
    end_open_writes(post.db, post.now_s * 1000);
    post.answer_all();
    CHECK(post.board.comments().size() == 2);
    CHECK(post.state() == "accepted");
}

TEST_CASE("An answer that came late a second time is removed", "[service][report]") {
    IssueThread post;
    auto late = dropped("POST", "/comments", false);
    late.act_after_s = GENERATE(60, 300);
    CAPTURE(late.act_after_s);
    post.board.plan(late);
    post.say("/vigil ack");
    post.answer_all(1800);
    post.say("/vigil help");  // what was late is carried out before this one
    post.answer_all();
    CHECK(post.answers() == 2);
    CHECK(post.count("event WHERE kind = 'regression.acknowledged'") == 1);
}

TEST_CASE("An answer that was given up is a trouble, and is sent again", "[service][report]") {
    IssueThread post;
    CannedReply gone;
    gone.status = 410;
    post.board.plan({"POST", gone, true, 0, "/comments"});
    post.say("/vigil ack");
    post.answer_all();
    CHECK(post.state() == "acknowledged");
    CHECK(post.answers() == 0);
    REQUIRE(post.count("trouble WHERE kind = 'notice.undelivered' AND ended_s IS NULL") == 1);
    const auto notice = post.db.find<std::int64_t>("SELECT id FROM notice WHERE state = 'dead'");
    REQUIRE(retry_notice(post.db, notice.value(), Moment(post.now_s)));
    post.answer_all();
    CHECK(post.answers() == 1);
    CHECK(post.count("trouble WHERE ended_s IS NULL") == 0);
}

TEST_CASE("A command asks for what is to be measured again", "[service][report]") {
    IssueThread post;
    post.config.projects["tensorlab"].matrix = {{"daily", {"xeon"}}};
    auto other = post.config.projects["tensorlab"].suites["daily"].front();
    other.variant = "infer";
    post.config.projects["tensorlab"].suites["daily"].push_back(other);
    post.say("/vigil rerun");
    post.answer_all();
    CHECK(starts(
        post.last_answer(),
        "Regression 1 is measured again (request 1: 1 variant), and what comes of it is told "
        "here, as `ada` asked."));
    post.say("/vigil bench");
    post.answer_all();
    CHECK(starts(
        post.last_answer(),
        "Regression 1 is measured by all that the project measures (request 2: 2 variants), and "));
    post.say("/vigil rebisect");
    post.answer_all();
    CHECK(starts(
        post.last_answer(), "Regression 1 is searched again (request 3: 1 variant), and what"));
    CHECK(post.state() == "reported");
    CHECK(post.count("request WHERE token = 'github:ada' AND state = 'naming'") == 3);
    CHECK(post.count("request WHERE a_build_id = 1 AND b_build_id = 2") == 3);
    CHECK(post.count("request WHERE kind = 'bisection' AND asked LIKE '%cpu_time_ns%'") == 1);
    CHECK(post.count("request WHERE kind = 'comparison'") == 2);
}

TEST_CASE("What cannot be measured again is answered with the reason", "[service][report]") {
    IssueThread post;
    post.say("/vigil rerun");  // nothing of it is in the matrix any more
    post.answer_all();
    CHECK(starts(
        post.last_answer(), "Nothing was changed: project tensorlab measures none of its series"));
    post.config.projects["tensorlab"].matrix = {{"daily", {"xeon"}}};
    post.config.projects["tensorlab"].source.kind = SourceKind::npm;
    post.say("/vigil rebisect");
    post.answer_all();
    CHECK(starts(
        post.last_answer(), "Nothing was changed: project tensorlab: the project's builds come"));
    post.say("/vigil rerun", "mallory");
    post.answer_all();
    CHECK(post.answers() == 2);
    post.say("/vigil rerun 7");
    post.answer_all();
    CHECK(starts(post.last_answer(), "Nothing was changed: `rerun` stands alone"));
    CHECK(post.count("request") == 0);
}

TEST_CASE("A target that is gone takes its commands with it", "[service][report]") {
    IssueThread post;
    post.say("/vigil ack");
    post.config.report_targets.erase("issues");
    post.answer_all();
    CHECK(post.state() == "reported");
    CHECK(post.count("command WHERE state = 'dead' AND message LIKE '%no longer%'") == 1);
    CHECK(post.board.comments().empty());
}
