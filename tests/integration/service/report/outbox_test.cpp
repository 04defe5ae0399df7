#include "service/report/deliver/outbox.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include <catch2/catch.hpp>

#include "service/report/report_step.hpp"
#include "service/report/send/deliverer.hpp"
#include "service/report/send/github_tracker.hpp"
#include "service/store/troubles.hpp"
#include "tests/integration/service/report/office.hpp"
#include "tests/integration/service/report/post.hpp"

using namespace vigil;
using namespace vigil::service;
using vigil::test::BoardFault;
using vigil::test::BoardIssue;
using vigil::test::CannedReply;
using vigil::test::Fault;

namespace {

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

CannedReply answer(int status, std::map<std::string, std::string> headers = {}) {
    CannedReply reply;
    reply.status = status;
    reply.body = R"({"message":"planned"})";
    reply.headers = std::move(headers);
    return reply;
}

CannedReply fault(Fault kind) {
    CannedReply reply;
    reply.fault = kind;
    return reply;
}

}  // namespace

TEST_CASE("A report becomes one issue and one file", "[service][report]") {
    Post post;
    post.deliver_all();
    const auto issues = post.board.issues();
    REQUIRE(issues.size() == 1);
    CHECK(issues[0].title.starts_with("[perf] mlp train +20.5 % CPU time since"));
    const auto folder = post.folder.path() / "reports";
    CHECK(text_of(folder / "tensorlab-regression-1.md") == issues[0].body);
    CHECK(std::filesystem::exists(folder / "tensorlab-night-2026-11-19-1.md"));
    CHECK(post.count("outbox WHERE state = 'sent'") == 3);
    CHECK(post.count("event WHERE kind = 'report.sent'") == 3);
    for (const auto& request : post.board.requests()) {
        CHECK(request.headers.at("authorization") == "Bearer secret");
        CHECK(request.headers.at("x-github-api-version") == "2022-11-28");
    }
}

TEST_CASE("What changed while the clock was set back is reported", "[service][report]") {
    Post post;
    post.deliver_all();
    post.now_s -= 25 * 3600;
    post.change("acknowledged");
    const int versions = post.count("report WHERE regression_id = 1");
    CHECK(versions == 2);
    post.now_s += 60;
    report_step(post.db, post.config, post.now_s);
    CHECK(post.count("report WHERE regression_id = 1") == versions);
}

TEST_CASE("A trouble is one issue, which is closed when it ends", "[service][report]") {
    Post post;
    post.deliver_all();
    const Trouble trouble{
        .kind = "source.failed",
        .subject = "project/tensorlab",
        .project = ProjectId{1},
        .message = "its branch is gone"};
    for (int round = 0; round < 3; ++round) {
        note_trouble(post.db, trouble, post.now_s += 60);
        report_step(post.db, post.config, post.now_s);
        post.deliver_all();
    }
    REQUIRE(post.board.issues().size() == 2);
    const auto open = post.board.issues()[1];
    CHECK(open.title == "tensorlab: its source gives no nightly");
    CHECK(open.body.find("its branch is gone") != std::string::npos);
    CHECK(open.state == "open");
    CHECK(post.count("report WHERE kind = 'trouble'") == 1);

    end_trouble(post.db, trouble.kind, trouble.subject, post.now_s += 60);
    report_step(post.db, post.config, post.now_s);
    post.deliver_all();
    CHECK(post.board.issues()[1].state == "closed");
    note_trouble(post.db, trouble, post.now_s += 60);  // it comes back at once
    report_step(post.db, post.config, post.now_s);
    post.deliver_all();
    CHECK(post.board.issues().size() == 2);
}

TEST_CASE("A target that takes nothing is a trouble until it does", "[service][report]") {
    Post post;
    DueDelivery delivery;
    delivery.outbox_id = post.db.find<std::int64_t>("SELECT min(id) FROM outbox").value_or(0);
    delivery.project = ProjectId{1};
    delivery.envelope.target = "issues";
    SendReply refused;
    refused.outcome = SendOutcome::refused;
    refused.message = "the token is not valid";
    const std::string open = "trouble WHERE kind = 'report.undelivered' AND ended_s IS NULL";
    for (int round = 0; round < 2; ++round) {
        finish_delivery(post.db, delivery, refused, post.now_s);
        CHECK(post.count(open + " AND subject = 'target/issues'") == 1);
    }
    finish_delivery(post.db, delivery, sent("https://tracker/1"), post.now_s);
    CHECK(post.count(open) == 0);
}

TEST_CASE(
    "A new version updates the issue in place and closes it in the end", "[service][report]") {
    Post post;
    post.deliver_all();
    post.change("acknowledged");
    post.deliver_all();
    auto issues = post.board.issues();
    REQUIRE(issues.size() == 1);
    CHECK(issues[0].state == "open");
    CHECK(issues[0].body.starts_with("**Acknowledged."));
    post.change("closed");
    post.deliver_all();
    issues = post.board.issues();
    REQUIRE(issues.size() == 1);
    CHECK(issues[0].state == "closed");
    CHECK(text_of(post.folder.path() / "reports/tensorlab-regression-1.md") == issues[0].body);
}

