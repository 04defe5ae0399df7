#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "schema/model/error.hpp"
#include "service/local/bisect.hpp"
#include "service/local/explain.hpp"
#include "service/local/journal.hpp"
#include "tests/integration/service/local/small_repository.hpp"
#include "tests/support/forked.hpp"

// What a whole program does that is told to stop, is killed, or finds no room: as a process of its
// own.

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using vigil::test::Forked;
using vigil::test::ScratchFolder;

namespace {

constexpr int told_to_stop_code = 130;
constexpr int not_possible_code = 77;

/// Builds and runs write a byte here while they are going on.
class Marks {
  public:
    explicit Marks(const std::filesystem::path& file) {
        if (::mkfifo(file.c_str(), 0600) != 0) throw std::runtime_error("making a fifo");
        descriptor_ = ::open(file.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    }
    ~Marks() { ::close(descriptor_); }
    Marks(const Marks&) = delete;
    Marks& operator=(const Marks&) = delete;

    /// Waits for `count` marks, or the end of a process, which it reaps.
    /// @return its status; nothing when the marks came first
    std::optional<int> wait(int count, pid_t process) {
        while (count > 0) {
            int status = 0;
            if (::waitpid(process, &status, WNOHANG) == process) return status;
            pollfd waiting{descriptor_, POLLIN, 0};
            char byte = 0;
            if (::poll(&waiting, 1, 20) > 0 && ::read(descriptor_, &byte, 1) == 1) --count;
        }
        return std::nullopt;
    }
    void forget() {
        char byte = 0;
        while (::read(descriptor_, &byte, 1) == 1) {
        }
    }

  private:
    int descriptor_ = -1;
};

/// The search as a program that obeys signals, like the `vigil` command.
pid_t start_program(const LocalRequest& request) {
    const pid_t process = ::fork();
    if (process != 0) return process;
    int code = 1;
    try {
        const StopSignals signals;
        Scene scene;
        scene.world.stop = &signals.flag();
        code = bisect(request, scene.world).stopped ? told_to_stop_code : 0;
    } catch (...) {
        code = 2;
    }
    ::_exit(code);
}

int measured_again(const std::vector<LogEntry>& entries) {
    std::set<std::pair<int, int>> seen;
    int again = 0;
    for (const auto& entry : entries) {
        const auto* run = std::get_if<RunEnded>(&entry);
        if (run != nullptr && !seen.insert({run->probe, run->position}).second) ++again;
    }
    return again;
}

bool mount_small(const std::filesystem::path& folder) {
    const auto uid = std::to_string(::getuid());
    if (::unshare(CLONE_NEWNS) != 0) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
        std::ofstream("/proc/self/uid_map") << "0 " + uid + " 1";
    }
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=40m") == 0;
}

/// @return 0, or the number of the step that did not hold
int fill_the_disk(const LocalRequest& request, const SmallRepository& repository) {
    if (!mount_small(request.state)) return not_possible_code;
    try {
        Scene scene;
        bisect(request, scene.world);
        return 1;
    } catch (const Error& error) {
        const std::string said = error.what();
        const bool told = said.find("full") != said.npos || said.find("No space") != said.npos;
        if (error.code() != Errc::unavailable || !told) return 2;
    }
    if (repository.ask("worktree list | wc -l") != "1") return 3;
    if (::mount("tmpfs", request.state.c_str(), "tmpfs", MS_REMOUNT, "size=400m") != 0) return 4;
    Scene scene;
    const auto result = bisect(request, scene.world);
    if (!result.decision.done || result.decision.endings[0].first != 9) return 5;
    return measured_again(read_log(result.log)) == 0 ? 0 : 6;
}

}  // namespace

TEST_CASE(
    "Interrupted or killed within any build or run, the same command goes on", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(12, 7), {4});
    auto request = request_on(repository, folder / "state", 12);
    const auto file = folder / "marks";
    Marks marks(file);
    const std::string mark = "printf x > " + file.string() + "; ";
    request.order.build = mark + "sh build.sh && " + mark + "true";
    request.order.bench = mark + "cat out/value";
    int interrupted = 0, killed = 0;
    std::optional<int> status;
    for (int attempt = 0; !status && attempt < 100; ++attempt) {
        marks.forget();
        const pid_t process = start_program(request);
        REQUIRE(process > 0);
        status = marks.wait(2 + attempt % 3, process);
        if (status) break;
        const int signal = std::array{SIGINT, SIGKILL, SIGTERM, SIGHUP}[attempt % 4];
        ::kill(process, signal);
        int ended = 0;
        ::waitpid(process, &ended, 0);
        if (signal == SIGKILL) {
            ++killed;
            continue;
        }
        // It may have come to its end just then.
        CHECK(WIFEXITED(ended));
        if (WEXITSTATUS(ended) == 0) status = ended;
        if (WEXITSTATUS(ended) != 0) CHECK(WEXITSTATUS(ended) == told_to_stop_code);
        CHECK(repository.ask("worktree list | wc -l") == "1");
        ++interrupted;
    }
    CHECK(interrupted > 4);
    CHECK(killed > 1);
    REQUIRE(status.has_value());
    CHECK(WEXITSTATUS(*status) == 0);
    Scene scene;
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings[0].first == 7);
    CHECK(measured_again(read_log(result.log)) == 0);
    CHECK(replay(read_log(result.log)).difference.empty());
    CHECK(repository.ask("worktree list | wc -l") == "1");
}

TEST_CASE("A full disk is told, nothing is left behind, and the search goes on", "[service]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(14, 9));
    auto request = request_on(repository, folder / "state", 14);
    std::filesystem::create_directories(request.state);
    request.order.build = "sh build.sh && head -c 7000000 /dev/urandom > out/large";
    Forked program([&] { return fill_the_disk(request, repository); });
    const int step = program.wait();
    if (step == not_possible_code) WARN("not tested: no file system can be mounted here");
    if (step != not_possible_code) CHECK(step == 0);
    SUCCEED();
}
