#include "worker/bench/last_words.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sys/time.h>

#include "worker/bench/outcome.hpp"

namespace vigil_bench {

namespace {

struct Deadly {
    int number;
    const char* name;
};
constexpr std::array<Deadly, 5> deadly{
    {{SIGSEGV, "SIGSEGV"},
     {SIGBUS, "SIGBUS"},
     {SIGFPE, "SIGFPE"},
     {SIGILL, "SIGILL"},
     {SIGABRT, "SIGABRT"}}};

/// Everything a signal handler says, made beforehand: it must not ask for memory.
struct Words {
    std::string on_timeout;
    std::string error_on_timeout;
    ExitReason ending_on_timeout = ExitReason::timeout;
    std::array<std::string, deadly.size()> on_crash;
    std::array<std::string, deadly.size()> error_on_crash;
    std::string on_exit;
    std::string error_on_exit;
};

std::atomic<const Words*> words{nullptr};
std::string limit_text;
bool is_prepared = false;
const char* last_stage = "";

void print(int file, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const auto written = write(file, text.data() + done, text.size() - done);
        if (written <= 0) return;
        done += static_cast<std::size_t>(written);
    }
}

extern "C" void vigil_bench_time_is_up(int) {
    const Words* const ready = words.load();
    if (ready == nullptr) return;
    print(STDERR_FILENO, ready->error_on_timeout);
    print(STDOUT_FILENO, ready->on_timeout);
    _exit(exit_code(ready->ending_on_timeout));
}

extern "C" void vigil_bench_crashed(int number) {
    const Words* const ready = words.exchange(nullptr);
    for (std::size_t i = 0; ready != nullptr && i < deadly.size(); ++i) {
        if (deadly[i].number != number) continue;
        print(STDERR_FILENO, ready->error_on_crash[i]);
        print(STDOUT_FILENO, ready->on_crash[i]);
    }
    std::signal(number, SIG_DFL);
    raise(number);
}

/// Some libraries call exit() where they get no memory or no thread.
void exited() {
    const Words* const ready = words.exchange(nullptr);
    if (ready == nullptr) return;
    print(STDERR_FILENO, ready->error_on_exit);
    print(STDOUT_FILENO, ready->on_exit);
    _exit(exit_code(ExitReason::failed));
}

/// A stack overflow leaves no room on the stack for the handler.
void use_own_stack() {
    static std::array<char, 65536> memory;
    stack_t stack{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    sigaltstack(&stack, nullptr);
}

void handle(int number, void (*handler)(int), int flags) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, nullptr);
}

void limit_time(double seconds) {
    itimerval timer{};
    double whole = 0;
    timer.it_value.tv_usec = static_cast<suseconds_t>(std::modf(seconds, &whole) * 1e6);
    timer.it_value.tv_sec = static_cast<time_t>(whole);
    setitimer(ITIMER_REAL, &timer, nullptr);
}

std::string time_is_up_words(const std::string& stage) {
    return "the time limit of " + limit_text + " s was reached while " + stage;
}

/// Never freed: a signal may come at any time, and there are few stages.
Words* words_while(const std::string& stage) {
    auto* next = new Words;
    const auto fill = [](ExitReason ending, const std::string& message, std::string& line) {
        line = result_line(ending, message, nlohmann::json::object());
        return std::string("vigil-bench: ") + outcome_of(ending) + ": " + message + "\n";
    };
    next->error_on_timeout = fill(ExitReason::timeout, time_is_up_words(stage), next->on_timeout);
    next->error_on_exit =
        fill(ExitReason::failed, "a library ended the process while " + stage, next->on_exit);
    for (std::size_t i = 0; i < deadly.size(); ++i) {
        next->error_on_crash[i] = fill(
            ExitReason::failed,
            std::string("crashed with ") + deadly[i].name + " while " + stage,
            next->on_crash[i]);
    }
    return next;
}

}  // namespace

void prepare_last_words(double time_limit_s) {
    std::ostringstream text;
    text << time_limit_s;
    limit_text = text.str();
    is_prepared = true;
    begin_stage("starting");
    use_own_stack();
    std::atexit(&exited);
    for (const auto& [number, name] : deadly) handle(number, &vigil_bench_crashed, SA_ONSTACK);
    if (time_limit_s <= 0) return;
    handle(SIGALRM, &vigil_bench_time_is_up, SA_ONSTACK);
    limit_time(time_limit_s);
}

const char* current_stage() {
    return last_stage;
}

void begin_stage(const char* stage) {
    last_stage = stage;
    if (is_prepared) words.store(words_while(stage));
}

void begin_later_stage(const char* stage, const nlohmann::json& document) {
    last_stage = stage;
    if (!is_prepared) return;
    Words* const next = words_while(last_stage);
    nlohmann::json passed = document;
    passed["info"]["accuracy"] = {{"unchecked", time_is_up_words(last_stage)}};
    next->ending_on_timeout = ExitReason::passed;
    next->on_timeout = result_line(ExitReason::passed, "", std::move(passed));
    next->error_on_timeout = "vigil-bench: " + time_is_up_words(last_stage) + "\n";
    words.store(next);
}

void forget_last_words() {
    if (!is_prepared) return;
    is_prepared = false;
    limit_time(0);
    words.store(nullptr);
}

}  // namespace vigil_bench
