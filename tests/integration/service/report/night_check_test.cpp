// What a nightly's commit is told.

#include "service/report/deliver/night_check.hpp"

#include <mutex>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/store/nights/withdrawals.hpp"
#include "tests/integration/service/report/post.hpp"
#include "tests/support/rsa_key.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using nlohmann::json;

namespace {

/// A tracker that takes checks, and a project whose nights go there.
struct CheckedNights : Post {
    explicit CheckedNights(bool app) {
        auto& target = config.report_targets["issues"];
        target.base_url = server.url();
        target.checks = true;
        target.regressions = false;
        if (app) {
            std::ofstream(folder / "app.pem") << test::make_rsa_key();
            target.token_file = "";
            target.app_id = server.url();  // no other test's
            target.installation_id = 7;
            target.private_key_file = (folder / "app.pem").string();
        }
        config.projects["tensorlab"].reports = {"issues"};
        db.execute("DELETE FROM outbox");
    }
    void sum_up(int nightly) {
        db.execute("UPDATE nightly SET state = 'done', summed_up = 0 WHERE id = ?1", nightly);
        report_step(db, config, now_s += 60);
        deliver_all();
    }
    std::vector<test::CannedRequest> checks() {
        const std::lock_guard lock(mutex);
        return kept;
    }

    std::mutex mutex;
    std::vector<test::CannedRequest> kept;
    int status = 201;
    test::CannedServer server{[this](const test::CannedRequest& request) {
        const std::lock_guard lock(mutex);
        test::CannedReply reply;
        reply.status = 201;
        reply.body = R"({"token":"t"})";
        if (request.target.ends_with("/access_tokens")) return reply;
        kept.push_back(request);
        reply.body = R"({"id":31})";
        reply.status = status == 201 && request.method == "PATCH" ? 200 : status;
        return reply;
    }};
};

}  // namespace

TEST_CASE("A night's commit succeeds only where the night is all clear", "[service]") {
    using enum NightStanding;
    NightHeadline night;
    for (const auto standing :
         {failed, nothing_measured, beside, open, running, incomplete, not_compared, withdrawn}) {
        night.standing = standing;
        CHECK(conclusion_of(night) == CheckConclusion::neutral);
    }
    night.standing = all_clear;
    CHECK(conclusion_of(night) == CheckConclusion::success);
    night.fresh = 1;  // it has recovered since
    CHECK(conclusion_of(night) == CheckConclusion::failure);
    night.standing = withdrawn;
    CHECK(conclusion_of(night) == CheckConclusion::neutral);
}

TEST_CASE("The check of a night that is withdrawn is not green", "[service][report]") {
    CheckedNights nights(true);
    nights.sum_up(2);
    const auto ask = [&] { return load_check(nights.db, NightlyId{2}, nights.config).conclusion; };
    CHECK(ask() == CheckConclusion::failure);
    add_withdrawal(nights.db, {NightlyId{2}, {}, "the room was hot", "ada"}, nights.now_s);
    CHECK(ask() == CheckConclusion::neutral);
    CHECK(load_check(nights.db, NightlyId{2}, nights.config).revision.str() == full_hash('4'));
}

TEST_CASE("With a token the commit of a night gets a status", "[service][report]") {
    CheckedNights nights(false);
    nights.config.links.public_url = "https://vigil.example";
    nights.sum_up(2);
    const auto checks = nights.checks();
    REQUIRE(checks.size() == 1);
    CHECK(checks[0].target == "/repos/owner/name/statuses/" + full_hash('4'));
    const auto body = json::parse(checks[0].body);
    CHECK(body.at("state") == "failure");
    CHECK(body.at("context") == "vigil");
    CHECK(body.at("target_url") == "https://vigil.example/nightlies/2");
    CHECK(nights.count("outbox WHERE state = 'sent'") == 1);
    CHECK(nights.count("tracker_write") == 1);  // it keeps the pace
}

TEST_CASE("An app makes a check run, and changes it", "[service][report]") {
    CheckedNights nights(true);
    nights.sum_up(2);
    nights.db.execute("UPDATE nightly SET message = 'told anew' WHERE id = 2");
    nights.db.execute("DELETE FROM regression_series");
    nights.sum_up(2);
    const auto checks = nights.checks();
    REQUIRE(checks.size() == 2);
    CHECK(checks[0].method == "POST");
    CHECK(checks[0].target == "/repos/owner/name/check-runs");
    CHECK(checks[0].headers.at("authorization") == "Bearer t");
    const auto body = json::parse(checks[0].body);
    CHECK(body.at("head_sha") == full_hash('4'));
    CHECK(body.at("status") == "completed");
    CHECK(body.at("conclusion") == "failure");
    CHECK(checks[1].method == "PATCH");
    CHECK(checks[1].target == "/repos/owner/name/check-runs/31");
    CHECK(json::parse(checks[1].body).at("conclusion") != "failure");
}

TEST_CASE("A commit that the repository does not have is given up at once", "[service][report]") {
    CheckedNights nights(false);
    nights.status = 422;
    nights.sum_up(2);
    CHECK(nights.checks().size() == 1);
    CHECK(nights.count("outbox WHERE state = 'dead' AND message LIKE '%may not have%'") == 1);
}
