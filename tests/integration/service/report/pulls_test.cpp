// Pull requests, from what GitHub says of them to the check run and the comment.

#include "service/watch/requested/pulls.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "service/report/deliver/commands.hpp"
#include "service/report/deliver/notices.hpp"
#include "service/report/notice_step.hpp"
#include "service/report/send/tracker_session.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/reports/commands.hpp"
#include "tests/integration/service/report/ledger.hpp"
#include "tests/support/issue_board.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using Catch::StartsWith;
using vigil::test::BoardPull;
using vigil::test::IssueBoard;

namespace {

constexpr std::int64_t at_github_s = 1'795'233'900;  // what the board says that it was changed

/// Pull request 7 of a project that measures one variant, and time that a test moves.
struct PullBoard : Ledger {
    PullBoard() {
        const std::string token = (folder.path() / "token").string();
        std::ofstream(token) << "secret\n";
        config.report_targets["issues"].base_url = board.url();
        config.report_targets["issues"].token_file = token;
        config.projects["tensorlab"].matrix = {{"daily", {"xeon"}}};
        config.webhook = WebhookConfig{"secret", {{"Owner/Name", "tensorlab"}}};
        board.permit("ada", "write");
        show('4');
    }

    /// What the board tells of the pull request from now on.
    void show(char head, const std::string& home = "owner/name", const char* state = "open") {
        board.add_pull(BoardPull{7, full_hash(head), full_hash('0'), home, state});
    }

    PullFacts facts(char head, bool is_fork = false, std::int64_t later_s = 0) const {
        return {
            7,
            Revision(full_hash(head)),
            Revision(full_hash('0')),
            is_fork,
            true,
            at_github_s + later_s};
    }
    PullAnswer tell(PullNews news, const PullFacts& facts) {
        return take_pull(db, ProjectId{1}, "issues", facts, news, now_s);
    }

    /// The git lane's part.
    void find_base(char base = '0') {
        for (const auto& pull : list_listing_pulls(db, ProjectId{1}, 10)) {
            record_merge_base(db, config, pull.id, Revision(full_hash(base)), now_s);
        }
    }

    /// The newest request ends with this verdict of its one series.
    void measure(Verdict verdict, double ratio) {
        const auto id = RequestId{count("request")};
        note_build(db, id, full_hash('0'), BuildId{1});
        note_build(db, id, full_hash('4'), BuildId{2});
        const auto request = load_request(db, id);
        const auto added = add_request_session(
            db, request, request.asked.variants.front(), MachineClassId{1}, "", now_s);
        const Comparison seen{1e7, 1e7 * (1 + ratio), ratio, ratio, ratio, 1, 4, 4};
        note_verdict(db, added, {SeriesId{1}, verdict, seen, "because"});
        move_request(db, id, RequestState::measuring, "", now_s);
        move_request(db, id, RequestState::done, "1", now_s);
        advance_pulls(db, now_s);
    }

    void say(const std::string& words, const std::string& login = "ada") {
        add_command(
            db, {"issues", 7, "https://x.example/7", ++comments, login, words, true}, now_s);
    }

    /// Until nothing is due for five minutes.
    void write_all() {
        notice_step(db, config, now_s);
        for (int second = 0; second < 300; ++second, ++now_s) {
            for (const auto& one : take_due_commands(db, config, Moment(now_s))) {
                finish_command(db, config, one, ask_about(thread, one, now_s), Moment(now_s));
            }
            notice_step(db, config, now_s);
            for (const auto& one : take_due_notices(db, config, Moment(now_s))) {
                finish_notice(db, config, one, send_notice(session, one, now_s), Moment(now_s));
            }
        }
    }

    std::string check(char head) {
        for (const auto& one : board.checks()) {
            if (one.head != full_hash(head)) continue;
            return (one.conclusion.empty() ? one.status : one.conclusion) + ": " + one.title;
        }
        return "none";
    }
    std::string comment(std::size_t index = 0) {
        const auto all = board.comments();
        return index < all.size() ? all[index].body : "none";
    }
    std::string states() {
        return db.find<std::string>("SELECT group_concat(state) FROM pull").value_or("");
    }

    IssueBoard board;
    TrackerSession session;
    GithubThread thread{session};
    int comments = 0;
};

}  // namespace

TEST_CASE("A labelled pull request is compared with where it left", "[service][report]") {
    PullBoard post;
    CHECK(post.tell(PullNews::labelled, post.facts('4')).acted);
    post.write_all();
    CHECK(post.check('4') == "queued: Queued");
    CHECK(post.board.comments().empty());
    post.find_base();
    CHECK(post.count("request WHERE kind = 'comparison' AND token LIKE 'label of pull%'") == 1);
    CHECK(post.db.find<std::string>("SELECT a FROM request") == full_hash('0'));
    CHECK(post.db.find<std::string>("SELECT b FROM request") == full_hash('4'));
    post.write_all();
    CHECK(post.check('4') == "in_progress: Measuring");
    CHECK_THAT(post.comment(), StartsWith("Commit `c0ffee0000` is measured against"));
    post.measure(Verdict::regression, 0.2);
    post.write_all();
    CHECK(post.states() == "done");
    CHECK(post.check('4') == "failure: 1 of 1 series is worse");
    CHECK_THAT(post.comment(), StartsWith("**1 of 1 series is worse.** This compares"));
    CHECK(post.board.comments().size() == 1);
    CHECK(post.board.checks().size() == 1);
    // The same event again, and any other of the same commit, change nothing.
    CHECK(post.tell(PullNews::labelled, post.facts('4', false, 60)).acted);
    post.find_base();
    CHECK(post.count("request") == 1);
}

