// vigil-child: the parent of one measured process. It is small and static, so that what it costs
// stays out of the numbers: a process inherits the peak memory of the one it was forked from, and
// the sandbox's own start-up must not count as the program's.
//
//   vigil-child REPORT_FD LIFELINE_FD USER FOLDER WALL_MS FILE_BYTES PROCESSES DATA_BYTES
//   TOTAL_BYTES COUNTER_FD CHANNEL_FD PROGRAM [ARGUMENT...]
//
// Becomes USER (0: stays), goes to FOLDER, runs PROGRAM in a session of its own under the limits
// (0: none; TOTAL_BYTES is the memory of all its processes together, looked at four times a
// second), kills whatever is left when it ends or its time is up, and writes a ChildReport.
// On CHANNEL_FD (-1: none) it hands out a port of the loopback before it runs PROGRAM.
// COUNTER_FD counts this process and all below it; what it says beforehand is taken off. As
// process 1 of a sandbox its end is the end of everything in it; elsewhere it adopts orphans and
// hunts them down. SIGTERM means: stop now.

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "worker/child/loopback.hpp"
#include "worker/child/report.hpp"

namespace {

using vigil::worker::ChildReport;

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t between_looks_ns = second_ns / 4;
constexpr int most_processes = 4096;

struct Settings {
    int report_fd = -1;
    int lifeline_fd = -1;
    int signal_fd = -1;
    int counter_fd = -1;
    uid_t user = 0;
    std::int64_t wall_ms = 0;
    rlim_t file_bytes = 0;
    rlim_t processes = 0;
    rlim_t data_bytes = 0;
    std::int64_t total_bytes = 0;
    char** command = nullptr;
};

std::int64_t clock_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * second_ns + now.tv_nsec;
}

void limit(__rlimit_resource_t what, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(what, &both);
}

[[noreturn]] void become(const Settings& settings, const sigset_t& mask, int failure_fd) {
    setsid();
    limit(RLIMIT_CORE, 0);
    if (settings.file_bytes != 0) limit(RLIMIT_FSIZE, settings.file_bytes);
    if (settings.processes != 0) limit(RLIMIT_NPROC, settings.processes);
    if (settings.data_bytes != 0) limit(RLIMIT_DATA, settings.data_bytes);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    execvp(settings.command[0], settings.command);
    const int error = errno;
    if (write(failure_fd, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

/// Nothing where there is no counter, or where it stopped at a program that changes its user.
vigil::worker::CounterReading read_counter(int fd) {
    vigil::worker::CounterReading reading;
    if (read(fd, &reading, sizeof reading) != sizeof reading) return {};
    return reading;
}

/// Gives up root for good; all capabilities go with it.
bool change_user(uid_t user) {
    if (user == 0) return true;
    return setgroups(0, nullptr) == 0 && setresgid(user, user, user) == 0 &&
           setresuid(user, user, user) == 0 && geteuid() == user;
}

/// Opens a port and sends it to who started us, who answers on it. Where it cannot, nobody does,
/// and PROGRAM runs all the same. The channel is closed: it is not for PROGRAM.
void hand_out_port(int channel) {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_port = htons(vigil::worker::loopback_port);
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* address = reinterpret_cast<const sockaddr*>(&here);
    if (bind(listener, address, sizeof here) == 0 &&
        listen(listener, vigil::worker::loopback_backlog) == 0) {
        char byte = 0;
        iovec part{&byte, 1};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof listener)] = {};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof listener);
        memcpy(CMSG_DATA(header), &listener, sizeof listener);
        [[maybe_unused]] const auto sent = sendmsg(channel, &message, MSG_NOSIGNAL);
    }
    close(listener);
    close(channel);
}

/// Adds what a process that ended has used.
void account(ChildReport& report, const rusage& usage) {
    const auto nanoseconds = [](const timeval& time) {
        return time.tv_sec * second_ns + time.tv_usec * 1000;
    };
    report.cpu_time_ns += nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    const std::int64_t peak = usage.ru_maxrss * 1024;
    if (peak > report.peak_bytes) report.peak_bytes = peak;
    report.major_faults += usage.ru_majflt;
    report.minor_faults += usage.ru_minflt;
    report.involuntary_switches += usage.ru_nivcsw;
}

