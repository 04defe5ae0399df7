#pragma once

#include <exception>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace vigil::test {

/// Runs a coroutine to its end on the io_context; what it throws is thrown here.
inline void run_on(boost::asio::io_context& io, boost::asio::awaitable<void> coroutine) {
    std::exception_ptr failure;
    boost::asio::co_spawn(
        io, std::move(coroutine), [&](const std::exception_ptr& thrown) { failure = thrown; });
    io.restart();
    io.run();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace vigil::test
