#include "service/store/writer_lane.hpp"

#include <algorithm>

#include <boost/asio/post.hpp>

namespace vigil::service {

WriterLane::WriterLane(Database database, int limit, std::function<void()> disk_full)
    : database_(std::move(database)), limit_(limit), disk_full_(std::move(disk_full)) {}

WriterLane::~WriterLane() {
    thread_.join();
    if (busy_) put_back();  // the group that ended last may have left a rest
    // The callers' frames live as long as the io_context: their work is done, nobody is resumed.
    while (!queue_.empty() || !heavy_.empty()) {
        take_group();
        run_group();
        put_back();
    }
}

void WriterLane::hand_in(Piece& piece, Weight weight) {
    if (waiting_ >= limit_) {
        throw Error(Errc::unavailable, "too much work waits on the ledger's writer; try again");
    }
    (weight == Weight::heavy ? heavy_ : queue_).push_back(&piece);
    ++waiting_;
    if (!busy_) start_group(piece.wake.get_executor());
}

void WriterLane::take_group() {
    if (!heavy_.empty() && (heavy_next_ || queue_.empty())) {
        heavy_next_ = false;
        group_.assign(1, heavy_.front());
        heavy_.pop_front();
        return;
    }
    heavy_next_ = true;
    const auto count = std::min(queue_.size(), std::size_t{max_group});
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(count);
    group_.assign(queue_.begin(), end);
    queue_.erase(queue_.begin(), end);
}

/// What the group had no time for comes first in the next one.
void WriterLane::put_back() {
    const auto rest = group_.begin() + static_cast<std::ptrdiff_t>(run_);
    queue_.insert(queue_.begin(), rest, group_.end());
    group_.erase(rest, group_.end());
}

void WriterLane::start_group(const boost::asio::any_io_executor& io) {
    take_group();
    busy_ = true;
    boost::asio::post(thread_, [this, io] {
        run_group();
        boost::asio::post(io, [this, io] { end_group(io); });
    });
}

void WriterLane::end_group(const boost::asio::any_io_executor& io) {
    busy_ = false;
    if (committed_) ++commits_;
    put_back();
    waiting_ -= static_cast<int>(group_.size());
    for (Piece* piece : group_) {
        piece->ended = true;
        piece->wake.cancel();
    }
    group_.clear();
    if (committed_ && on_commit) on_commit();
    if (!queue_.empty() || !heavy_.empty()) start_group(io);
}

void WriterLane::run_group() noexcept {
    committed_ = false;
    run_ = 0;
    const auto until = std::chrono::steady_clock::now() + max_group_time;
    try {
        database_.execute("BEGIN IMMEDIATE");
        do {
            run_piece(*group_[run_++]);
        } while (run_ < group_.size() && std::chrono::steady_clock::now() < until);
        database_.execute("COMMIT");
        committed_ = true;
    } catch (...) {
        fail_group(std::current_exception());
    }
    if (database_.take_disk_full() && disk_full_) {
        try {
            disk_full_();
        } catch (...) {  // the callers were told already that the disk is full
        }
    }
}

// Throws only when the whole transaction is lost.
void WriterLane::run_piece(Piece& piece) {
    database_.execute("SAVEPOINT piece");
    try {
        piece.call(database_);
        VIGIL_ASSERT(database_.in_transaction());  // work must not end the group's transaction
        database_.execute("RELEASE piece");
    } catch (...) {
        // A full disk makes SQLite roll the whole transaction back by itself.
        if (!database_.in_transaction()) throw;
        piece.failure = std::current_exception();
        database_.execute("ROLLBACK TO piece");
        database_.execute("RELEASE piece");
    }
}

void WriterLane::fail_group(const std::exception_ptr& failure) {
    run_ = group_.size();
    for (Piece* piece : group_) {
        if (!piece->failure) piece->failure = failure;
    }
    try {
        if (database_.in_transaction()) database_.execute("ROLLBACK");
    } catch (...) {  // the next BEGIN says what is wrong with the connection
    }
}

}  // namespace vigil::service
