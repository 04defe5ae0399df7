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

class Turn {
  public:
    Turn(int file, const std::atomic<bool>* stop) : file_(file) {
        while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
            if (stop != nullptr && stop->load()) return;
            std::this_thread::sleep_for(between_asking);
        }
    }
    ~Turn() { ::flock(file_, LOCK_UN); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    int file_;
};

}  // namespace

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
    const Turn turn(file_, request.stop);
    return runner_.run(request);
}

std::map<std::string, std::string> TurnRunner::facts() const {
    auto facts = runner_.facts();
    facts["turns"] = "machine_lock";
    return facts;
}

}  // namespace vigil::worker
