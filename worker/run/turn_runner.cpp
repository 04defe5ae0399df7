#include "worker/run/turn_runner.hpp"

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

}  // namespace

class TurnRunner::Turn {
  public:
    Turn(TurnRunner& owner, const std::atomic<bool>* stop) : owner_(owner) {
        const std::lock_guard lock(owner_.mutex_);
        // Others of the group wait at the mutex meanwhile.
        while (owner_.sharing_ == 0 && ::flock(owner_.file_, LOCK_EX | LOCK_NB) != 0) {
            if (stop != nullptr && stop->load()) return;
            std::this_thread::sleep_for(between_asking);
        }
        ++owner_.sharing_;
        counted_ = true;
    }
    ~Turn() {
        const std::lock_guard lock(owner_.mutex_);
        if (counted_ && --owner_.sharing_ == 0) ::flock(owner_.file_, LOCK_UN);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    TurnRunner& owner_;
    bool counted_ = false;
};

TurnRunner::TurnRunner(Runner& runner, const std::filesystem::path& file)
    : runner_(runner), file_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
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
    facts["turns"] = "machine_lock";
    return facts;
}

}  // namespace vigil::worker
