// Runs are asked for elsewhere by a request that its receiver can trust.

#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "service/report/send/callback_sender.hpp"
#include "tests/support/canned_server.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

constexpr std::int64_t noon_s = 1'800'000'000;

/// A receiver that keeps the last request.
struct Receiver {
    test::CannedReply reply;
    test::CannedRequest last;
    test::CannedServer server{[this](const test::CannedRequest& request) {
        last = request;
        return reply;
    }};
    test::ScratchFolder folder;
    CallbackConfig to;

    Receiver() {
        std::ofstream(folder / "secret") << "s3cret\n";
        to.url = server.url() + "/measure/again";
        to.secret_file = (folder / "secret").string();
    }
};

}  // namespace

TEST_CASE("A question is signed with the secret", "[service][report]") {
    Receiver receiver;
    const std::string body = R"({"job":41,"attempt":1})";
    CHECK(send_callback(receiver.to, body, noon_s).outcome == SendOutcome::sent);
    CHECK(receiver.last.method == "POST");
    CHECK(receiver.last.target == "/measure/again");
    CHECK(receiver.last.body == body);
    CHECK(receiver.last.headers.at("content-type") == "application/json");
    CHECK(
        receiver.last.headers.at("x-vigil-signature-256") ==
        "sha256=" + wire::hmac_sha256_hex("s3cret", body));
}

TEST_CASE("A question may be an event of GitHub", "[service][report]") {
    Receiver receiver;
    receiver.reply.status = 204;
    receiver.to.kind = CallbackKind::github;
    receiver.to.base_url = receiver.server.url() + "/api/v3";
    receiver.to.repository = "owner/name";
    receiver.to.token_file = receiver.to.secret_file;
    CHECK(send_callback(receiver.to, R"({"job":41})", noon_s).outcome == SendOutcome::sent);
    CHECK(receiver.last.target == "/api/v3/repos/owner/name/dispatches");
    CHECK(receiver.last.headers.at("authorization") == "Bearer s3cret");
    const auto event = wire::parse_json(receiver.last.body, "the event");
    CHECK(event.at("event_type") == "vigil-measure");
    CHECK(event.at("client_payload").at("job") == 41);
}

TEST_CASE("What a receiver answers says whether to ask again", "[service][report]") {
    Receiver receiver;
    const auto outcome = [&](int status) {
        receiver.reply.status = status;
        return send_callback(receiver.to, "{}", noon_s).outcome;
    };
    for (const int status : {301, 401, 404, 429, 500, 503}) {
        CHECK(outcome(status) == SendOutcome::later);
    }
    for (const int status : {400, 410, 422}) CHECK(outcome(status) == SendOutcome::refused);
    receiver.reply.headers["retry-after"] = "120";
    receiver.reply.status = 503;
    const auto later = send_callback(receiver.to, "{}", noon_s);
    CHECK(later.not_before_s == noon_s + 121);
    CHECK_THAT(later.message, Contains("503"));

    receiver.to.secret_file += ".gone";
    CHECK_THAT(send_callback(receiver.to, "{}", noon_s).message, Contains("the callback's secret"));
    receiver.to.url = "http://127.0.0.1:1/";
    CHECK(send_callback(receiver.to, "{}", noon_s).outcome == SendOutcome::later);
}
