#include "worker/run/spawn.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "schema/model/error.hpp"
#include "schema/model/launch.hpp"
#include "worker/run/event_counter.hpp"
#include "worker/run/own_descriptor.hpp"

namespace vigil::worker {

namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds stop_check_interval{200};
constexpr milliseconds stop_grace{2000};
constexpr milliseconds drain_time{2000};  // for what a lost descendant may hold open

[[noreturn]] void fail(const std::string& what) {
    throw Error(Errc::unavailable, what + " for a child process: " + std::strerror(errno));
}

OwnDescriptor open_file(const char* file, int flags) {
    OwnDescriptor opened(::open(file, flags | O_CLOEXEC));
    if (opened.get() < 0) fail(std::string("opening ") + file);
    return opened;
}

struct Pipe {
    OwnDescriptor out;  ///< read end
    OwnDescriptor in;   ///< write end
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("making a pipe");
    return {OwnDescriptor(ends[0]), OwnDescriptor(ends[1])};
}

/// What the forked child needs, made before the fork: afterwards it may not allocate.
struct Prepared {
    std::vector<char*> arguments;
    std::vector<char*> environment;
    std::vector<int> group_fds;
    int input = -1;
    int output = -1;
    int errors = -1;
    int report = -1;
    int lifeline = -1;
    int filter = -1;
    int channel = -1;
    std::optional<perf_event_attr> counter;
    uid_t user = 0;
    const cpu_set_t* processors = nullptr;
    int numa_memory = -1;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> found;
    for (const auto& text : texts) found.push_back(const_cast<char*>(text.c_str()));
    found.push_back(nullptr);
    return found;
}

/// In the child, between fork and exec: async-signal-safe calls only.
[[noreturn]] void become(const Prepared& prepared) {
    for (const int group : prepared.group_fds) {
        if (::write(group, "0", 1) != 1) ::_exit(122);
    }
    // Before the user changes: where only root may count, it does so for the user.
    const int opened = prepared.counter ? open_counter(*prepared.counter) : -1;
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int number = 1; number < 32; ++number) ::signal(number, SIG_DFL);
    ::setsid();
    if (prepared.processors != nullptr &&
        ::sched_setaffinity(0, sizeof *prepared.processors, prepared.processors) != 0)
        ::_exit(123);
    if (prepared.numa_memory >= 0 && !bind_memory(prepared.numa_memory)) ::_exit(119);
    if (prepared.user != 0 && (::setgroups(0, nullptr) != 0 ||
                               ::setresgid(prepared.user, prepared.user, prepared.user) != 0 ||
                               ::setresuid(prepared.user, prepared.user, prepared.user) != 0)) {
        ::_exit(121);
    }
    // Above the standard ones first, so that none is overwritten before it is moved.
    const int filter = prepared.filter < 0 ? -1 : ::fcntl(prepared.filter, F_DUPFD_CLOEXEC, 10);
    const int counter = opened < 0 ? -1 : ::fcntl(opened, F_DUPFD_CLOEXEC, 10);
    const int channel = prepared.channel < 0 ? -1 : ::fcntl(prepared.channel, F_DUPFD_CLOEXEC, 10);
    const int lifeline = ::fcntl(prepared.lifeline, F_DUPFD_CLOEXEC, 10);
    const int report = ::fcntl(prepared.report, F_DUPFD_CLOEXEC, 10);
    const int errors = ::fcntl(prepared.errors, F_DUPFD_CLOEXEC, 10);
    const int output = ::fcntl(prepared.output, F_DUPFD_CLOEXEC, 10);
    ::dup2(prepared.input, 0);
    ::dup2(output, 1);
    ::dup2(errors, 2);
    ::dup2(report, report_descriptor);
    ::dup2(lifeline, lifeline_descriptor);
    filter >= 0 ? ::dup2(filter, filter_descriptor) : ::close(filter_descriptor);
    counter >= 0 ? ::dup2(counter, counter_descriptor) : ::close(counter_descriptor);
    channel >= 0 ? ::dup2(channel, channel_descriptor) : ::close(channel_descriptor);
    ::close_range(channel_descriptor + 1, ~0U, CLOSE_RANGE_CLOEXEC);  // sockets, token files ...
    ::execve(prepared.arguments[0], prepared.arguments.data(), prepared.environment.data());
    ::_exit(120);
}

/// The filter as a file that its reader finds at the beginning; none where it is empty.
OwnDescriptor filter_file(const std::string& bytes) {
    if (bytes.empty()) return OwnDescriptor(-1);
    OwnDescriptor file(::memfd_create("vigil-filter", MFD_CLOEXEC));
    if (file.get() < 0) fail("making the filter");
    const auto size = static_cast<ssize_t>(bytes.size());
    if (::pwrite(file.get(), bytes.data(), bytes.size(), 0) != size) fail("writing the filter");
    return file;
}

/// Reads what there is of a pipe. @return false at its end
bool read_some(int fd, const std::function<void(std::string_view)>& take) {
    std::array<char, 64 * 1024> buffer;
    const auto got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) take({buffer.data(), static_cast<std::size_t>(got)});
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/// Follows one child to its end.
class Watch {
  public:
    Watch(pid_t process, Pipe& lifeline, const SpawnRequest& request, SpawnResult& result)
        : process_(process),
          lifeline_(lifeline),
          request_(request),
          result_(result),
          deadline_(SteadyClock::now() + milliseconds(request.wall_time_ms)) {}