TEST_CASE(
    "Whatever goes wrong after the issue was created, there is exactly one", "[service][report]") {
    Post post;
    CannedReply garbage = answer(201);
    garbage.body = "<html>not JSON";
    const std::vector<CannedReply> faults{
        fault(Fault::silence),
        fault(Fault::hang_up),
        answer(500),
        answer(502),
        garbage,
        answer(201)};
    const auto which = GENERATE(range(0, 6));
    CAPTURE(which);
    post.board.plan({"POST", faults[static_cast<std::size_t>(which)], false});
    post.board.plan({"GET", answer(503), true});
    post.board.plan({"GET", fault(Fault::hang_up), true});
    post.board.plan({"PATCH", answer(500), true});
    post.deliver_all();
    CHECK(post.board.issues().size() == 1);
    CHECK(post.count("outbox WHERE state = 'sent'") == 3);
}

TEST_CASE("A request that never arrived is made again", "[service][report]") {
    Post post;
    const auto which = GENERATE(range(0, 3));
    CAPTURE(which);
    const std::vector<CannedReply> faults{fault(Fault::hang_up), answer(500), answer(404)};
    post.board.plan({"POST", faults[static_cast<std::size_t>(which)], true});
    post.deliver_all();
    CHECK(post.board.issues().size() == 1);
}

TEST_CASE(
    "The issue is found on a late page, among pull requests and forgeries", "[service][report]") {
    Post post;
    post.board.plan({"POST", fault(Fault::hang_up), false});
    post.deliver_all(1);
    REQUIRE(post.board.issues().size() == 1);
    const std::string marker =
        post.board.issues()[0].body.substr(post.board.issues()[0].body.rfind("<!--"));
    for (int i = 0; i < 230; ++i) post.board.add({0, "other", "see `" + marker, "open", i == 7});
    post.deliver_all();
    CHECK(post.board.issues().size() == 231);
    CHECK(post.count("outbox WHERE external_ref LIKE '%/issues/1'") == 1);
}

TEST_CASE("A tracker that asks to wait is left alone that long", "[service][report]") {
    Post post;
    const std::int64_t began_s = post.now_s;
    post.board.plan({"POST", answer(429, {{"retry-after", "300"}}), true});
    post.board.plan(
        {"POST",
         answer(
             403,
             {{"x-ratelimit-remaining", "0"},
              {"x-ratelimit-reset", std::to_string(began_s + 2000)}}),
         true});
    post.deliver_all();
    CHECK(post.board.issues().size() == 1);
    CHECK(post.now_s == began_s + 2000);
    CHECK(post.count("outbox WHERE target = 'issues' AND attempts = 1") == 1);
}

TEST_CASE("A crash after sending and before recording leaves one issue", "[service][report]") {
    Post post;
    auto all = post.deliverer();
    for (const auto& delivery : take_due(post.db, post.config, post.now_s)) {
        all.deliver(delivery.envelope, post.now_s);  // and then the power fails
    }
    REQUIRE(post.board.issues().size() == 1);
    ++post.now_s;
    CHECK(take_due(post.db, post.config, post.now_s).size() <= 1);  // the night's file only
    ++post.now_s;
    CHECK(resume_outbox(post.db, post.now_s) >= 2);
    post.deliver_all();
    CHECK(post.board.issues().size() == 1);
    CHECK(post.count("outbox WHERE state = 'sent'") == 3);
}

TEST_CASE(
    "A new version stored while the old one is ambiguous does not file twice",
    "[service][report]") {
    Post post;
    post.board.plan({"POST", fault(Fault::hang_up), false});
    auto all = post.deliverer();
    const auto taken = take_due(post.db, post.config, post.now_s);
    for (const auto& delivery : taken) {
        const auto reply = all.deliver(delivery.envelope, post.now_s);
        if (delivery.envelope.target == "issues") CHECK(reply.may_exist);
        finish_delivery(post.db, delivery, reply, post.now_s);
    }
    post.change("acknowledged");
    post.deliver_all();
    const auto issues = post.board.issues();
    REQUIRE(issues.size() == 1);
    CHECK(issues[0].body.starts_with("**Acknowledged."));
    CHECK(post.count("outbox WHERE state = 'dead' AND message LIKE 'replaced%'") == 1);
}

TEST_CASE("A message that is never accepted is given up aloud", "[service][report]") {
    Post post;
    for (int i = 0; i < max_send_attempts; ++i) post.board.plan({"POST", answer(422), true});
    post.deliver_all();
    CHECK(post.board.issues().empty());
    CHECK(post.count("outbox WHERE state = 'dead' AND message LIKE '%422%'") == 1);
    CHECK(post.count("event WHERE kind = 'report.given_up'") == 1);
    CHECK(post.count("trouble WHERE kind = 'report.undelivered' AND ended_s IS NULL") == 1);
}

