#include "worker/bench/measure/fork_piped.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <sys/prctl.h>

namespace vigil_bench {

Piped fork_piped(const std::function<void(int pipe)>& work) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error(std::string("making a pipe: ") + std::strerror(errno));
    }
    const pid_t process = fork();
    if (process < 0) {
        throw std::runtime_error(std::string("making a process: ") + std::strerror(errno));
    }
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        work(ends[1]);
        _exit(127);
    }
    close(ends[1]);
    return {process, ends[0]};
}

}  // namespace vigil_bench