TEST_CASE(
    "A pull request that says it fixes a regression is told how much comes back",
    "[service][report]") {
    PullBoard post;
    const std::string issue = "https://x.example/owner/name/issues/12";
    post.db.execute(
        "INSERT INTO report(id, kind, project_id, regression_id, version, title, body, "
        "created_at_s) VALUES (90, 'regression', 1, 1, 1, 'slow', 'body', 1)");
    post.db.execute(
        "INSERT INTO outbox(report_id, target, state, next_attempt_at_s, external_ref) "
        "VALUES (90, 'issues', 'sent', 0, ?1)",
        issue);
    auto facts = post.facts('4');
    facts.fixes = {"https://x.example/owner/name/issues/11"};  // nobody's
    CHECK_FALSE(post.tell(PullNews::fixing, facts).acted);
    facts.fixes.push_back(issue);
    SECTION("of a fork nothing is built") {
        facts.is_fork = true;
        CHECK(post.tell(PullNews::fixing, facts).acted);
        CHECK(post.states() == "held");
    }
    SECTION("by the series of the regression") {
        const auto& suites = post.config.projects["tensorlab"].suites;
        auto other = suites.at("daily").front();
        other.benchmark = "another";
        post.config.projects["tensorlab"].suites["daily"].push_back(other);
        CHECK(post.tell(PullNews::fixing, facts).acted);
        CHECK(post.db.find<int>("SELECT fixes_id FROM pull") == 1);
        post.find_base();
        REQUIRE(post.count("request") == 1);
        const auto asked = load_request(post.db, RequestId{1}).asked;
        REQUIRE(asked.variants.size() == 1);
        CHECK(asked.variants[0].benchmark == "mlp");
        post.measure(Verdict::improvement, -0.16);
        post.write_all();
        CHECK_THAT(
            post.comment(),
            Contains("It says that it fixes [regression 1](" + issue + ").") &&
                Contains("it brings back 19.0 of 20.5 %, all of it"));
    }
    SECTION("with the label, by all") {
        CHECK(post.tell(PullNews::labelled, facts).acted);
        post.find_base();
        post.measure(Verdict::noise, 0.001);
        post.write_all();
        CHECK_THAT(post.comment(), Contains("it brings back nothing of 20.5 %"));
    }
}

TEST_CASE("What is not worse passes, what is not decided is neutral", "[service][report]") {
    PullBoard post;
    post.tell(PullNews::labelled, post.facts('4'));
    post.find_base();
    SECTION("the same") {
        post.measure(Verdict::noise, 0.001);
        post.write_all();
        CHECK(post.check('4') == "success: None of 1 series is worse");
    }
    SECTION("undecided") {
        post.measure(Verdict::watch, 0.05);
        post.write_all();
        CHECK(post.check('4') == "neutral: None of 1 series is worse; 1 is undecided");
    }
    SECTION("not built") {
        move_request(
            post.db, RequestId{1}, RequestState::failed, "build of @all <b>: #1", post.now_s);
        advance_pulls(post.db, post.now_s);
        post.write_all();
        CHECK(post.check('4') == "neutral: Could not be measured");
        CHECK_THAT(post.comment(), Contains("was not measured:** build of"));
        CHECK_THAT(post.comment(), !Contains("@all") && !Contains("<b>") && !Contains("#1"));
    }
}

TEST_CASE("A newer commit supersedes the older one", "[service][report]") {
    PullBoard post;
    post.tell(PullNews::labelled, post.facts('3'));
    post.find_base();
    CHECK(post.tell(PullNews::labelled, post.facts('4', false, 10)).acted);
    CHECK(post.states() == "stopped,listing");
    CHECK(post.count("request WHERE state = 'cancelled'") == 1);
    // What GitHub said before comes after: it is known to be old.
    CHECK_FALSE(post.tell(PullNews::labelled, post.facts('3', false, 5)).acted);
    CHECK(post.states() == "stopped,listing");
    post.find_base();
    post.measure(Verdict::noise, 0);
    post.write_all();
    CHECK(post.check('3') == "neutral: Not measured any more");
    CHECK(post.check('4') == "success: None of 1 series is worse");
    CHECK_THAT(post.comment(), StartsWith("**None of 1 series is worse.** This compares"));
    CHECK(post.board.comments().size() == 1);
}

