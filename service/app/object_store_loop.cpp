#include "service/app/object_store_loop.hpp"

#include <chrono>
#include <utility>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

using boost::asio::awaitable;

namespace {

constexpr auto look_at_bucket_every = std::chrono::seconds(10);
constexpr int most_at_once = 20;
constexpr int most_failures = 3;  // in one look: the rest waits for the next one
constexpr int max_waiting_copies = 10;

}  // namespace

ObjectStoreLoop::ObjectStoreLoop(const LoopParts& parts, ContentStore content)
    : Loop(parts), lane_(std::move(content), max_waiting_copies) {}

awaitable<void> ObjectStoreLoop::run() {
    while (!stopping_) {
        bool more = false;
        try {
            more = co_await move_some();
        } catch (const std::exception&) {
            vigil::log_failure("object_store.failed", std::current_exception());
        }
        if (!stopping_ && !more) co_await pause_.wait(look_at_bucket_every);
    }
}

awaitable<bool> ObjectStoreLoop::move_some() {
    why_.clear();
    failures_ = 0;
    const auto config = config_.now().object_store;
    const bool more = config && co_await copy_some(*config);
    if (!stopping_ && reported_ != why_) {
        const auto now_s = clock_.now_s();
        co_await writer_.run([&](Database& db) {
            Trouble trouble{"object_store.failed", "object_store", {}, why_};
            trouble.message += "; workers get content from the daemon meanwhile";
            set_trouble(db, trouble, !why_.empty(), now_s);
        });
        reported_ = why_;
    }
    co_return more&& why_.empty();
}

awaitable<bool> ObjectStoreLoop::copy_some(const ObjectStoreConfig& config) {
    const auto bucket = bucket_address(config);
    CopyWork work;
    co_await writer_.run(
        [&](Database& db) { work = begin_copies(db, bucket, max_object_bytes, most_at_once); });
    for (const auto& digest : work.remove) {
        const auto remove = [&](const ObjectStore& store, ContentStore&, std::int64_t now_s) {
            store.remove(digest, now_s, stopping_);
            return true;
        };
        if (!co_await call(config, remove)) continue;
        co_await writer_.run([&](Database& db) { forget_copy(db, bucket, digest); });
    }
    for (const auto& digest : work.send) {
        const auto put = [&](const ObjectStore& store, ContentStore& content, std::int64_t now_s) {
            if (!content.has(digest)) return false;  // it was evicted meanwhile
            store.put(digest, content.path(digest), now_s, stopping_);
            return true;
        };
        if (!co_await call(config, put)) continue;
        const auto now_s = clock_.now_s();
        co_await writer_.run([&](Database& db) { note_copied(db, bucket, digest, now_s); });
    }
    const auto most = static_cast<std::size_t>(most_at_once);
    co_return work.send.size() == most || work.remove.size() == most;
}

// @return  whether it was done
template <class Work>
awaitable<bool> ObjectStoreLoop::call(const ObjectStoreConfig& config, Work work) {
    if (stopping_ || failures_ == most_failures) co_return false;
    const auto now_s = clock_.now_s();
    std::string why;
    bool done = false;
    co_await lane_.run([&](ContentStore& content) {
        try {
            done = work(ObjectStore(config), content, now_s);
        } catch (const Error& error) {
            why = error.what();
        }
    });
    if (why.empty()) co_return done;
    ++failures_;
    why_ = why;
    co_return false;
}

}  // namespace vigil::service
