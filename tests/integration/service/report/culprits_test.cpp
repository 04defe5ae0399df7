// From a verified culprit to the one comment on the pull request that brought it.

#include "service/report/culprits.hpp"

#include <fstream>
#include <iostream>
#include <memory>

#include <catch2/catch.hpp>

#include "service/report/deliver/culprit_pulls.hpp"
#include "service/report/deliver/notices.hpp"
#include "service/report/deliver/outbox.hpp"
#include "service/report/notice_step.hpp"
#include "service/report/report_step.hpp"
#include "service/report/send/deliverer.hpp"
#include "service/report/send/github_tracker.hpp"
#include "service/store/reports/tracker.hpp"
#include "tests/integration/service/report/ledger.hpp"
#include "tests/support/issue_board.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using Catch::StartsWith;
using vigil::test::BoardFault;
using vigil::test::BoardPull;
using vigil::test::Fault;

namespace {

/// A regression whose culprit came by pull request 70, and time that a test moves.
struct CulpritBoard : Ledger {
    CulpritBoard() {
        const std::string token = (folder.path() / "token").string();
        std::ofstream(token) << "secret\n";
        auto& target = config.report_targets["issues"];
        target.base_url = board.url();
        target.token_file = token;
        target.culprit_comments = true;
        config.webhook = WebhookConfig{"secret", {{"owner/name", "tensorlab"}}};
        show(70, "2026-11-20T04:05:00Z");
    }

    void show(int number, const std::string& merged_at, const std::string& into = "owner/name") {
        BoardPull pull{.number = number, .head = full_hash('8'), .base = full_hash('0')};
        pull.state = "closed";
        pull.commits = {full_hash('3')};
        pull.merged_at = merged_at;
        pull.base_repository = into;
        board.add_pull(pull);
    }

    void change(const std::string& state) {
        now_s += 60;
        db.execute(
            "UPDATE regression SET state = ?1, changed_at_s = ?2, unreported = 1", state, now_s);
    }

    /// One second of the daemon. @return  how many notices were tried
    int pass() {
        report_step(db, config, now_s);
        notice_step(db, config, now_s);
        for (const auto& one : take_due(db, config, Moment(now_s))) {
            finish_delivery(db, one, deliverer.deliver(one.envelope, now_s), Moment(now_s));
        }
        for (const auto& one : take_due_culprits(db, config, Moment(now_s))) {
            const auto came =
                ask_commit_pull(deliverer.session(), one.target, one.row.revision, now_s);
            finish_culprit(db, one, came, Moment(now_s));
        }
        int tried = 0;
        for (const auto& one : take_due_notices(db, config, Moment(now_s))) {
            finish_notice(
                db, config, one, send_notice(deliverer.session(), one, now_s), Moment(now_s));
            ++tried;
        }
        ++now_s;
        return tried;
    }
    void pass_all(int seconds = 120) {
        for (int second = 0; second < seconds; ++second) pass();
    }

    std::string comment() {
        std::string all;
        for (const auto& one : board.comments()) {
            if (one.issue == 70) all += one.body;
        }
        return all;
    }
    int asked() {
        int times = 0;
        for (const auto& one : board.requests()) {
            times += one.target.find("/commits/" + full_hash('3') + "/pulls") != std::string::npos;
        }
        return times;
    }
    int comments() {
        int all = 0;
        for (const auto& one : board.comments()) all += one.issue == 70 ? 1 : 0;
        return all;
    }

    test::IssueBoard board;
    Deliverer deliverer{
        config, std::cout, [this](TrackerSession& session, const ReportTarget&) {
            return std::make_unique<GithubTracker>(
                session, config.report_targets.at("issues"), [this] { return now_s; });
        }};
};

BoardFault cut_comment(bool before) {
    BoardFault fault;
    fault.method = "POST";
    fault.reply.fault = Fault::hang_up;
    fault.before = before;
    fault.target_end = "/issues/70/comments";
    return fault;
}

/// What the tracker answers when it is asked which pull request brought the commit.
BoardFault answered_question(int status, const std::string& body) {
    BoardFault fault;
    fault.method = "GET";
    fault.reply.status = status;
    fault.reply.body = body;
    fault.before = true;
    fault.target_end = "/pulls?per_page=100";
    return fault;
}

}  // namespace

TEST_CASE("The pull request that brought a culprit is told, and kept told", "[service][report]") {
    CulpritBoard post;
    post.pass_all();
    CHECK(post.asked() == 1);
    REQUIRE(post.comments() == 1);
    CHECK_THAT(post.comment(), StartsWith("**Commit `c0ffee0000` makes `mlp` (`train`) on `xeon`"));
    CHECK_THAT(post.comment(), Contains("take 20.5 % more CPU time"));
    CHECK_THAT(
        post.comment(),
        Contains("measured is in [issue 1](https://tracker.example/owner/name/issues/1)"));
    CHECK_THAT(post.comment(), Contains("`/vigil accept REASON`"));
    CHECK(post.count("event WHERE kind = 'culprit.pull'") == 1);
    const auto [state, words] = GENERATE(
        std::pair("accepted", "**Accepted as the new level"),
        std::pair("refuted", "**Refuted"),
        std::pair("acknowledged", "**Acknowledged."));
    CAPTURE(state);
    post.change(state);
    post.pass_all();
    CHECK_THAT(post.comment(), StartsWith(words));
    post.change("closed");
    post.db.execute("UPDATE regression_series SET recovered_nightly_id = 2");
    post.pass_all();
    CHECK_THAT(post.comment(), Contains("Nothing is asked."));
    CHECK(post.comments() == 1);
    CHECK(post.asked() == 1);
}

