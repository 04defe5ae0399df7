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

/// A semaphore with a limit for each owner; waiters get their permits in the order of arrival. Used
/// on the io thread only. Outlives its permits.
class FairSemaphore {
  public:
    /// Holds one place until its end. A moved-from or empty permit holds none.
    class Permit {
      public:
        Permit() = default;
        Permit(FairSemaphore* semaphore, std::string owner)
            : semaphore_(semaphore), owner_(std::move(owner)) {}
        Permit(Permit&& other) noexcept
            : semaphore_(std::exchange(other.semaphore_, nullptr)),
              owner_(std::move(other.owner_)) {}
        Permit& operator=(Permit&& other) noexcept {
            std::swap(semaphore_, other.semaphore_);
            std::swap(owner_, other.owner_);
            return *this;
        }
        ~Permit() {
            if (semaphore_ != nullptr) semaphore_->release(owner_);
        }
        explicit operator bool() const { return semaphore_ != nullptr; }

      private:
        FairSemaphore* semaphore_ = nullptr;
        std::string owner_;
    };

    /// @param places           permits at the same time
    /// @param places_of_owner  permits of one owner at the same time
    FairSemaphore(boost::asio::io_context& io, int places, int places_of_owner)
        : io_(io), places_(places), places_of_owner_(places_of_owner) {}
    FairSemaphore(const FairSemaphore&) = delete;
    FairSemaphore& operator=(const FairSemaphore&) = delete;

    /// Waits for a permit, at most `patience`. @return an empty permit when the time is over
    boost::asio::awaitable<Permit> acquire(std::string owner, std::chrono::milliseconds patience);

    int in_use() const { return in_use_; }

  private:
    struct Waiter {
        Waiter(boost::asio::io_context& io, std::string name) : timer(io), owner(std::move(name)) {}
        boost::asio::steady_timer timer;
        std::string owner;
        bool woken = false;
    };

    bool has_room(const std::string& owner) const;
    void take(const std::string& owner);
    void release(const std::string& owner);
    void wake_next();

    boost::asio::io_context& io_;
    const int places_;
    const int places_of_owner_;
    int in_use_ = 0;
    std::map<std::string, int> of_owner_;
    std::list<Waiter*> queue_;
};

}  // namespace vigil::service
