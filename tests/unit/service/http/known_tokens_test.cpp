#include "service/http/known_tokens.hpp"

#include <catch2/catch.hpp>

#include "schema/wire/digest.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

using std::chrono::seconds;

const GuessLimit::Time start{seconds(1000)};

int guesses_let_through(GuessLimit& limit, const std::string& peer, GuessLimit::Time now, int of) {
    int through = 0;
    for (int i = 0; i < of; ++i) through += limit.take(peer, now).count() == 0 ? 1 : 0;
    return through;
}

}  // namespace

TEST_CASE("A peer has twenty guesses, and one more every five seconds", "[service][http]") {
    GuessLimit limit;
    CHECK(guesses_let_through(limit, "a", start, 100) == 20);
    CHECK(limit.take("a", start) == seconds(5));
    CHECK(limit.take("a", start + seconds(3)) == seconds(2));
    CHECK(guesses_let_through(limit, "b", start, 100) == 20);  // another peer's are its own
    CHECK(guesses_let_through(limit, "a", start + seconds(10), 100) == 2);
    CHECK(guesses_let_through(limit, "a", start + seconds(10'000), 100) == 20);
}

TEST_CASE("A known token costs no guess", "[service][http]") {
    GuessLimit limit;
    for (int i = 0; i < 100; ++i) {
        CHECK(limit.take("a", start).count() == 0);
        limit.give_back("a");
    }
}

TEST_CASE("The limit remembers a bounded number of peers, the worst of them", "[service][http]") {
    GuessLimit limit;
    CHECK(guesses_let_through(limit, "worst", start, 20) == 20);
    for (int i = 0; i < 10'000; ++i) limit.take(std::to_string(i), start);
    CHECK(limit.take("worst", start).count() > 0);
    limit.give_back("nobody");
}

TEST_CASE("Peers are IPv4 addresses and IPv6 networks", "[service][http]") {
    const auto peer = [](const char* text) { return peer_of(boost::asio::ip::make_address(text)); };
    CHECK(peer("192.0.2.7") == "192.0.2.7");
    CHECK(peer("::ffff:192.0.2.7") == "192.0.2.7");
    CHECK(peer("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64");
    CHECK(peer("2001:db8:1:2::9") == "2001:db8:1:2::/64");
}

TEST_CASE(
    "KnownTokens are known by their secrets until their token is revoked", "[service][http]") {
    KnownTokens tokens;
    tokens.remember(wire::sha256("s3cret"), {TokenId{1}, "one", Scope::worker});
    tokens.remember(wire::sha256("other"), {TokenId{2}, "two", Scope::read});
    CHECK(tokens.find("s3cret")->name == "one");
    CHECK_FALSE(tokens.find("s3cre").has_value());
    CHECK_FALSE(tokens.find("").has_value());
    tokens.forget("one");
    CHECK_FALSE(tokens.find("s3cret").has_value());
    CHECK(tokens.find("other")->scopes == Scope::read);
}

TEST_CASE("A proxy is believed only where the config trusts it", "[service][http]") {
    const auto from = [](const char* peer, const char* forwarded) {
        const std::vector<std::string> trusted{"10.0.0.1", "::1"};
        return origin_of(
                   boost::asio::ip::make_address(peer), {{"x-forwarded-for", forwarded}}, trusted)
            .to_string();
    };
    CHECK(from("10.0.0.9", "1.2.3.4") == "10.0.0.9");
    CHECK(from("10.0.0.1", "1.2.3.4") == "1.2.3.4");
    CHECK(
        from("::1", "6.6.6.6, 1.2.3.4 ,10.0.0.1") == "1.2.3.4");  // what a client invents is first
    CHECK(from("10.0.0.1", "unknown") == "10.0.0.1");
    CHECK(from("10.0.0.1", "") == "10.0.0.1");
    CHECK(from("::ffff:10.0.0.1", "2001:db8::1") == "2001:db8::1");
}

TEST_CASE("That a token is used is told once an hour", "[service][http]") {
    KnownTokens tokens;
    tokens.remember(wire::sha256("s3cret"), {TokenId{1}, "one", Scope::read}, 5000);
    CHECK_FALSE(tokens.use(TokenId{1}, 8599));
    CHECK(tokens.use(TokenId{1}, 8600));
    CHECK_FALSE(tokens.use(TokenId{1}, 8601));
    CHECK(tokens.use(TokenId{2}, 8601));
    CHECK(tokens.use(TokenId{1}, 100));  // the clock was set back
}
