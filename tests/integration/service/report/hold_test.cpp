// One switch that stops all writing, and that cannot be forgotten.

#include <catch2/catch.hpp>

#include "service/report/deliver/commands.hpp"
#include "tests/integration/service/report/post.hpp"

using namespace vigil;
using namespace vigil::service;

TEST_CASE("While reports are held nothing is sent, and a trouble says so", "[service][report]") {
    Post post;
    add_command(post.db, {"issues", 1, "https://tracker.example/1", 9, "ada", "ack"}, post.now_s);
    post.config.hold_reports = true;
    const std::string open = "trouble WHERE kind = 'report.held' AND ended_s IS NULL";
    for (int round = 0; round < 3; ++round) {
        CHECK(take_due(post.db, post.config, post.now_s + round).empty());
        CHECK(take_due_commands(post.db, post.config, post.now_s + round).empty());
        CHECK(post.count(open) == 1);
    }
    CHECK(post.board.requests().empty());
    post.change("acknowledged");
    post.config.hold_reports = false;
    post.deliver_all();
    CHECK(post.count(open) == 0);
    // Of what waited the newest is sent, once.
    REQUIRE(post.board.issues().size() == 1);
    CHECK(post.board.issues()[0].body.starts_with("**Acknowledged."));
}
