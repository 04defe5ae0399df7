#include <future>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include "service/runtime/lanes.hpp"
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

TEST_CASE("A long piece of work holds up one lane of several", "[service][runtime]") {
    asio::io_context io{1};
    int made = 0;
    std::promise<void> long_work_may_end;
    std::vector<int> ended;
    Lanes<int> lanes(
        2, [&] { return made++; }, 10);
    auto long_piece = [&]() -> asio::awaitable<void> {
        co_await lanes.run([&](int&) { long_work_may_end.get_future().wait(); });
        ended.push_back(0);
    };
    auto short_ones = [&]() -> asio::awaitable<void> {
        CHECK(lanes.waiting() == 1);
        for (int i = 1; i <= 3; ++i) {
            CHECK(co_await lanes.run([](int& resource) { return resource; }) == 1);
            ended.push_back(i);
        }
        long_work_may_end.set_value();
    };
    asio::co_spawn(io, long_piece(), asio::detached);
    asio::co_spawn(io, short_ones(), asio::detached);
    io.run();
    CHECK(made == 2);
    CHECK(ended == std::vector{1, 2, 3, 0});
    CHECK(lanes.waiting() == 0);
}

}  // namespace
}  // namespace vigil::service
