#include "worker/bench/child.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

#include "worker/bench/last_words.hpp"
#include "worker/bench/measure/fork_piped.hpp"
#include "worker/bench/models/subject.hpp"

namespace vigil_bench {

namespace {

constexpr auto between_looks = std::chrono::milliseconds(2);

struct Child {
    pid_t process = -1;
    int pipe = -1;
    bool is_running = true;
};

void say(int file, const std::string& text) {
    if (write(file, text.data(), text.size()) < 0) return;  // the parent sees that nothing came
}

[[noreturn]] void work_and_exit(
    int pipe, const Arguments& arguments, const std::function<std::string()>& work) {
    ExitReason ending = ExitReason::passed;
    try {
        say(pipe, work());
    } catch (const std::exception& error) {
        ending = ending_of(error, arguments);
        say(pipe, message_of(error));
    }
    _exit(static_cast<int>(ending));
}

Child start(const Arguments& arguments, const std::function<std::string()>& work) {
    const auto piped = fork_piped([&](int pipe) {
        forget_last_words();
        work_and_exit(pipe, arguments, work);
    });
    return {piped.process, piped.pipe, true};
}

std::string read_all(int file) {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        const auto count = read(file, part.data(), part.size());
        if (count <= 0) return text;
        text.append(part.data(), static_cast<std::size_t>(count));
    }
}

ChildEnd end_of(const Child& child, int status) {
    ChildEnd end;
    const std::string text = read_all(child.pipe);
    close(child.pipe);
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        // Nobody but the kernel, short of memory, kills a child that is still at work.
        const bool is_out_of_memory = signal == SIGKILL;
        end.ending = is_out_of_memory ? ExitReason::oom : ExitReason::failed;
        end.failure = is_out_of_memory ? "killed, as when memory runs out"
                                       : "killed by signal " + std::to_string(signal);
    } else if (WEXITSTATUS(status) != 0) {
        const bool is_known =
            !text.empty() && WEXITSTATUS(status) <= static_cast<int>(ExitReason::unsupported);
        end.ending = is_known ? static_cast<ExitReason>(WEXITSTATUS(status)) : ExitReason::failed;
        end.failure = text.empty() ? "ended without a word" : text;
    } else {
        end.text = text;
    }
    return end;
}

}  // namespace

std::vector<ChildEnd> run_in_children(
    const Arguments& arguments, const std::vector<std::function<std::string()>>& work) {
    std::vector<Child> children;
    for (const auto& piece : work) children.push_back(start(arguments, piece));
    std::vector<ChildEnd> ends(children.size());
    std::size_t running = children.size();
    const ChildEnd* broken = nullptr;
    while (running > 0) {
        const std::size_t before = running;
        for (std::size_t i = 0; i < children.size(); ++i) {
            Child& child = children[i];
            int status = 0;
            if (!child.is_running || waitpid(child.process, &status, WNOHANG) == 0) continue;
            child.is_running = false;
            --running;
            ends[i] = end_of(child, status);
            if (ends[i].failure.empty()) continue;
            if (broken != nullptr) {
                ends[i] = *broken;
                continue;
            }
            broken = &ends[i];
            for (const Child& other : children) {
                if (other.is_running) kill(other.process, SIGKILL);
            }
        }
        if (running == before) std::this_thread::sleep_for(between_looks);
    }
    return ends;
}

}  // namespace vigil_bench
