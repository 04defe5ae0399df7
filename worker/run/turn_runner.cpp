#include "worker/run/turn_runner.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include <sys/file.h>

#include "schema/model/error.hpp"

namespace vigil::worker {

namespace {

// A waiting worker asks again this often; a turn lasts seconds.
constexpr auto between_asking = std::chrono::milliseconds(5);

/// @return  false while another worker holds the lock
/// @throws Error{unavailable} when the file cannot be locked at all (ENOLCK of a network folder)
bool try_lock(int file) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno == EWOULDBLOCK || errno == EINTR) return false;
    throw Error(Errc::unavailable, std::string("locking machine_lock: ") + std::strerror(errno));
}

}  // namespace

class TurnRunner::Turn {
  public:
    Turn(TurnRunner& owner, const std::atomic<bool>* stop) : owner_(owner) {
        const std::lock_guard lock(owner_.mutex_);
        // Others of the group wait at the mutex meanwhile.
        if (owner_.sharing_ == 0 && !owner_.take(stop)) return;
        ++owner_.sharing_;
        counted_ = true;
    }
    ~Turn() {
        const std::lock_guard lock(owner_.mutex_);
        if (counted_ && --owner_.sharing_ == 0) owner_.give_back();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    TurnRunner& owner_;
    bool counted_ = false;
};

// Who waits for others to end keeps the lock, so that none of them begins again before it.
bool TurnRunner::take(const std::atomic<bool>* stop) {
    const auto wait_until = [&](const auto& done) {
        while (!done()) {
            if (stop != nullptr && stop->load()) return false;
            std::this_thread::sleep_for(between_asking);
        }
        return true;
    };
    if (!wait_until([&] { return try_lock(file_); })) return false;
    const bool taken = wait_until([&] { return neighbours_.others_rest(); });
    if (taken) neighbours_.begin_turn();
    if (!taken || !neighbours_.alone()) ::flock(file_, LOCK_UN);
    return taken;
}

void TurnRunner::give_back() {
    neighbours_.end_turn();
    if (neighbours_.alone()) ::flock(file_, LOCK_UN);
}

TurnRunner::TurnRunner(Runner& runner, const std::filesystem::path& file, Neighbour self)
    : runner_(runner),
      neighbours_(file, std::move(self)),
      file_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (file_ < 0) {
        throw Error(
            Errc::unavailable,
            "opening machine_lock " + file.string() + ": " + std::strerror(errno));
    }
}

TurnRunner::~TurnRunner() {
    ::close(file_);
}

RunReport TurnRunner::run(const RunRequest& request) {
    // When stopped while waiting, the request still goes on: the runner answers it as stopped.
    const Turn turn(*this, request.stop);
    return runner_.run(request);
}

std::map<std::string, std::string> TurnRunner::facts() const {
    auto facts = runner_.facts();
    facts["turns"] = neighbours_.alone() ? "machine_lock" : "machine_lock, beside others";
    return facts;
}

}  // namespace vigil::worker
