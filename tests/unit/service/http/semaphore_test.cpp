#include "service/http/semaphore.hpp"

#include <optional>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch.hpp>

using namespace vigil::service;

namespace {

namespace asio = boost::asio;

constexpr std::chrono::hours for_ever{1};

/// Who asked for a place, and the passes that they got.
struct Scene {
    asio::io_context io{1};
    FairSemaphore semaphore;
    std::vector<std::optional<FairSemaphore::Permit>> passes;

    Scene(int places, int places_of_owner) : semaphore(io, places, places_of_owner) {}

    void ask(const std::string& owner, std::chrono::milliseconds patience = for_ever) {
        const auto at = passes.size();
        passes.emplace_back();
        asio::co_spawn(io, enter(at, owner, patience), asio::detached);
        turn();
    }
    void release(std::size_t at) {
        passes.at(at).reset();
        turn();
    }
    bool is_through(std::size_t at) { return passes.at(at).has_value() && bool(*passes.at(at)); }
    bool gave_up(std::size_t at) { return passes.at(at).has_value() && !*passes.at(at); }

  private:
    asio::awaitable<void> enter(
        std::size_t at, std::string owner, std::chrono::milliseconds patience) {
        auto pass = co_await semaphore.acquire(owner, patience);
        passes[at] = std::move(pass);
    }
    void turn() {
        io.restart();
        io.poll();
    }
};

}  // namespace

TEST_CASE("A semaphore gives permits in the order of the requests", "[service][http]") {
    Scene scene(2, 2);
    for (const auto* owner : {"a", "b", "c", "d"}) scene.ask(owner);
    CHECK(scene.is_through(0));
    CHECK(scene.is_through(1));
    CHECK_FALSE(scene.is_through(2));
    scene.release(0);
    CHECK(scene.is_through(2));
    CHECK_FALSE(scene.is_through(3));
    CHECK(scene.semaphore.in_use() == 2);
    scene.release(1);
    CHECK(scene.is_through(3));
    scene.release(2);
    scene.release(3);
    CHECK(scene.semaphore.in_use() == 0);
}

TEST_CASE("One owner does not take all places of a semaphore", "[service][http]") {
    Scene scene(3, 1);
    scene.ask("a");
    scene.ask("a");
    scene.ask("b");
    CHECK(scene.is_through(0));
    CHECK_FALSE(scene.is_through(1));
    CHECK(scene.is_through(2));
    scene.release(0);
    CHECK(scene.is_through(1));
}

TEST_CASE("Who has no patience gets an empty pass, and holds nothing", "[service][http]") {
    Scene scene(1, 1);
    scene.ask("a");
    scene.ask("b", std::chrono::milliseconds(0));
    while (!scene.gave_up(1)) scene.io.run_one();
    CHECK(scene.semaphore.in_use() == 1);
    scene.release(0);
    CHECK(scene.semaphore.in_use() == 0);
    scene.ask("c");
    CHECK(scene.is_through(2));
}
