#include "service/source/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "schema/model/error.hpp"

namespace vigil::service {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t max_errors_bytes = 64 * 1024;
constexpr int poll_ms = 20;  // between looks whether the process has ended

[[noreturn]] void fail(const Command& command, const std::string& why) {
    throw Error(Errc::unavailable, "running " + command.front() + ": " + why);
}

class Pipe {
  public:
    Pipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
            throw Error(Errc::unavailable, "making a pipe: " + std::string(std::strerror(errno)));
        }
    }
    ~Pipe() {
        close_read();
        close_write();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int reader() const { return ends_[0]; }
    int writer() const { return ends_[1]; }
    void close_read() { close(ends_[0]); }
    void close_write() { close(ends_[1]); }

  private:
    static void close(int& end) {
        if (end >= 0) ::close(std::exchange(end, -1));
    }
    std::array<int, 2> ends_{-1, -1};
};

/// Strings, and the array of pointers that exec wants, ending in null.
struct Strings {
    std::vector<std::string> texts;
    std::vector<char*> pointers;

    void seal() {
        for (auto& text : texts) pointers.push_back(text.data());
        pointers.push_back(nullptr);
    }
};

Strings environment_with(const EnvironmentVariables& extra) {
    Strings result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto name = std::string(text.substr(0, text.find('=')));
        if (extra.count(name) == 0) result.texts.emplace_back(text);
    }
    for (const auto& [name, value] : extra) result.texts.push_back(name + "=" + value);
    result.seal();
    return result;
}

/// In the child, after fork: only calls that are safe there.
[[noreturn]] void become(
    const Strings& command,
    const Strings& environment,
    const char* folder,
    const ChildLimits& limits,
    std::array<int, 3> outputs) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto size = static_cast<rlim_t>(limits.file_bytes);
    const rlimit file{size, size};
    const rlimit no_core{0, 0};
    const int input = ::open("/dev/null", O_RDONLY);
    const bool ready = ::setrlimit(RLIMIT_FSIZE, &file) == 0 &&
                       ::setrlimit(RLIMIT_CORE, &no_core) == 0 && input >= 0 &&
                       ::dup2(input, 0) == 0 && ::dup2(outputs[0], 1) == 1 &&
                       ::dup2(outputs[1], 2) == 2 && ::chdir(folder) == 0;
    if (ready) {
        ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
        ::execve(command.pointers[0], command.pointers.data(), environment.pointers.data());
    }
    const int reason = errno;
    const auto told = ::write(outputs[2], &reason, sizeof(reason));
    ::_exit(told == sizeof(reason) ? 127 : 126);
}

class Child {
  public:
    Child(
        const Command& command,
        const std::filesystem::path& folder,
        const EnvironmentVariables& extra,
        const ChildLimits& limits)
        : command_(command), limits_(limits) {
        Strings arguments{command, {}};
        arguments.seal();
        const Strings environment = environment_with(extra);
        Pipe failure;
        process_ = ::fork();
        if (process_ < 0) fail(command_, std::strerror(errno));
        if (process_ == 0) {
            become(
                arguments,
                environment,
                folder.c_str(),
                limits,
                {out_.writer(), errors_.writer(), failure.writer()});
        }
        ::setpgid(process_, process_);  // both sides: whoever comes first
        out_.close_write();
        errors_.close_write();
        failure.close_write();
        int reason = 0;
        ssize_t got = 0;
        do {
            got = ::read(failure.reader(), &reason, sizeof(reason));
        } while (got < 0 && errno == EINTR);
        if (got != sizeof(reason)) return;
        kill();
        fail(command_, std::strerror(reason));
    }

    ~Child() { kill(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    ChildResult wait() {
        const auto until = Steady::now() + std::chrono::seconds(limits_.timeout_s);
        ChildResult result;
        int status = 0;
        bool ended = false;
        bool out_open = true;
        bool errors_open = true;
        while (!ended || out_open || errors_open) {
            std::array<pollfd, 2> polled{
                pollfd{out_open ? out_.reader() : -1, POLLIN, 0},
                pollfd{errors_open ? errors_.reader() : -1, POLLIN, 0}};
            ::poll(polled.data(), polled.size(), poll_ms);
            if (polled[0].revents != 0) out_open = take(out_, result.output);
            if (polled[1].revents != 0) errors_open = take(errors_, result.errors);
            const bool spoke = polled[0].revents != 0 || polled[1].revents != 0;
            if (spoke) spoke_at_ = Steady::now();
            if (result.errors.size() > max_errors_bytes) {
                result.errors.erase(0, result.errors.size() - max_errors_bytes);
            }
            if (std::ssize(result.output) > limits_.output_bytes)
                fail(command_, "it prints too much");
            if (!ended && ::waitpid(process_, &status, WNOHANG) == process_) {
                ended = true;
                ::kill(-process_, SIGKILL);  // what it left behind would keep the pipes open
                process_ = -1;
            }
            check_time(until);
        }
        result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        return result;
    }

  private:
    void check_time(Steady::time_point until) const {
        const auto now = Steady::now();
        if (limits_.stop != nullptr && limits_.stop->load()) fail(command_, "told to stop");
        if (now > until) {
            fail(command_, "no end after " + std::to_string(limits_.timeout_s) + " s");
        }
        if (limits_.silence_s > 0 && now > spoke_at_ + std::chrono::seconds(limits_.silence_s)) {
            fail(command_, "no sign of life for " + std::to_string(limits_.silence_s) + " s");
        }
    }

    /// @return false at the end
    static bool take(const Pipe& pipe, std::string& text) {
        std::array<char, 16 * 1024> buffer;
        const auto got = ::read(pipe.reader(), buffer.data(), buffer.size());
        if (got < 0) return errno == EINTR || errno == EAGAIN;
        text.append(buffer.data(), static_cast<std::size_t>(got));
        return got > 0;
    }

    void kill() {
        if (process_ <= 0) return;
        ::kill(-process_, SIGKILL);
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        process_ = -1;
    }

    Command command_;
    ChildLimits limits_;
    Pipe out_;
    Pipe errors_;
    Steady::time_point spoke_at_ = Steady::now();
    pid_t process_ = -1;
};

}  // namespace

std::optional<std::string> find_program(const std::string& name) {
    const char* variable = std::getenv("PATH");
    std::string_view path = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
    while (!path.empty()) {
        const auto folder = path.substr(0, path.find(':'));
        path.remove_prefix(std::min(folder.size() + 1, path.size()));
        if (folder.empty() || folder.front() != '/') continue;
        std::string program = std::string(folder) + "/" + name;
        if (::access(program.c_str(), X_OK) == 0) return program;
    }
    return std::nullopt;
}

ChildResult run_child(
    const Command& command,
    const std::filesystem::path& folder,
    const EnvironmentVariables& extra,
    const ChildLimits& limits) {
    VIGIL_ASSERT(!command.empty());
    return Child(command, folder, extra, limits).wait();
}

}  // namespace vigil::service
