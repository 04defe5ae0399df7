// A receiver that says back what it was sent: none of our secrets is kept, told or logged.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/base64.hpp"
#include "service/report/send/app_token.hpp"
#include "service/report/send/callback_sender.hpp"
#include "service/report/send/hook_sender.hpp"
#include "service/report/send/mail_sender.hpp"
#include "service/report/send/tracker_session.hpp"
#include "tests/integration/service/report/post.hpp"
#include "tests/support/mail_server.hpp"
#include "tests/support/rsa_key.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

constexpr std::int64_t echoed_s = 1'800'000'000;
constexpr const char* secret = "ghs_16C7e42F292c6912E7710c838347Ae178B4a";

/// Answers every request with its own Authorization and path.
struct Parrot {
    int status = 422;
    std::string said;  ///< what it says of the last request
    test::CannedServer server{[this](const test::CannedRequest& request) {
        const auto found = request.headers.find("authorization");
        said = (found == request.headers.end() ? "" : found->second) + " at " + request.target;
        test::CannedReply reply;
        reply.status = status;
        reply.headers["location"] = server.url() + "/" + said.substr(said.find(' ') + 1);
        reply.body = nlohmann::json{{"message", "we got " + said}}.dump();
        return reply;
    }};
    test::ScratchFolder folder;

    std::string kept(const std::string& name, const std::string& text) {
        const auto file = (folder / name).string();
        std::ofstream(file) << text << "\n";
        return file;
    }
    ReportTarget target(TargetKind kind) {
        ReportTarget target;
        target.name = "parrot";
        target.kind = kind;
        target.base_url = server.url();
        target.repository = "owner/name";
        return target;
    }
};

}  // namespace

TEST_CASE("A tracker that says our token back leaves none of it in the outbox", "[service]") {
    Post post;
    std::ofstream(post.config.report_targets["issues"].token_file) << secret << "\n";
    test::CannedReply reply;
    reply.status = 422;
    reply.body = nlohmann::json{{"message", std::string("got Bearer ") + secret}}.dump();
    for (int i = 0; i < 5; ++i) {
        post.board.plan({.method = "POST", .reply = reply, .before = true});
    }
    post.deliver_all(3);
    const auto message = *post.db.find<std::string>("SELECT max(message) FROM outbox");
    CHECK_THAT(message, Contains("got Bearer [secret]"));
    CHECK_THAT(message, !Contains(secret));
}

TEST_CASE("No tracker's answer holds the token that it was shown", "[service][report]") {
    Parrot parrot;
    auto target = parrot.target(TargetKind::issues);
    target.token_file = parrot.kept("token", secret);
    for (const int status : {200, 301, 422, 500}) {
        parrot.status = status;
        const auto answer = TrackerSession().call(target, "POST", "/repos/owner/name/issues", "{}");
        CHECK_THAT(parrot.said, Contains(secret));
        CHECK_THAT(answer.response.body, Contains("[secret]") && !Contains(secret));
        CHECK_THAT(answer.response.headers.at("location"), !Contains(secret));
        CHECK_THAT(answer.message, !Contains(secret));
    }
}

TEST_CASE("An app's signed claims are said back by nobody", "[service][report]") {
    Parrot parrot;
    auto target = parrot.target(TargetKind::issues);
    target.app_id = "123";
    target.installation_id = 77;
    target.private_key_file = parrot.kept("app.pem", test::make_rsa_key());
    const auto answer = TrackerSession().call(target, "GET", "/user", "");
    const auto jwt = parrot.said.substr(7, 60);
    CHECK(jwt.starts_with("ey"));
    CHECK_THAT(answer.message, Contains("we got Bearer [secret]") && !Contains(jwt));
}

TEST_CASE("Where runs are asked for, no token is kept of what is said back", "[service]") {
    Parrot parrot;
    CallbackConfig to;
    to.kind = CallbackKind::github;
    to.base_url = parrot.server.url();
    to.repository = "owner/name";
    to.token_file = parrot.kept("token", secret);
    const auto reply = send_callback(to, "{}", echoed_s);
    CHECK_THAT(reply.message, Contains("[secret]") && !Contains(secret));
}

TEST_CASE("The path of a chat's address stands in no message", "[service][report]") {
    const std::string path = "/services/T0001/B0002/x9Yz";
    auto parrot = std::make_unique<Parrot>();
    auto target = parrot->target(TargetKind::slack);
    test::ScratchFolder folder;
    target.url_file = (folder / "url").string();
    std::ofstream(target.url_file) << parrot->server.url() << path << "\n";
    const auto refused = send_hook(target, Envelope{}, echoed_s);
    CHECK_THAT(refused.message, Contains("we got") && !Contains("x9Yz"));
    parrot.reset();
    const auto unreached = send_hook(target, Envelope{}, echoed_s);
    CHECK(unreached.outcome == SendOutcome::later);
    CHECK_THAT(unreached.message, Contains("calling POST") && !Contains("x9Yz"));
    std::ofstream(target.url_file) << "http://127.0.0.1:x" << path << "\n";
    CHECK_THAT(send_hook(target, Envelope{}, echoed_s).message, !Contains("x9Yz"));
}

TEST_CASE("A mail server says no password back", "[service][report]") {
    Parrot parrot;
    test::MailServer server;
    auto target = parrot.target(TargetKind::mail);
    target.server = server.address();
    target.security = MailSecurity::none;
    target.from = "vigil@example.org";
    target.to = {"a@example.org"};
    target.user = "vigil";
    target.password_file = parrot.kept("password", "pass of a team");
    const auto plain = wire::base64(std::string("\0vigil\0pass of a team", 21));
    for (const auto& at : {"AUTH", "RCPT", "."}) {
        server.fail({at, "554 pass of a team " + plain});
        const auto message = send_mail(target, Envelope{}, echoed_s).message;
        CHECK_THAT(message, Contains("554") || Contains("wrong"));
        CHECK_THAT(message, !Contains("pass of") && !Contains(plain));
    }
}
