// A GitHub App gets its own tokens.

#include "service/report/send/app_token.hpp"

#include <fstream>
#include <memory>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "schema/http/client.hpp"
#include "schema/model/error.hpp"
#include "service/report/send/tracker_session.hpp"
#include "tests/support/canned_server.hpp"
#include "tests/support/rsa_key.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

constexpr std::int64_t signed_s = 1'800'000'000;

std::string unpadded(const std::string& text) {
    std::string padded = text;
    for (char& c : padded) c = c == '-' ? '+' : c == '_' ? '/' : c;
    while (padded.size() % 4 != 0) padded += '=';
    std::string out(padded.size(), '\0');
    const int size = EVP_DecodeBlock(
        reinterpret_cast<unsigned char*>(out.data()),
        reinterpret_cast<const unsigned char*>(padded.data()),
        int(padded.size()));
    out.resize(std::size_t(size) - (padded.size() - text.size()));
    return out;
}

bool is_signed(const std::string& key, const std::string& text, const std::string& signature) {
    const std::unique_ptr<BIO, int (*)(BIO*)> in(
        BIO_new_mem_buf(key.data(), int(key.size())), &BIO_free);
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> read(
        PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(
        EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, read.get());
    return EVP_DigestVerify(
               context.get(),
               reinterpret_cast<const unsigned char*>(signature.data()),
               signature.size(),
               reinterpret_cast<const unsigned char*>(text.data()),
               text.size()) == 1;
}

/// GitHub's side of an app.
struct AppSide {
    int asked = 0;
    int status = 201;
    std::string ends = "2027-01-15T09:00:00Z";  // an hour after signed_s
    std::vector<test::CannedRequest> requests;
    test::CannedServer server{[this](const test::CannedRequest& request) {
        requests.push_back(request);
        test::CannedReply reply;
        if (request.target.find("/access_tokens") == std::string::npos) {
            reply.status = request.headers.at("authorization") == "Bearer t1" ? 401 : 200;
            return reply;
        }
        ++asked;
        reply.status = status;
        reply.body =
            nlohmann::json{{"token", "t" + std::to_string(asked)}, {"expires_at", ends}}.dump();
        return reply;
    }};
    test::ScratchFolder folder;
    std::string key = test::make_rsa_key();
    ReportTarget target;
    TrackerSession session;

    AppSide() {
        std::ofstream(folder / "app.pem") << key;
        target.name = "issues";
        target.kind = TargetKind::issues;
        target.base_url = server.url() + "/api/v3";
        target.app_id = "123";
        target.installation_id = 77;
        target.private_key_file = (folder / "app.pem").string();
    }
};

}  // namespace

TEST_CASE("An app's JWT is signed by its key and lasts less than ten minutes", "[service]") {
    const auto key = test::make_rsa_key();
    const auto jwt = app_jwt("123", key, signed_s);
    const auto first = jwt.find('.');
    const auto second = jwt.find('.', first + 1);
    const auto claims = nlohmann::json::parse(unpadded(jwt.substr(first + 1, second - first - 1)));
    CHECK(
        claims == nlohmann::json{{"iat", signed_s - 60}, {"exp", signed_s + 540}, {"iss", "123"}});
    CHECK(unpadded(jwt.substr(0, first)) == R"({"alg":"RS256","typ":"JWT"})");
    CHECK(is_signed(key, jwt.substr(0, second), unpadded(jwt.substr(second + 1))));
    CHECK_THROWS_AS(app_jwt("123", "no key", signed_s), Error);
}

TEST_CASE("A token is kept until shortly before its end", "[service][report]") {
    AppSide side;
    TrackerTokens tokens;
    CHECK(tokens.find(side.target, signed_s) == "t1");
    CHECK(tokens.find(side.target, signed_s + 3299) == "t1");
    CHECK(side.asked == 1);
    CHECK(side.requests[0].target == "/api/v3/app/installations/77/access_tokens");
    side.ends = "2027-01-15T10:00:00Z";
    CHECK(tokens.find(side.target, signed_s + 3300) == "t2");
    tokens.forget(side.target);
    CHECK(tokens.find(side.target, signed_s + 3301) == "t3");
}

TEST_CASE("A token that the tracker refuses is replaced", "[service][report]") {
    AppSide side;
    side.ends = "2099-01-01T00:00:00Z";
    CHECK(side.session.call(side.target, "GET", "/api/v3/user", "").response.status == 401);
    CHECK(side.session.call(side.target, "GET", "/api/v3/user", "").response.status == 200);
    CHECK(side.asked == 2);
}

TEST_CASE("An app that gets no token says what to look at", "[service][report]") {
    AppSide side;
    TrackerTokens tokens;
    side.status = 404;
    CHECK_THROWS_WITH(
        tokens.find(side.target, signed_s), Contains("404") && Contains("installation_id"));
    std::ofstream(side.folder / "app.pem") << "-----BEGIN RSA PRIVATE KEY-----\nx\n";
    const auto answer = side.session.call(side.target, "GET", "/x", "");
    CHECK(answer.progress == http::SendProgress::not_sent);
    CHECK_THAT(answer.message, Contains("RSA"));
    CHECK_THAT(answer.message, !Contains("BEGIN"));
}
