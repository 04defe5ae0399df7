// Labels and assignees of what is filed.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/integration/service/report/post.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

/// What the requests that filed issues said.
std::vector<nlohmann::json> filings(Post& post) {
    std::vector<nlohmann::json> out;
    for (const auto& request : post.board.requests()) {
        if (request.method == "POST") out.push_back(nlohmann::json::parse(request.body));
    }
    return out;
}

}  // namespace

TEST_CASE("An issue is filed with labels, for the author of the culprit", "[service][report]") {
    Post post;
    auto& target = post.config.report_targets["issues"];
    target.labels = {"performance", "vigil"};
    target.logins = {{"two@example.org", "two"}};
    target.on_call = {"somebody"};
    post.db.execute("INSERT INTO author_email VALUES (?1, 'two@example.org')", full_hash('3'));
    post.deliver_all();
    const auto filed = filings(post);
    REQUIRE(filed.size() == 1);
    CHECK(filed[0].at("labels") == nlohmann::json({"performance", "vigil"}));
    CHECK(filed[0].at("assignees") == nlohmann::json({"two"}));
    post.change("acknowledged");
    post.deliver_all();
    const auto last = nlohmann::json::parse(post.board.requests().back().body);
    CHECK_FALSE(last.contains("labels"));  // what people changed stays
    CHECK_FALSE(last.contains("assignees"));
}

TEST_CASE("Where nobody is known nobody is assigned, and nothing is said", "[service][report]") {
    Post post;
    post.deliver_all();
    const auto filed = filings(post);
    REQUIRE(filed.size() == 1);
    CHECK_FALSE(filed[0].contains("labels"));
    CHECK_FALSE(filed[0].contains("assignees"));
}

TEST_CASE("A login that the tracker refuses is left out", "[service][report]") {
    Post post;
    post.config.report_targets["issues"].on_call = {"gone"};
    test::CannedReply refused;
    refused.status = 422;
    refused.body =
        R"({"message":"Validation Failed","errors":[{"field":"assignees","code":"invalid"}]})";
    post.board.plan({"POST", refused, true});
    post.deliver_all();
    const auto filed = filings(post);
    REQUIRE(filed.size() == 2);
    CHECK(filed[0].at("assignees") == nlohmann::json({"gone"}));
    CHECK_FALSE(filed[1].contains("assignees"));
    CHECK(post.board.issues().size() == 1);
    CHECK(post.count("outbox WHERE target = 'issues' AND state = 'sent'") == 1);
}
