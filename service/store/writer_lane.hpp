#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "service/store/database.hpp"

namespace vigil::service {

/// Whether work takes its time.
enum class Weight { light, heavy };

/// The thread that owns the ledger's only writing connection.
///
/// Group commit: it takes what waits (at most `max_group`), runs each piece in a savepoint of one
/// transaction, commits, and only then resumes the callers: nobody is answered before the commit.
/// A piece that throws undoes its own savepoint only. When the commit fails, all of its group
/// fail. A heavy piece is a group of its own, and a group of light ones comes between two of them;
/// a group that has lasted for `max_group_time` takes no more. The destructor finishes the work
/// already handed in.
///
/// Call `run` from one thread only, the io_context's; the io_context outlives the lane.
class WriterLane {
  public:
    static constexpr int max_group = 256;
    static constexpr std::chrono::milliseconds max_group_time{100};

    /// @param limit      how many pieces of work may wait; more are refused rather than piled up
    /// @param disk_full  called on the lane's thread when a write failed because the disk is full,
    ///                   e.g. to give up the ballast
    WriterLane(Database database, int limit, std::function<void()> disk_full = {});
    ~WriterLane();
    WriterLane(const WriterLane&) = delete;
    WriterLane& operator=(const WriterLane&) = delete;

    /// Runs the plain function `work(Database&)` and commits. What it returns is returned, what it
    /// throws is thrown here. Capture by reference: the caller stays suspended, so its locals
    /// outlive the call. `work` begins no transaction of its own.
    /// @throws Error{unavailable} when `limit` pieces of work wait already, or the disk is full
    template <class Work>
    auto run(Work work, Weight weight = Weight::light)
        -> boost::asio::awaitable<std::invoke_result_t<Work&, Database&>> {
        using Result = std::invoke_result_t<Work&, Database&>;
        using Kept = std::conditional_t<std::is_void_v<Result>, std::monostate, Result>;
        std::optional<Kept> result;
        const std::function<void(Database&)> call = [&](Database& database) {
            if constexpr (std::is_void_v<Result>) {
                work(database);
            } else {
                result.emplace(work(database));
            }
        };
        Piece piece(co_await boost::asio::this_coro::executor, call);
        hand_in(piece, weight);
        while (!piece.ended) {
            boost::system::error_code woken;
            auto token = boost::asio::redirect_error(boost::asio::use_awaitable, woken);
            co_await piece.wake.async_wait(token);
        }
        if (piece.failure) std::rethrow_exception(piece.failure);
        if constexpr (!std::is_void_v<Result>) co_return std::move(*result);
    }

    /// How many pieces of work were handed in and have not come back. The caller's thread only.
    int waiting() const { return waiting_; }

    /// Called on the caller's thread after each commit. May be empty; must not throw.
    std::function<void()> on_commit;

    /// How many transactions were committed; tests see by it that work was grouped.
    std::int64_t commits() const { return commits_; }

  private:
    /// Lives in the caller's frame. The timer never expires: cancelling it resumes the caller.
    struct Piece {
        Piece(const boost::asio::any_io_executor& io, const std::function<void(Database&)>& work)
            : call(work), wake(io, boost::asio::steady_timer::time_point::max()) {}
        const std::function<void(Database&)>& call;
        boost::asio::steady_timer wake;
        std::exception_ptr failure;
        bool ended = false;
    };

    void hand_in(Piece& piece, Weight weight);
    void start_group(const boost::asio::any_io_executor& io);
    void end_group(const boost::asio::any_io_executor& io);
    void take_group();
    void put_back();

    // On the lane's thread.
    void run_group() noexcept;
    void run_piece(Piece& piece);
    void fail_group(const std::exception_ptr& failure);

    Database database_;  // touched on the lane's thread only
    const int limit_;
    const std::function<void()> disk_full_;
    std::deque<Piece*> queue_;   // light pieces; caller's thread only
    std::deque<Piece*> heavy_;   // caller's thread only
    bool heavy_next_ = false;    // caller's thread only
    std::vector<Piece*> group_;  // the lane's while busy_, else the caller's
    std::size_t run_ = 0;        // how many of the group were run; like group_
    bool busy_ = false;          // caller's thread only
    int waiting_ = 0;            // caller's thread only
    std::int64_t commits_ = 0;   // caller's thread only
    bool committed_ = false;     // like group_
    boost::asio::thread_pool thread_{1};
};

}  // namespace vigil::service