/// Kills the children of this process, found by their parent in /proc.
/// @return how many
int kill_children() {
    DIR* folder = opendir("/proc");
    if (folder == nullptr) return 0;
    int found = 0;
    while (const dirent* entry = readdir(folder)) {
        const int pid = atoi(entry->d_name);
        if (pid <= 0) continue;
        char path[64] = "/proc/";
        strcat(strncat(path, entry->d_name, 20), "/stat");
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        char text[512];
        const auto size = read(file, text, sizeof text - 1);
        close(file);
        if (size <= 0) continue;
        text[size] = '\0';
        const char* after_name = strrchr(text, ')');
        if (after_name == nullptr || strlen(after_name) < 5) continue;
        const bool ended = after_name[2] == 'Z';
        if (atoi(after_name + 4) == getpid() && !ended) {
            kill(pid, SIGKILL);
            ++found;
        }
    }
    closedir(folder);
    return found;
}

/// Ends all that is left; orphans come to us and are ended in the next round.
void end_all(ChildReport& report) {
    const bool first = getpid() == 1;
    for (;;) {
        const int found = first ? 0 : kill_children();
        if (first) kill(-1, SIGKILL);
        int status = 0;
        rusage usage{};
        const pid_t ended = wait4(-1, &status, 0, &usage);
        if (ended < 0 && errno == ECHILD) return;
        if (ended > 0) {
            account(report, usage);
            ++report.left_behind;
        }
        if (ended < 0 && errno != EINTR && found == 0) return;
    }
}

struct Process {
    int id;
    int parent;
    std::int64_t own_kb;     // pages that are nobody else's
    std::int64_t shared_kb;  // shared memory; the largest counts, since most share the same
    bool ours;
};
Process processes[most_processes];

std::int64_t value_of(const char* text, const char* name) {
    const char* found = strstr(text, name);
    return found == nullptr ? 0 : atoll(found + strlen(name));
}

int list_processes() {
    DIR* folder = opendir("/proc");
    if (folder == nullptr) return 0;
    int count = 0;
    while (const dirent* entry = readdir(folder)) {
        const int id = atoi(entry->d_name);
        if (id <= 0 || id == getpid() || count == most_processes) continue;
        char path[64] = "/proc/";
        strcat(strncat(path, entry->d_name, 20), "/status");
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        char text[4096];
        const auto size = read(file, text, sizeof text - 1);
        close(file);
        if (size <= 0) continue;
        text[size] = '\0';
        processes[count++] = {
            id,
            static_cast<int>(value_of(text, "\nPPid:")),
            value_of(text, "\nRssAnon:"),
            value_of(text, "\nRssShmem:"),
            false};
    }
    closedir(folder);
    return count;
}

// Where no control group counts it: of all processes of the sandbox, or of our descendants.
std::int64_t memory_in_use() {
    const int count = list_processes();
    const bool all = getpid() == 1;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < count; ++i) {
            bool ours = all || processes[i].parent == getpid();
            for (int j = 0; j < count && !ours; ++j) {
                ours = processes[j].ours && processes[j].id == processes[i].parent;
            }
            if (ours && !processes[i].ours) more = true;
            processes[i].ours = processes[i].ours || ours;
        }
    }
    std::int64_t own_kb = 0;
    std::int64_t shared_bytes = 0;
    for (int i = 0; i < count; ++i) {
        if (!processes[i].ours) continue;
        own_kb += processes[i].own_kb;
        if (processes[i].shared_kb * 1024 > shared_bytes)
            shared_bytes = processes[i].shared_kb * 1024;
    }
    struct statvfs files {};
    if (all && statvfs("/dev/shm", &files) == 0) {
        const auto used =
            static_cast<std::int64_t>((files.f_blocks - files.f_bfree) * files.f_frsize);
        if (used > shared_bytes) shared_bytes = used;
    }
    return own_kb * 1024 + shared_bytes;
}

void note_end(ChildReport& report, int status) {
    if (WIFEXITED(status)) {
        report.end = ChildReport::End::exited;
        report.code = WEXITSTATUS(status);
    } else {
        report.end = ChildReport::End::signalled;
        report.code = WTERMSIG(status);
    }
}