    void follow(Pipe& output, Pipe& errors, Pipe& report) {
        std::string report_bytes;
        const std::array<std::function<void(std::string_view)>, 3> takers{
            [&](std::string_view bytes) { result_.output.add(bytes); },
            [&](std::string_view bytes) { result_.errors.add(bytes); },
            [&](std::string_view bytes) {
                if (report_bytes.size() < 4096) report_bytes += bytes;
            }};
        std::array<pollfd, 3> files{
            {{output.out.get(), POLLIN, 0},
             {errors.out.get(), POLLIN, 0},
             {report.out.get(), POLLIN, 0}}};
        while (std::any_of(files.begin(), files.end(), [](auto& file) { return file.fd >= 0; })) {
            if (!enforce()) break;
            ::poll(files.data(), files.size(), timeout());
            for (std::size_t i = 0; i < files.size(); ++i) {
                if (files[i].fd < 0 || files[i].revents == 0) continue;
                if (!read_some(files[i].fd, takers[i])) files[i].fd = -1;
            }
        }
        while (!ended_) wait(0);
        take_report(report_bytes);
    }

  private:
    int timeout() const {
        const auto left = std::chrono::ceil<milliseconds>(deadline_ - SteadyClock::now());
        const bool asks = request_.stop != nullptr || request_.stop_too != nullptr;
        const auto wait =
            asks || ended_ || terminated_ ? std::min(left, stop_check_interval) : left;
        return static_cast<int>(std::clamp<std::int64_t>(wait.count(), 0, 60'000));
    }

    /// @return false when what is left in the pipes need not be waited for
    bool enforce() {
        wait(WNOHANG);
        const auto now = SteadyClock::now();
        if (ended_) return now < drain_until_;
        const auto asked = [](const std::atomic<bool>* flag) { return flag && flag->load(); };
        if (!terminated_ && (asked(request_.stop) || asked(request_.stop_too))) {
            result_.stopped = true;
            terminated_ = true;
            deadline_ = std::min(deadline_, now + stop_grace);
            lifeline_.in.close();
        } else if (now >= deadline_) {
            result_.overdue = !result_.stopped;
            ::kill(process_, SIGKILL);
            deadline_ = now + stop_grace;
        }
        return true;
    }

    void wait(int options) {
        if (ended_) return;
        const auto found = ::waitpid(process_, &result_.status, options);
        if (found == process_ || (found < 0 && errno == ECHILD)) {
            ended_ = true;
            drain_until_ = SteadyClock::now() + drain_time;
        }
    }

    void take_report(const std::string& bytes) {
        ChildReport report;
        if (bytes.size() != sizeof report) return;
        std::memcpy(&report, bytes.data(), sizeof report);
        if (report.magic == ChildReport::magic_value) result_.report = report;
    }

    pid_t process_;
    Pipe& lifeline_;
    const SpawnRequest& request_;
    SpawnResult& result_;
    SteadyClock::time_point deadline_;
    SteadyClock::time_point drain_until_{};
    bool terminated_ = false;
    bool ended_ = false;
};

}  // namespace

bool bind_memory(int number) {
    constexpr int bind_policy = 2;  // MPOL_BIND; the header is libnuma's
    constexpr int bits = 8 * sizeof(unsigned long);
    std::array<unsigned long, max_numa_memory / bits + 2> mask{};  // one bit less is read than told
    VIGIL_ASSERT(number >= 0 && number <= max_numa_memory);
    mask[static_cast<std::size_t>(number / bits)] = 1UL << (number % bits);
    return ::syscall(SYS_set_mempolicy, bind_policy, mask.data(), bits * mask.size()) == 0;
}

SpawnResult spawn(const SpawnRequest& request) {
    VIGIL_ASSERT(!request.arguments.empty() && request.wall_time_ms > 0);
    Pipe output = make_pipe();
    Pipe errors = make_pipe();
    Pipe report = make_pipe();
    Pipe lifeline = make_pipe();
    std::vector<OwnDescriptor> groups;
    for (const auto& file : request.groups) groups.push_back(open_file(file.c_str(), O_WRONLY));
    const auto filter = filter_file(request.filter);
    const auto null = open_file("/dev/null", O_RDONLY);
    Prepared prepared;
    prepared.arguments = pointers(request.arguments);
    prepared.environment = pointers(request.environment);
    for (const auto& group : groups) prepared.group_fds.push_back(group.get());
    prepared.input = null.get();
    prepared.output = output.in.get();
    prepared.errors = request.merge_errors ? output.in.get() : errors.in.get();
    prepared.report = report.in.get();
    prepared.lifeline = lifeline.out.get();
    prepared.filter = filter.get();
    prepared.channel = request.channel;
    if (request.counter) prepared.counter = attributes_of(*request.counter);
    prepared.user = request.user;
    cpu_set_t processors;
    CPU_ZERO(&processors);
    for (const int processor : request.processors) {
        CPU_SET(static_cast<std::size_t>(processor), &processors);
        prepared.processors = &processors;
    }
    prepared.numa_memory = request.numa_memory.value_or(-1);
    const pid_t process = ::fork();
    if (process == 0) become(prepared);
    if (process < 0) fail("forking");
    output.in.close();
    errors.in.close();
    report.in.close();
    lifeline.out.close();
    SpawnResult result{Capture(request.output_bytes), Capture(request.output_bytes), {}, 0, {}, {}};
    Watch(process, lifeline, request, result).follow(output, errors, report);
    return result;
}

}  // namespace vigil::worker
