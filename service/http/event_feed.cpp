#include "service/http/event_feed.hpp"

#include <algorithm>
#include <iterator>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "schema/log/log.hpp"
#include "service/http/connection.hpp"
#include "service/http/core.hpp"
#include "service/runtime/at_end.hpp"
#include "service/runtime/lanes.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

constexpr std::size_t max_kept_bytes = std::size_t{4} << 20;
constexpr int page_events = 500;
/// Many commits a second are one read.
constexpr std::chrono::milliseconds pause_between_reads{50};
constexpr std::chrono::seconds longest_silence{5};
constexpr std::chrono::seconds page_patience{60};

/// Tells a client when to come again after the end, as it begins.
constexpr std::string_view greeting = "retry: 3000\n\n";
constexpr std::string_view heartbeat = ":\n\n";

void append_wanted(EventWish& wish, const LiveEvent& event, std::string& out) {
    wish.after = event.id;
    if (wish.wants(event)) out += event.frame;
}

/// What the feed keeps no longer, from the ledger.
asio::awaitable<std::string> read_page(ServerCore& core, EventWish& wish) {
    std::string bytes;
    const auto begin = core.feed.begin();
    const auto permit = co_await core.feed.catching_up.acquire("", page_patience);
    if (!permit) throw Error(Errc::unavailable, "too many listeners read what they missed");
    const auto events = co_await core.api.long_readers.run(
        [&](Database& db) { return load_live_events(db, wish.after, page_events); });
    for (const auto& event : events) append_wanted(wish, event, bytes);
    if (events.empty()) wish.after = std::max(wish.after, begin);
    co_return bytes;
}

}  // namespace

bool EventFeed::take(EventWish& wish, std::string& out, std::size_t room) const {
    if (!is_known_ || wish.after < begin_) return false;
    const auto first = std::upper_bound(
        kept_.begin(), kept_.end(), wish.after, [](std::int64_t after, const LiveEvent& event) {
            return after < event.id;
        });
    for (auto at = first; at != kept_.end() && out.size() < room; ++at) {
        append_wanted(wish, *at, out);
    }
    return true;
}

void EventFeed::keep(std::vector<LiveEvent> events) {
    for (auto& event : events) {
        end_ = event.id;
        kept_bytes_ += event.frame.size();
        kept_.push_back(std::move(event));
    }
    while (kept_bytes_ > max_kept_bytes) {
        begin_ = kept_.front().id;
        kept_bytes_ -= kept_.front().frame.size();
        kept_.pop_front();
    }
}

asio::awaitable<void> EventFeed::read_new(ServerCore& core) {
    if (!is_known_) {
        end_ = begin_ =
            co_await core.api.reader.run([](Database& db) { return find_newest_event(db).value; });
        is_known_ = true;
        told.notify();
    }
    for (bool more = true; more;) {
        auto events = co_await core.api.reader.run(
            [&](Database& db) { return load_live_events(db, end_, page_events); });
        more = events.size() == page_events;
        if (events.empty()) break;
        keep(std::move(events));
        told.notify();
    }
}

asio::awaitable<void> EventFeed::run(std::shared_ptr<ServerCore> core) {
    auto& feed = core->feed;
    const AtEnd ended([&] {
        feed.kept_.clear();
        feed.kept_bytes_ = 0;
        feed.is_known_ = feed.running_ = false;
    });
    Patience nobody_leaves;
    asio::steady_timer pause(core->io);
    while (feed.listeners_ > 0 && !core->draining) {
        const auto seen = feed.committed.generation();
        try {
            co_await feed.read_new(*core);
        } catch (const Error& error) {  // the reader has too much to do; a later turn goes on
            log_warn("http.feed_waits", {{"reason", error.what()}});
        }
        pause.expires_after(pause_between_reads);
        co_await pause.async_wait(asio::use_awaitable);
        co_await feed.committed.wait(nobody_leaves, seen, steady_clock::now() + longest_silence);
    }
}

void EventFeed::start(const std::shared_ptr<ServerCore>& core) {
    if (core->feed.running_) return;
    core->feed.running_ = true;  // now: the loop itself begins later
    asio::co_spawn(core->io, run(core), [](const std::exception_ptr& failure) {
        if (failure) log_error("http.feed_failed", {{"reason", "an error of the service"}});
    });
}

asio::awaitable<void> tell_events(
    std::shared_ptr<ServerCore> core, Connection& connection, EventWish wish, Patience& patience) {
    auto& feed = core->feed;
    const std::chrono::seconds silence(core->api.config.now().http.heartbeat_s);
    std::string bytes(greeting);
    auto silent_until = steady_clock::now() + silence;
    while (!core->draining && !patience.gone()) {
        EventFeed::start(core);
        const auto seen = feed.told.generation();
        const auto before = wish.after;
        const bool is_kept = feed.take(wish, bytes, piece_bytes);
        if (!is_kept && wish.after < feed.begin()) {
            const auto page = co_await read_page(*core, wish);
            bytes += page;
        }
        if (bytes.empty() && steady_clock::now() >= silent_until) bytes = heartbeat;
        if (!bytes.empty()) {
            co_await connection.write(bytes);
            bytes.clear();
            silent_until = steady_clock::now() + silence;
        }
        if (wish.after == before) co_await feed.told.wait(patience, seen, silent_until);
    }
}

}  // namespace vigil::service
