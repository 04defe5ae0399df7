// Content from an HTTP cache before the daemon, and from an object store, over sockets.

#include <atomic>
#include <fstream>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "tests/support/canned_server.hpp"
#include "tests/support/scratch_folder.hpp"
#include "worker/lease/http_service.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::CannedReply;
using test::CannedRequest;
using test::CannedServer;

namespace {

constexpr std::int64_t most = 1 << 20;

CannedReply reply(std::string body, int status = 200, test::Fault fault = test::Fault::none) {
    return {status, std::move(body), {}, fault, 3};
}

/// A daemon, and beside it a cache, or an object store, that answers what the test says.
struct Pair {
    std::string bytes = "a product";
    CannedReply answer;
    std::string location;  ///< of content, to who takes a redirect; empty: there is none
    std::atomic<int> of_daemon = 0;
    std::atomic<int> of_cache = 0;
    std::string seen;
    CannedServer daemon{[this](const CannedRequest& request) {
        ++of_daemon;
        if (location.empty() || !request.target.ends_with("?redirect=true")) return reply(bytes);
        return CannedReply{307, "", {{"location", location}}, test::Fault::none, 0};
    }};
    CannedServer cache{[this](const CannedRequest& request) {
        ++of_cache;
        const auto token = request.headers.find("authorization");
        seen = request.target + " " + (token == request.headers.end() ? "none" : token->second);
        return answer;
    }};
    std::atomic<bool> draining = false;
    test::ScratchFolder folder;

    HttpService service() { return {daemon.url(), "secret-of-w1", draining, cache.url()}; }
    HttpService without_cache() { return {daemon.url(), "secret-of-w1", draining}; }
    Digest digest() const { return wire::sha256(bytes); }
    std::string fetch(HttpService& service) const {
        const auto file = folder.path() / "file";
        std::filesystem::remove(file);
        service.fetch_content(digest(), file, most);
        std::ifstream in(file);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

/// Answers without the content.
std::vector<std::pair<std::string, CannedReply>> failures() {
    return {
        {"wrong bytes", reply("a prodoct")},
        {"too few", reply("a prod")},
        {"cut", reply("a product", 200, test::Fault::cut)},
        {"no answer", reply("", 200, test::Fault::hang_up)},
        {"too much", reply(std::string(most + 1, 'x'))},
        {"somewhere else", {302, "", {{"location", "http://127.0.0.1:9/x"}}}},
        {"a refusal", reply("", 401)},
        {"an error", reply("", 500)}};
}

}  // namespace

TEST_CASE("What a cache has is not asked of the daemon", "[worker][lease]") {
    Pair pair;
    pair.answer.body = pair.bytes;
    auto service = pair.service();
    CHECK(pair.fetch(service) == pair.bytes);
    CHECK(pair.fetch(service) == pair.bytes);
    CHECK(pair.of_cache == 2);
    CHECK(pair.of_daemon == 0);
    CHECK(pair.seen == "/api/v1/content/" + pair.digest().str() + " Bearer secret-of-w1");
}

TEST_CASE("A cache that fails leaves the work to the daemon, for a while", "[worker][lease]") {
    for (const auto& [name, answer] : failures()) {
        CAPTURE(name);
        Pair pair;
        pair.answer = answer;
        auto service = pair.service();
        CHECK(pair.fetch(service) == pair.bytes);
        CHECK(pair.fetch(service) == pair.bytes);
        CHECK(pair.of_cache == 1);
        CHECK(pair.of_daemon == 2);
    }
}

TEST_CASE("An object store gets no token, and sends nobody further", "[worker][lease]") {
    Pair pair;
    pair.answer.body = pair.bytes;
    pair.location = pair.cache.url() + "/bucket/key?X-Amz-Signature=a%2Fb";
    auto service = pair.without_cache();
    CHECK(pair.fetch(service) == pair.bytes);
    CHECK(pair.seen == "/bucket/key?X-Amz-Signature=a%2Fb none");
    CHECK(pair.of_daemon == 1);
    for (const auto& [name, answer] : failures()) {
        CAPTURE(name);
        Pair other;
        other.answer = answer;
        other.location = other.cache.url() + "/bucket/key";
        auto its = other.without_cache();
        CHECK(other.fetch(its) == other.bytes);
        CHECK(other.of_daemon == 2);  // the redirect, then the bytes
        CHECK(other.fetch(its) == other.bytes);
        CHECK(other.of_daemon == 3);
        CHECK(other.of_cache == 1);
    }
    for (const std::string location : {"", "/x", "file:///etc/passwd", "http://a b/"}) {
        CAPTURE(location);
        Pair other;
        other.location = location.empty() ? " " : location;
        auto its = other.without_cache();
        CHECK(other.fetch(its) == other.bytes);
        CHECK(other.of_cache == 0);
    }
}

TEST_CASE("Wrong bytes of the daemon are the caller's to see", "[worker][lease]") {
    Pair pair;
    pair.answer.status = 500;
    auto service = pair.service();
    const auto file = pair.folder.path() / "file";
    service.fetch_content(wire::sha256("another"), file, most);
    CHECK(wire::sha256_file(file) == pair.digest());
}
