#pragma once

#include <csignal>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include <sys/wait.h>

namespace vigil::test {

/// A child of this process that runs a function and ends with what it returns as its exit status.
/// It is killed at the end of the test if it still runs. No Catch2 assertions inside: the parent
/// would not hear of them.
class Forked {
  public:
    template <class Function>
    explicit Forked(Function&& function) : pid_(::fork()) {
        if (pid_ < 0) throw std::runtime_error("cannot fork");
        if (pid_ > 0) return;
        int status = 125;
        try {
            status = std::forward<Function>(function)();
        } catch (...) {
            status = 126;
        }
        ::_exit(status);
    }
    ~Forked() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Forked(const Forked&) = delete;
    Forked& operator=(const Forked&) = delete;

    void kill() {
        ::kill(pid_, SIGKILL);
        wait();
    }

    /// Its exit status; -1 when a signal ended it.
    int wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    pid_t pid_;
};

}  // namespace vigil::test