/// Reaps until the command has ended, its time is up or the lifeline is cut.
void watch(ChildReport& report, pid_t command, std::int64_t deadline_ns, const Settings& settings) {
    pollfd files[2] = {{settings.signal_fd, POLLIN, 0}, {settings.lifeline_fd, POLLIN, 0}};
    for (;;) {
        int status = 0;
        rusage usage{};
        pid_t ended = 0;
        while ((ended = wait4(-1, &status, WNOHANG, &usage)) > 0) {
            account(report, usage);
            if (ended == command) return note_end(report, status);
        }
        const std::int64_t left = deadline_ns - clock_ns(CLOCK_MONOTONIC);
        if (left <= 0) {
            report.end = ChildReport::End::timed_out;
            return;
        }
        const bool looks = settings.total_bytes != 0;
        if (looks && memory_in_use() > settings.total_bytes) {
            report.end = ChildReport::End::out_of_memory;
            return;
        }
        const std::int64_t sleep = looks && left > between_looks_ns ? between_looks_ns : left;
        const timespec wait{sleep / second_ns, sleep % second_ns};
        ppoll(files, 2, &wait, nullptr);
        if (files[1].revents != 0) {
            report.end = ChildReport::End::stopped;
            return;
        }
        signalfd_siginfo noted;
        if (files[0].revents != 0 && read(settings.signal_fd, &noted, sizeof noted) < 0) continue;
    }
}

ChildReport run(Settings settings) {
    sigset_t signals{};
    sigset_t before{};
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &before);
    settings.signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    int failure[2] = {-1, -1};
    ChildReport report;
    if (pipe2(failure, O_CLOEXEC) != 0) {
        report.end = ChildReport::End::not_started;
        report.code = errno;
        return report;
    }
    const auto counted_before = read_counter(settings.counter_fd);
    report.started_at_ns = clock_ns(CLOCK_REALTIME);
    const auto start_ns = clock_ns(CLOCK_MONOTONIC);
    const pid_t command = fork();
    if (command == 0) become(settings, before, failure[1]);
    const int fork_error = errno;
    close(failure[1]);
    int error = command < 0 ? fork_error : 0;
    if (command > 0 && read(failure[0], &error, sizeof error) <= 0) error = 0;
    if (error == 0) {
        watch(report, command, start_ns + settings.wall_ms * 1'000'000, settings);
    }
    report.wall_time_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
    end_all(report);
    report.counted = counted_between(counted_before, read_counter(settings.counter_fd));
    if (error != 0) {
        report.end = ChildReport::End::not_started;
        report.code = error;
        report.left_behind = 0;
    } else if (
        report.end == ChildReport::End::timed_out || report.end == ChildReport::End::stopped ||
        report.end == ChildReport::End::out_of_memory) {
        --report.left_behind;  // the command itself
    }
    return report;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 13) return 125;
    Settings settings;
    settings.report_fd = atoi(arguments[1]);
    settings.lifeline_fd = atoi(arguments[2]);
    settings.user = static_cast<uid_t>(atoi(arguments[3]));
    const char* folder = arguments[4];
    settings.wall_ms = atoll(arguments[5]);
    settings.file_bytes = strtoull(arguments[6], nullptr, 10);
    settings.processes = strtoull(arguments[7], nullptr, 10);
    settings.data_bytes = strtoull(arguments[8], nullptr, 10);
    settings.total_bytes = atoll(arguments[9]);
    settings.counter_fd = atoi(arguments[10]);
    const int channel = atoi(arguments[11]);
    settings.command = arguments + 12;
    fcntl(settings.report_fd, F_SETFD, FD_CLOEXEC);
    // Where the kernel refused it, the number is free, and something else would get it.
    if (fcntl(settings.counter_fd, F_SETFD, FD_CLOEXEC) != 0) settings.counter_fd = -1;
    if (!change_user(settings.user) || chdir(folder) != 0) return 123;
    fcntl(settings.lifeline_fd, F_SETFD, FD_CLOEXEC);
    if (channel >= 0) hand_out_port(channel);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // the command must not reach our report through /proc
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const ChildReport report = run(settings);
    return write(settings.report_fd, &report, sizeof report) == sizeof report ? 0 : 124;
}
