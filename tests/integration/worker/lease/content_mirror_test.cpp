// Content from an HTTP cache before the daemon, over sockets.

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

/// A daemon, and a cache that answers what the test says.
struct Pair {
    std::string bytes = "a product";
    CannedReply answer;
    std::atomic<int> of_daemon = 0;
    std::atomic<int> of_cache = 0;
    std::string seen;
    CannedServer daemon{[this](const CannedRequest&) {
        ++of_daemon;
        return reply(bytes);
    }};
    CannedServer cache{[this](const CannedRequest& request) {
        ++of_cache;
        seen = request.target + " " + request.headers.at("authorization");
        return answer;
    }};
    std::atomic<bool> draining = false;
    test::ScratchFolder folder;

    HttpService service() { return {daemon.url(), "secret-of-w1", draining, cache.url()}; }
    Digest digest() const { return wire::sha256(bytes); }
    std::string fetch(HttpService& service) const {
        const auto file = folder.path() / "file";
        std::filesystem::remove(file);
        service.fetch_content(digest(), file, most);
        std::ifstream in(file);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

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
    const std::pair<std::string, CannedReply> cases[] = {
        {"wrong bytes", reply("a prodoct")},
        {"too few", reply("a prod")},
        {"cut", reply("a product", 200, test::Fault::cut)},
        {"no answer", reply("", 200, test::Fault::hang_up)},
        {"too much", reply(std::string(most + 1, 'x'))},
        {"somewhere else", {302, "", {{"location", "http://127.0.0.1:9/x"}}}},
        {"a refusal", reply("", 401)},
        {"an error", reply("", 500)}};
    for (const auto& [name, answer] : cases) {
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

TEST_CASE("Wrong bytes of the daemon are the caller's to see", "[worker][lease]") {
    Pair pair;
    pair.answer.status = 500;
    auto service = pair.service();
    const auto file = pair.folder.path() / "file";
    service.fetch_content(wire::sha256("another"), file, most);
    CHECK(wire::sha256_file(file) == pair.digest());
}
