#include "service/runtime/lane.hpp"

#include <string>
#include <thread>
#include <vector>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include "tests/support/run_on.hpp"

namespace vigil::service {
namespace {

namespace asio = boost::asio;

TEST_CASE("Work runs on the lane's thread and comes back to the caller's", "[service][runtime]") {
    asio::io_context io{1};
    Lane<std::vector<int>> lane({1, 2, 3}, 10);
    auto ask = [&]() -> asio::awaitable<void> {
        const auto here = std::this_thread::get_id();
        const auto there = co_await lane.run([](std::vector<int>& numbers) {
            numbers.push_back(4);
            return std::this_thread::get_id();
        });
        CHECK(there != here);
        CHECK(std::this_thread::get_id() == here);
        const auto copy = co_await lane.run([](std::vector<int>& numbers) { return numbers; });
        CHECK(copy == std::vector{1, 2, 3, 4});
        CHECK(lane.waiting() == 0);
    };
    test::run_on(io, ask());
}

TEST_CASE("What work throws is thrown at the caller", "[service][runtime]") {
    asio::io_context io{1};
    Lane<int> lane(0, 10);
    auto ask = [&]() -> asio::awaitable<void> {
        co_await lane.run([](int&) { throw Error(Errc::not_found, "there is no such thing"); });
    };
    CHECK_THROWS_WITH(test::run_on(io, ask()), "there is no such thing");
    CHECK(lane.waiting() == 0);
}

TEST_CASE("A lane works in order and refuses more than may wait", "[service][runtime]") {
    asio::io_context io{1};
    Lane<std::string> lane("", 3);
    int refused = 0;
    auto ask = [&](char letter) -> asio::awaitable<void> {
        try {
            co_await lane.run([&](std::string& text) { text += letter; });
        } catch (const Error& error) {
            CHECK(error.code() == Errc::unavailable);
            ++refused;
        }
    };
    for (const char letter : {'a', 'b', 'c', 'd', 'e'}) {
        asio::co_spawn(io, ask(letter), asio::detached);
    }
    io.run();
    CHECK(refused == 2);
    auto look = [&]() -> asio::awaitable<void> {
        CHECK(co_await lane.run([](std::string& text) { return text; }) == "abc");
    };
    test::run_on(io, look());
}

}  // namespace
}  // namespace vigil::service