TEST_CASE("What was given up is sent when a person asks, and only then", "[service][report]") {
    Post post;
    post.board.plan({"POST", answer(410), true});
    post.deliver_all();
    REQUIRE(post.count("outbox WHERE state = 'dead'") == 1);
    const auto report =
        *post.db.find<ReportId>("SELECT report_id FROM outbox WHERE state = 'dead'");
    CHECK(retry_given_up(post.db, report, post.now_s) == std::vector<std::string>{"issues"});
    CHECK(retry_given_up(post.db, report, post.now_s).empty());  // it is on its way
    CHECK(post.count("event WHERE kind = 'report.retried'") == 1);
    post.deliver_all();
    CHECK(post.board.issues().size() == 1);
    CHECK(post.count("outbox WHERE state = 'dead'") == 0);
    CHECK(retry_given_up(post.db, report, post.now_s).empty());
}

TEST_CASE("What a newer version replaced is not sent again", "[service][report]") {
    Post post;
    post.board.plan({"POST", answer(410), true});
    post.deliver_all();
    const auto report =
        *post.db.find<ReportId>("SELECT report_id FROM outbox WHERE state = 'dead'");
    post.change("acknowledged");
    CHECK(retry_given_up(post.db, report, post.now_s).empty());
    post.deliver_all();
    CHECK(post.board.issues().size() == 1);
    CHECK(retry_given_up(post.db, report, post.now_s).empty());
}

TEST_CASE("A message given up after an unclear attempt is looked for first", "[service][report]") {
    Post post;
    post.board.plan({"POST", answer(410), true});
    post.deliver_all();
    const auto report =
        *post.db.find<ReportId>("SELECT report_id FROM outbox WHERE state = 'dead'");
    retry_given_up(post.db, report, post.now_s);
    ++post.now_s;  // the pace
    const auto due = take_due(post.db, post.config, post.now_s);
    REQUIRE(due.size() == 1);
    CHECK(due[0].envelope.look_first);
}

TEST_CASE(
    "A tracker that is not there delays nothing else and is given up in the end",
    "[service][report]") {
    Post post;
    post.config.report_targets["issues"].base_url = "http://127.0.0.1:1";
    post.deliver_all();
    CHECK(post.count("outbox WHERE target = 'files' AND state = 'sent'") == 2);
    CHECK(post.count("outbox WHERE target = 'issues' AND state = 'dead'") == 1);
}

TEST_CASE("A missing token file is said, and found once it is there", "[service][report]") {
    Post post;
    const std::string file = post.config.report_targets["issues"].token_file;
    std::filesystem::remove(file);
    post.deliver_all(2);
    CHECK(post.count("outbox WHERE target = 'issues' AND message LIKE '%cannot open%'") == 1);
    std::ofstream(file) << "secret";
    post.deliver_all();
    CHECK(post.board.issues().size() == 1);
}

TEST_CASE("A folder that cannot be written is tried again", "[service][report]") {
    Post post;
    const auto folder = post.folder.path() / "reports";
    std::ofstream(folder) << "a file where the folder should be";
    post.deliver_all(1);
    CHECK(post.count("outbox WHERE target = 'files' AND state = 'pending'") >= 1);
    std::filesystem::remove(folder);
    post.deliver_all();
    CHECK(post.count("outbox WHERE target = 'files' AND state = 'sent'") == 2);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        CHECK(entry.path().extension() == ".md");
    }
}

TEST_CASE("A target that the config lost ends its messages", "[service][report]") {
    Post post;
    post.config.report_targets.erase("issues");
    post.deliver_all();
    CHECK(post.count("outbox WHERE target = 'issues' AND state = 'dead'") == 1);
}

TEST_CASE("Behind an open circuit messages wait without a try", "[service][report]") {
    Office office(8);  // four for each of two targets
    auto& dead = office.config.report_targets["issues"];
    dead.kind = TargetKind::webhook;
    dead.url = "https://dead.example/told";
    const std::string trouble = "trouble WHERE kind = 'report.undelivered' AND ended_s IS NULL";
    int tries = 0;
    bool answers = false;
    const auto play = [&](int seconds) {
        for (int second = 0; second < seconds; ++second, office.clock_ms += 1000) {
            for (const auto& one : take_due(office.db, office.config, office.moment())) {
                const bool silent = one.envelope.target == "issues" && !answers;
                tries += silent ? 1 : 0;
                const auto reply = silent ? unanswered("a time-out") : sent("there");
                finish_delivery(office.db, one, reply, office.moment());
            }
        }
    };
    play(10);
    CHECK(office.count("outbox WHERE target = 'more' AND state = 'sent'") == 4);
    play(36'000);
    CHECK(tries < 75);  // one in ten minutes, whatever the number of messages
    CHECK(office.count("outbox WHERE target = 'issues' AND state = 'pending'") == 4);
    CHECK(office.count(trouble + " AND message LIKE '%its circuit is open%'") == 1);
    answers = true;
    play(3600);
    CHECK(office.count("outbox WHERE target = 'issues' AND state = 'sent'") == 4);
    CHECK(office.count(trouble) == 0);
    CHECK(office.count("circuit") == 0);
}
