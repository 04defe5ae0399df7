// A repository that was renamed or transferred: what is read and written follows, to its id.

#include <catch2/catch.hpp>

#include "service/report/send/commit_pull.hpp"
#include "service/report/send/github_thread.hpp"
#include "service/report/send/tracker_session.hpp"
#include "service/store/reports/commands.hpp"
#include "tests/integration/service/report/notice_board.hpp"
#include "tests/integration/service/report/post.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr const char* old_place = "/repos/owner/name";
constexpr const char* new_place = "/repositories/7";

int requested_at(test::IssueBoard& board, const std::string& method, const std::string& place) {
    int times = 0;
    for (const auto& one : board.requests()) {
        times += one.method == method && one.target.starts_with(place) ? 1 : 0;
    }
    return times;
}

}  // namespace

TEST_CASE("Notices of a repository that moved follow it, a write later", "[service][report]") {
    NoticeBoard post;
    post.board.move(old_place, new_place, GENERATE(301, 307, 308));
    post.board.plan(cut("POST", "/comments", true));  // so that a list is read too
    post.comment("first\n");
    post.check("queued", "waits");
    post.write_all();
    post.comment("second\n");
    post.check("success", "none is worse");
    post.write_all();
    REQUIRE(post.board.comments().size() == 1);
    CHECK(post.board.comments()[0].body.starts_with("second"));
    REQUIRE(post.board.checks().size() == 1);
    CHECK(post.board.checks()[0].conclusion == "success");
    CHECK(post.count("notice WHERE state = 'sent' AND attempts <= 2") == 2);
    CHECK(requested_at(post.board, "POST", old_place) == 1);  // then it is known
    const auto writes_ms = post.board.writes_ms();
    for (std::size_t i = 1; i < writes_ms.size(); ++i) CHECK(writes_ms[i] > writes_ms[i - 1]);
}

TEST_CASE("A redirect without an end is given up, not followed for ever", "[service][report]") {
    NoticeBoard post;
    post.board.move("/repo", "/repos/owner/name/x");  // wherever it leads, it leads on
    post.comment("first\n");
    for (int hour = 0; hour < 20; ++hour, post.now_s += 3000) post.write_all();
    CHECK(post.count("notice WHERE state = 'dead' AND message LIKE '%redirects%'") == 1);
    CHECK(post.board.comments().empty());
    CHECK(post.board.requests().size() < 200);
}

TEST_CASE("What is asked about a repository that moved is answered", "[service][report]") {
    NoticeBoard post;
    const auto& target = post.config.report_targets.at("issues");
    const auto commit = Revision(full_hash('3'));
    test::BoardPull pull{.number = 70, .head = full_hash('4'), .base = full_hash('0')};
    pull.head_repository = pull.base_repository = "owner/renamed";
    pull.commits = {full_hash('3')};
    pull.merged_at = "2026-11-20T04:05:00Z";
    post.board.add_pull(pull);
    post.board.permit("ada", "write");
    post.board.move(old_place, new_place);
    GithubThread thread(post.session);
    CHECK(thread.ask_permission(target, "ada", post.now_s).may_write);
    const auto asked = thread.ask_pull(target, 70, post.now_s);
    REQUIRE(asked.facts);
    CHECK_FALSE(asked.facts->is_fork);
    CHECK(ask_commit_pull(post.session, target, commit, post.now_s).number == 70);
    pull.base_repository_id = 8;  // merged elsewhere
    post.board.add_pull(pull);
    CHECK_FALSE(ask_commit_pull(post.session, target, commit, post.now_s).number);
}

TEST_CASE("An issue of a repository that moved gets its new address", "[service][report]") {
    Post post;
    post.deliver_all();
    const std::string known = "https://tracker.example/owner/old/issues/1";
    post.db.execute("UPDATE outbox SET external_ref = ?1 WHERE external_ref LIKE 'http%'", known);
    post.board.move(old_place, new_place);
    post.change("accepted");
    post.deliver_all();
    CHECK(post.board.issues()[0].state == "closed");
    const auto now = "https://tracker.example/owner/name/issues/1";
    CHECK(find_regression_at(post.db, "issues", now) == RegressionId{1});
    CHECK(find_regression_at(post.db, "issues", known) == RegressionId{1});
}