TEST_CASE("What waits ends with the pull request or its label", "[service][report]") {
    PullBoard post;
    const auto news = GENERATE(PullNews::closed, PullNews::unlabelled, PullNews::moved);
    CHECK_FALSE(post.tell(news, post.facts('4')).acted);  // nothing of it is known
    CHECK(post.count("pull") == 0);
    post.tell(PullNews::labelled, post.facts('3'));
    post.find_base();
    CHECK(post.tell(news, post.facts('4', false, 10)).acted);
    CHECK(post.states() == "stopped");
    CHECK(post.count("request WHERE state = 'cancelled'") == 1);
    post.write_all();
    CHECK(post.check('3') == "neutral: Not measured any more");
    CHECK_THAT(post.comment(), Contains("was not measured:**"));
    CHECK(post.check('4') == "none");
    // Labelled again, it is measured after all.
    post.tell(PullNews::labelled, post.facts('3', false, 20));
    CHECK(post.states() == "listing");
}

TEST_CASE("Nobody waits for what was given up of a closed one", "[service][report]") {
    PullBoard post;
    const std::string open = "trouble WHERE kind = 'notice.undelivered' AND ended_s IS NULL";
    vigil::test::CannedReply refused;
    refused.status = 400;
    post.board.plan({"POST", refused, true, 0, "/check-runs"});
    post.tell(PullNews::labelled, post.facts('4'));
    post.write_all();
    CHECK(post.count(open) == 1);
    post.tell(PullNews::closed, post.facts('4', false, 10));
    post.write_all();
    CHECK(post.count(open) == 0);
    CHECK(post.check('4') == "none");
}

TEST_CASE("Nothing of a fork is built before its very commit is named", "[service][report]") {
    PullBoard post;
    post.show('4', "stranger/name");
    CHECK(post.tell(PullNews::labelled, post.facts('4', true)).acted);
    CHECK(post.states() == "held");
    post.find_base();
    CHECK(post.count("request") == 0);
    post.write_all();
    CHECK(post.check('4') == "neutral: Not measured: it comes from a fork");
    CHECK_THAT(post.comment(), Contains("/vigil bench " + full_hash('4')));
    post.say("/vigil bench");  // which commit?
    post.write_all();
    CHECK_THAT(post.comment(1), StartsWith("Nothing was changed: it comes from a fork"));
    post.say("/vigil bench " + full_hash('3'));  // which was the newest when it was looked at
    post.write_all();
    CHECK_THAT(post.comment(2), StartsWith("Nothing was changed: its newest commit is"));
    post.say("/vigil bench " + full_hash('4'), "mallory");
    post.write_all();
    CHECK(post.comment(3) == "none");
    CHECK(post.states() == "held");
    post.say("/vigil bench " + full_hash('4'));
    post.write_all();
    CHECK_THAT(post.comment(3), StartsWith("Commit `c0ffee0000` is measured against"));
    CHECK(post.states() == "listing");
    CHECK(post.count("pull WHERE asked_by = 'github:ada'") == 1);
    // The next commit is held again, label or not.
    post.tell(PullNews::labelled, post.facts('3', true, 10));
    CHECK(post.states() == "stopped,held");
    post.show('3', "");  // its repository is gone
    post.say("/vigil bench");
    post.write_all();
    CHECK_THAT(post.comment(4), StartsWith("Nothing was changed: it comes from a fork"));
}

TEST_CASE("A command has a pull request measured, and again", "[service][report]") {
    PullBoard post;
    post.say("/vigil bench");
    post.write_all();
    CHECK_THAT(post.comment(), StartsWith("Commit `c0ffee0000` is measured against where it left"));
    CHECK(post.states() == "listing");
    post.say("/vigil bench");
    post.write_all();
    CHECK_THAT(post.comment(1), Contains("is measured already"));
    post.find_base();
    post.measure(Verdict::noise, 0);
    post.write_all();
    CHECK(post.check('4') == "success: None of 1 series is worse");
    post.say("/vigil bench");
    post.write_all();
    CHECK(post.states() == "listing");
    post.find_base();
    post.measure(Verdict::regression, 0.3);
    post.write_all();
    CHECK(post.check('4') == "failure: 1 of 1 series is worse");
    CHECK(post.board.checks().size() == 1);
    CHECK(post.count("request") == 2);
    post.say("/vigil ack");
    post.show('4', "owner/name", "closed");
    post.say("/vigil bench");
    post.write_all();
    CHECK_THAT(
        post.comment(post.board.comments().size() - 2),
        StartsWith("Nothing was changed: below a pull request the one command is `bench`"));
    CHECK_THAT(
        post.comment(post.board.comments().size() - 1),
        StartsWith("Nothing was changed: pull request 7 is closed"));
}

TEST_CASE("A pull request without a commit of its own is not measured", "[service][report]") {
    PullBoard post;
    post.tell(PullNews::labelled, post.facts('4'));
    post.find_base('4');
    post.write_all();
    CHECK(post.states() == "failed");
    CHECK(post.check('4') == "neutral: Could not be measured");
    CHECK_THAT(post.comment(), Contains("it has no commit that its branch has not"));
}
