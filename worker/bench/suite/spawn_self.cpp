#include "worker/bench/suite/spawn_self.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <stdexcept>
#include <unistd.h>

#include <sys/wait.h>

#include "worker/bench/measure/fork_piped.hpp"

namespace vigil_bench {

namespace {

[[noreturn]] void refuse_making(const std::string& what) {
    throw std::runtime_error("making " + what + ": " + std::strerror(errno));
}

/// The folder by which processes take turns; gone when this is.
class TurnFolder {
  public:
    explicit TurnFolder(std::size_t members) {
        if (members < 2) return;
        std::string name = std::filesystem::temp_directory_path() / "vigil-turns-XXXXXX";
        if (mkdtemp(name.data()) == nullptr) refuse_making("a folder for turns");
        folder_ = name;
        std::ofstream(folder_ / "turn");
        for (std::size_t i = 0; i < members; ++i) {
            std::ofstream(folder_ / ("member-" + std::to_string(i)));
        }
    }
    ~TurnFolder() {
        std::error_code ignored;
        if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
    }
    TurnFolder(const TurnFolder&) = delete;
    TurnFolder& operator=(const TurnFolder&) = delete;

    /// The others wait for it no more.
    void end(std::size_t member) const {
        if (!folder_.empty()) std::ofstream(folder_ / ("over-" + std::to_string(member)));
    }
    std::string path() const { return folder_.string(); }

  private:
    std::filesystem::path folder_;
};

/// @param output  becomes its standard output
[[noreturn]] void become(
    const std::vector<std::string>& command,
    int output,
    const std::string& turns,
    std::size_t member,
    std::size_t members) {
    dup2(output, STDOUT_FILENO);
    if (!turns.empty()) {
        setenv("VIGIL_TURNS", turns.c_str(), 1);
        setenv("VIGIL_TURNS_MEMBER", std::to_string(member).c_str(), 1);
        setenv("VIGIL_TURNS_MEMBERS", std::to_string(members).c_str(), 1);
    }
    std::string name = "vigil-bench";
    std::vector<std::string> words = command;
    std::vector<char*> arguments{name.data()};
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv("/proc/self/exe", arguments.data());
    _exit(127);
}

/// Reads all pipes until each has ended.
void read_outputs(
    std::vector<Piped>& processes, std::vector<SelfEnd>& ends, const TurnFolder& turns) {
    std::size_t open = processes.size();
    while (open > 0) {
        std::vector<pollfd> files;
        for (const auto& one : processes) files.push_back({one.pipe, POLLIN, 0});
        if (poll(files.data(), files.size(), -1) < 0 && errno != EINTR) refuse_making("a poll");
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (processes[i].pipe < 0 || files[i].revents == 0) continue;
            std::array<char, 65536> part{};
            const auto count = read(processes[i].pipe, part.data(), part.size());
            if (count > 0) {
                ends[i].output.append(part.data(), static_cast<std::size_t>(count));
                continue;
            }
            close(processes[i].pipe);
            processes[i].pipe = -1;
            waitpid(processes[i].process, &ends[i].status, 0);
            turns.end(i);
            --open;
        }
    }
}

}  // namespace

std::vector<SelfEnd> spawn_self(const std::vector<std::vector<std::string>>& commands) {
    const TurnFolder turns(commands.size());
    std::vector<Piped> processes;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        processes.push_back(fork_piped(
            [&](int output) { become(commands[i], output, turns.path(), i, commands.size()); }));
    }
    std::vector<SelfEnd> ends(commands.size());
    read_outputs(processes, ends, turns);
    return ends;
}

}  // namespace vigil_bench
