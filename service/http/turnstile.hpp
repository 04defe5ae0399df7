#pragma once

#include <chrono>
#include <list>
#include <map>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace vigil::service {

/// Lets a few through at once, the others wait in line. io thread only; outlives its passes.
class Turnstile {
  public:
    /// One who is through; leaves at its end. A moved-from or empty pass holds no place.
    class Pass {
      public:
        Pass() = default;
        Pass(Turnstile* turnstile, std::string owner)
            : turnstile_(turnstile), owner_(std::move(owner)) {}
        Pass(Pass&& other) noexcept
            : turnstile_(std::exchange(other.turnstile_, nullptr)),
              owner_(std::move(other.owner_)) {}
        Pass& operator=(Pass&& other) noexcept {
            std::swap(turnstile_, other.turnstile_);
            std::swap(owner_, other.owner_);
            return *this;
        }
        ~Pass() {
            if (turnstile_ != nullptr) turnstile_->leave(owner_);
        }
        explicit operator bool() const { return turnstile_ != nullptr; }

      private:
        Turnstile* turnstile_ = nullptr;
        std::string owner_;
    };

    /// @param places           who may be through at once
    /// @param places_of_owner  of these, for one owner
    Turnstile(boost::asio::io_context& io, int places, int places_of_owner)
        : io_(io), places_(places), places_of_owner_(places_of_owner) {}
    Turnstile(const Turnstile&) = delete;
    Turnstile& operator=(const Turnstile&) = delete;

    /// Waits for a place, at most `patience`. @return an empty pass when none came
    boost::asio::awaitable<Pass> enter(std::string owner, std::chrono::milliseconds patience);

    int through() const { return through_; }

  private:
    struct Waiter {
        Waiter(boost::asio::io_context& io, std::string name) : timer(io), owner(std::move(name)) {}
        boost::asio::steady_timer timer;
        std::string owner;
        bool called = false;
    };

    bool has_place(const std::string& owner) const;
    void take(const std::string& owner);
    void leave(const std::string& owner);
    void call_next();

    boost::asio::io_context& io_;
    const int places_;
    const int places_of_owner_;
    int through_ = 0;
    std::map<std::string, int> of_owner_;
    std::list<Waiter*> line_;
};

}  // namespace vigil::service
