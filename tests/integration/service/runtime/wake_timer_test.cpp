#include "service/runtime/wake_timer.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch.hpp>

namespace vigil::service {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::hours for_ever{1};

TEST_CASE("A wake while nobody waits ends the next pause, and only that", "[service][runtime]") {
    asio::io_context io{1};
    WakeTimer pause(io);
    int rounds = 0;
    const auto loop = [&]() -> asio::awaitable<void> {
        for (;;) {
            co_await pause.wait(for_ever);
            ++rounds;
        }
    };
    pause.wake();
    pause.wake();  // two wakes are one round
    asio::co_spawn(io, loop(), asio::detached);
    io.poll();
    CHECK(rounds == 1);
    pause.wake();
    io.poll();
    CHECK(rounds == 2);
    io.poll();
    CHECK(rounds == 2);
}

}  // namespace
}  // namespace vigil::service