TEST_CASE("A culprit that is none after all is taken back", "[service][report]") {
    CulpritBoard post;
    post.pass_all();
    post.db.execute("UPDATE regression SET culprit = NULL");
    post.change("reported");
    post.pass_all();
    CHECK_THAT(
        post.comment(),
        StartsWith(
            "**Commit `c0ffee0000` of this pull request is not named any more as the cause"));
    CHECK(post.comments() == 1);
}

TEST_CASE("Without a pull request that was merged here nothing is said", "[service][report]") {
    CulpritBoard post;
    const std::string why = GENERATE("not merged", "merged elsewhere", "unknown", "forbidden");
    CAPTURE(why);
    if (why == "not merged") post.show(70, "");
    if (why == "merged elsewhere") post.show(70, "2026-11-20T04:05:00Z", "stranger/name");
    if (why == "unknown") post.board.plan(answered_question(422, "{}"));
    if (why == "forbidden") {
        post.board.plan(answered_question(
            403, R"({"message":"Resource not accessible by personal access token"})"));
    }
    post.pass_all(600);
    CHECK(post.asked() == 1);
    CHECK(post.comments() == 0);
    CHECK(post.count("notice") == 0);
    CHECK(post.count("culprit_pull WHERE state = 'none'") == 1);
    CHECK(post.count("event WHERE kind = 'culprit.no_pull'") == 1);
}

TEST_CASE("Nobody is told unless the target says so, or while reports are held", "[service]") {
    CulpritBoard post;
    const bool held = GENERATE(false, true);
    CAPTURE(held);
    post.config.report_targets["issues"].culprit_comments = held;
    post.config.hold_reports = held;
    post.pass_all();
    CHECK(post.asked() == 0);
    CHECK(post.comments() == 0);
    CHECK(post.count("notice") == 0);
}

TEST_CASE("Switched on later, comments tell at once of what is filed", "[service][report]") {
    CulpritBoard post;
    auto& wanted = post.config.report_targets["issues"].culprit_comments;
    wanted = false;
    post.pass_all();
    REQUIRE(post.board.issues().size() == 1);
    REQUIRE(post.comments() == 0);
    wanted = true;
    const bool open = GENERATE(true, false);
    CAPTURE(open);
    if (!open) post.db.execute("UPDATE regression SET state = 'refuted'");
    post.pass_all(5);
    CHECK(post.asked() == (open ? 1 : 0));
    CHECK(post.comments() == (open ? 1 : 0));
    post.pass_all();
    CHECK(post.asked() == (open ? 1 : 0));
    CHECK(post.comments() == (open ? 1 : 0));
}

TEST_CASE("Switched off before the question, it is asked once it is on", "[service][report]") {
    CulpritBoard post;
    auto& wanted = post.config.report_targets["issues"].culprit_comments;
    while (post.count("culprit_pull") == 0) {
        report_step(post.db, post.config, post.now_s);
        notice_step(post.db, post.config, post.now_s);
    }
    wanted = false;
    post.pass_all();
    REQUIRE(post.asked() == 0);
    wanted = true;
    post.pass_all(5);
    CHECK(post.asked() == 1);
    CHECK(post.comments() == 1);
}

TEST_CASE("What changed while comments were off is told once they are on", "[service][report]") {
    CulpritBoard post;
    post.pass_all();
    REQUIRE(post.comments() == 1);
    auto& wanted = post.config.report_targets["issues"].culprit_comments;
    wanted = false;
    post.change("refuted");
    post.pass_all();
    CHECK_THAT(post.comment(), StartsWith("**Commit"));
    wanted = true;
    post.pass_all(5);
    CHECK_THAT(post.comment(), StartsWith("**Refuted"));
    CHECK(post.comments() == 1);
}

TEST_CASE("The comment is there once, whatever fails", "[service][report]") {
    CulpritBoard post;
    post.board.plan(cut_comment(GENERATE(false, true)));
    post.board.plan(answered_question(502, "{}"));
    post.pass_all(300);
    CHECK(post.asked() == 2);
    CHECK(post.comments() == 1);
    CHECK(post.count("notice WHERE state = 'sent'") == 1);
}

TEST_CASE("A kill between the row and the comment repeats nothing", "[service][report]") {
    CulpritBoard post;
    const bool sends = GENERATE(false, true);
    CAPTURE(sends);
    while (post.count("notice") == 0) post.pass();
    std::vector<DueNotice> due;
    while (due.empty()) {
        due = take_due_notices(post.db, post.config, Moment(++post.now_s));
        if (post.count("notice WHERE state = 'sent'") > 0) break;
    }
    if (!due.empty() && sends)
        send_notice(post.deliverer.session(), due[0], post.now_s);  // nobody sees its end
    CHECK(resume_notices(post.db, post.now_s) == int(due.size()));
    end_open_writes(post.db, post.now_s * 1000);
    post.pass_all(300);
    CHECK(post.comments() == 1);
}

TEST_CASE("Several regressions of one pull request are one comment", "[service][report]") {
    CulpritBoard post;
    post.db.execute(
        "INSERT INTO regression (project_id, nightly_id, good_build_id, bad_build_id, state, "
        "culprit, created_at_s, changed_at_s) SELECT project_id, nightly_id, "
        "good_build_id, bad_build_id, state, culprit, created_at_s, changed_at_s "
        "FROM regression WHERE id = 1");
    post.db.execute(
        "INSERT INTO regression_series SELECT 2, 2, suspicion_id, recovered_nightly_id, verified "
        "FROM regression_series WHERE regression_id = 1");
    post.pass_all();
    CHECK(post.comments() == 1);
    CHECK_THAT(post.comment(), Contains("[issue 1]"));
    CHECK_THAT(post.comment(), Contains("[issue 2]"));
}
