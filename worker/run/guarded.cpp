#include "worker/run/guarded.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "schema/text/read_budget.hpp"
#include "schema/wire/digest.hpp"
#include "worker/run/system_calls.hpp"

namespace vigil::worker {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool limits_memory = false;  // the sanitizer's own is larger than any limit
#else
constexpr bool limits_memory = true;
#endif

/// How an answer begins; an Error is told by its code.
constexpr char is_value = 'v';
constexpr char is_budget = 'b';
constexpr char is_error = 'e';
constexpr char is_no_memory = 'm';

std::size_t data_bytes_now() {
    std::ifstream sizes("/proc/self/statm");
    std::size_t pages = 0;
    for (int i = 0; i < 6; ++i) sizes >> pages;  // the sixth: data and stack
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void limit_to(__rlimit_resource_t what, std::size_t value) {
    const rlimit both{value, value};
    ::setrlimit(what, &both);
}

/// In the child. What it cannot be held by ends it.
void hold(const GuardLimits& limits, std::size_t data_bytes, int answer, std::string& filter) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int number = 1; number < 32; ++number) ::signal(number, SIG_DFL);
    if (answer > 0) ::close_range(0, static_cast<unsigned>(answer) - 1, 0);
    ::close_range(static_cast<unsigned>(answer) + 1, ~0U, 0);
    limit_to(RLIMIT_CORE, 0);
    limit_to(RLIMIT_FSIZE, 0);
    limit_to(RLIMIT_NOFILE, 0);
    limit_to(RLIMIT_CPU, static_cast<std::size_t>(limits.cpu_s));
    if (limits_memory) limit_to(RLIMIT_DATA, data_bytes + limits.memory_bytes);
    sock_fprog program{
        static_cast<unsigned short>(filter.size() / sizeof(sock_filter)),
        reinterpret_cast<sock_filter*>(filter.data())};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        ::_exit(121);
    }
}

void write_all(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(to, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) ::_exit(122);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// In the child: its answer, and how long it is, so that a part is known as such.
[[noreturn]] void answer_with(int to, const std::function<std::string()>& work) {
    char kind = is_value;
    std::string said;
    try {
        said = work();
    } catch (const text::BudgetError& error) {
        kind = is_budget;
        said = error.what();
    } catch (const Error& error) {
        kind = is_error;
        said = static_cast<char>(error.code()) + std::string(error.what());
    } catch (const std::bad_alloc&) {
        kind = is_no_memory;
    } catch (...) {
        ::_exit(123);
    }
    const auto size = std::bit_cast<std::array<char, 8>>(std::uint64_t{said.size()});
    write_all(to, {&kind, 1});
    write_all(to, {size.data(), size.size()});
    write_all(to, said);
    ::_exit(0);
}

/// All that comes until the end, or until the time is up.
std::string read_answer(int from, pid_t process, const GuardLimits& limits) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.wall_s);
    std::string all;
    std::array<char, 64 * 1024> buffer;
    for (;;) {
        pollfd file{from, POLLIN, 0};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
                              deadline - std::chrono::steady_clock::now())
                              .count();
        const int ready = left <= 0 ? 0 : ::poll(&file, 1, static_cast<int>(left));
        if (ready < 0 && errno == EINTR) continue;
        const auto got = ready > 0 ? ::read(from, buffer.data(), buffer.size()) : 0;
        if (got < 0 && errno == EINTR) continue;
        if (got > 0) all.append(buffer.data(), static_cast<std::size_t>(got));
        if (got <= 0 || all.size() > limits.memory_bytes) break;
    }
    ::kill(process, SIGKILL);
    return all;
}

[[noreturn]] void refuse_call(const std::string& why) {
    throw Error(Errc::invalid_argument, "reading what was written: " + why);
}

/// What the child wrote, taken apart. @param status  as from waitpid
std::string taken_apart(std::string&& all, int status, const GuardLimits& limits) {
    constexpr std::size_t head = 9;
    std::uint64_t size = 0;
    if (all.size() >= head) std::memcpy(&size, all.data() + 1, sizeof size);
    const char kind = all.empty() ? '\0' : all[0];
    const bool is_whole = all.size() >= head && all.size() - head == size;
    const auto memory = fmt::format("it takes more than {} bytes of memory", limits.memory_bytes);
    if (is_whole && kind == is_no_memory) throw text::BudgetError(memory);
    if (!is_whole) {
        const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        if (all.size() > limits.memory_bytes) throw text::BudgetError(memory);
        if (signal == SIGXCPU || signal == SIGKILL) {
            throw text::BudgetError(
                fmt::format("it takes more than {} s of a processor", limits.cpu_s));
        }
        refuse_call(fmt::format("the reader failed (signal {}, status {})", signal, status));
    }
    all.erase(0, head);
    if (kind == is_value) return std::move(all);
    if (kind == is_budget) throw text::BudgetError(all);
    const auto code = all.empty() ? 0 : static_cast<unsigned char>(all[0]);
    if (kind != is_error || code > static_cast<unsigned char>(Errc::internal)) {
        refuse_call("the reader's answer is broken");
    }
    throw Error(static_cast<Errc>(code), all.substr(1));
}

}  // namespace

GuardLimits limits_for(std::size_t text_bytes) {
    constexpr std::size_t for_answer = 2;
    using text::ReadBudget;
    return {
        .memory_bytes =
            for_answer * (ReadBudget::times_text * text_bytes + ReadBudget::free_bytes)};
}

std::string guarded_bytes(const GuardLimits& limits, const std::function<std::string()>& work) {
    static std::string filter = reader_filter();
    wire::sha256("");  // the library finds its functions once, before the copy is made
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(Errc::unavailable, fmt::format("making a pipe: {}", std::strerror(errno)));
    }
    const auto data_bytes = data_bytes_now();
    const pid_t process = ::fork();
    if (process == 0) {
        hold(limits, data_bytes, ends[1], filter);
        answer_with(ends[1], work);
    }
    const int error = errno;
    ::close(ends[1]);
    if (process < 0) {
        ::close(ends[0]);
        throw Error(Errc::unavailable, fmt::format("making a process: {}", std::strerror(error)));
    }
    std::string all;
    int status = 0;
    const auto end = [&] {
        ::close(ends[0]);
        while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    };
    try {
        all = read_answer(ends[0], process, limits);
    } catch (...) {
        ::kill(process, SIGKILL);
        end();
        throw;
    }
    end();
    return taken_apart(std::move(all), status, limits);
}

}  // namespace vigil::worker
