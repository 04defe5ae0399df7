// Hostile jobs, one way of harm each; after each of them an innocent one runs as ever.

#include <unistd.h>

#include <sys/stat.h>

#include "schema/model/error.hpp"
#include "tests/integration/worker/run/run_fixture.hpp"
#include "tests/support/as_nobody.hpp"
#include "worker/run/fresh_folder.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::make_runner;
using test::RunPlace;
namespace fs = std::filesystem;

namespace {

struct Hostile {
    const char* name;
    const char* script;
    std::int64_t wall_time_s = 20;
};

const Hostile harmful[] = {
    {"a fork bomb", "b() { b | b & }; b; sleep 1", 3},
    {"processes that never end", "for i in 1 2 3 4 5 6; do setsid sleep 1000 & done; echo x"},
    {"an endless log", "yes endless", 2},
    {"kill of all", "kill -9 -1; kill -KILL 1; echo x"},
    {"a signal to its parents", "kill -STOP $PPID; kill -9 $PPID; echo x"},
    {"keys that outlive it",
     "python3 -c 'import ctypes; c = ctypes.CDLL(None); "
     "print(c.syscall(248, b\"user\", b\"vigil\", b\"x\", 1, -4))'"},
    {"namespaces of its own", "unshare -U -r id -u; unshare -m true; unshare -U true"},
    {"a filled /dev/shm", "dd if=/dev/zero of=/dev/shm/x bs=1M count=600 2>&1; ls -l /dev/shm"},
    {"a filled /dev", "dd if=/dev/zero of=/dev/x bs=1M count=600; dd if=/dev/zero of=/run/x"},
    {"a file without end", "head -c 900M /dev/zero > /tmp/large"},
    {"a file with a hole", "truncate -s 900G /tmp/hole; dd if=/dev/zero of=/tmp/hole seek=900000"},
    {"many files", "i=0; while [ $i -lt 3000 ]; do echo $i > /tmp/file-$i; i=$((i+1)); done"},
    {"memory of many",
     "for i in 1 2 3 4 5 6 7 8; do python3 -c 'x = b\"x\" * (200 << 20); "
     "import time; time.sleep(2)' & done; wait",
     20},
    {"links to everywhere",
     "ln -s /etc/shadow /tmp/s; ln -s / /tmp/r; ln /vigil/run/data /tmp/h; mkfifo /tmp/p"},
    {"rights taken away", "mkdir -p /tmp/a/b; chmod 000 /tmp/a/b /tmp/a; chmod 000 /tmp"},
    {"setuid", "cp /bin/sh /tmp/sh; chmod 6755 /tmp/sh; /tmp/sh -p -c id"},
    {"garbage for success", "head -c 100000 /dev/urandom; exit 0"}};

RunRequest request_for(const RunPlace& place, const Hostile& hostile) {
    auto request = place.shell(hostile.script);
    request.limits.wall_time_s = hostile.wall_time_s;
    request.limits.memory_bytes = std::int64_t{512} << 20;
    request.limits.disk_bytes = std::int64_t{256} << 20;
    request.limits.processes = 64;
    request.limits.output_bytes = 64 << 10;
    return request;
}

/// What is wrong with an innocent job; empty when nothing is.
std::string wrong_with_next(ProcessRunner& runner, const RunPlace& place) {
    make_fresh(place.scratch);
    auto request = place.shell("cat data; ls -A /tmp; ls -A /dev/shm; echo x > /tmp/mine");
    const auto report = runner.run(request);
    if (report.end != RunEnd::exited || report.exit_code != 0) {
        return "it ended: " + report.message + report.errors;
    }
    if (report.output != "of the product\n") return "it printed: " + report.output;
    return "";
}

std::string play_all(const RunPlace& place) {
    auto runner = make_runner();
    if (!runner.sandboxed()) return "no sandbox: " + runner.warnings().front();
    for (const auto& hostile : harmful) {
        make_fresh(place.scratch);
        const auto report = runner.run(request_for(place, hostile));
        if (report.end == RunEnd::stopped) return std::string(hostile.name) + " stopped the worker";
        if (static_cast<std::int64_t>(report.output.size()) > (80 << 10)) {
            return std::string(hostile.name) + " printed too much";
        }
        const auto wrong = wrong_with_next(runner, place);
        if (!wrong.empty()) return std::string("after ") + hostile.name + ": " + wrong;
    }
    return "";
}

RunReport run_of(const RunPlace& place, const char* script) {
    constexpr std::int64_t patience_s = 300;
    auto runner = make_runner();
    return runner.run(request_for(place, {"", script, patience_s}));
}

}  // namespace

TEST_CASE("No hostile job of root's worker disturbs the next one", "[hostile]") {
    const RunPlace place;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    CHECK(play_all(place) == "");
}

TEST_CASE("No hostile job of another user's worker disturbs the next one", "[hostile]") {
    const RunPlace place;
    test::give_to_nobody(place.root.path());
    test::give_to_nobody(place.scratch);
    const auto wrong = test::as_nobody([&] { return play_all(place); });
    if (wrong.find("no sandbox") == 0) {
        WARN("not tested, " << wrong);
        return;
    }
    CHECK(wrong == "");
}

TEST_CASE("Files of more than the limit together end the run", "[hostile]") {
    const RunPlace place;
    const auto report =
        run_of(place, "for i in 1 2 3 4; do head -c 90M /dev/zero > /tmp/part-$i; done; sleep 600");
    CHECK(report.end == RunEnd::signalled);
    CHECK_THAT(report.message, Catch::Contains("268435456 bytes together"));
    const auto quick =
        run_of(place, "for i in 1 2 3 4; do head -c 90M /dev/zero > /tmp/q-$i; done");
    CHECK_THAT(quick.message, Catch::Contains("together"));
}

TEST_CASE("What lies in a folder before the run does not count as written", "[hostile]") {
    const RunPlace place;
    test::write_file(place.product / "large", std::string(4 << 20, 'x'));
    auto runner = make_runner();
    auto request = place.shell("echo made > product");
    request.folder_access = MountAccess::writable;
    request.limits.disk_bytes = 1 << 20;
    CHECK(runner.run(request).end == RunEnd::exited);
}

TEST_CASE("The memory of all processes together is limited", "[hostile]") {
    const auto many = [](int seconds) {
        return "for i in 1 2 3 4 5 6 7 8; do python3 -c 'x = b\"x\" * (200 << 20); import time; "
               "time.sleep(" +
               std::to_string(seconds) + ")' & done; wait; exit 1";
    };
    const RunPlace place;
    CHECK(run_of(place, many(5).c_str()).end == RunEnd::out_of_memory);
    test::give_to_nobody(place.root.path());
    test::give_to_nobody(place.scratch);
    // Nobody has no control groups: the processes are counted, and all end at once.
    CHECK(test::as_nobody([&] {
              return run_of(place, many(600).c_str()).message;
          }) == "out of memory; it may use 536870912 bytes");
}

TEST_CASE("/dev/shm and /dev take no more than a job's memory", "[hostile]") {
    const RunPlace place;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    auto request = place.shell(
        "df -k --output=size /dev/shm | tail -n 1; (echo x > /dev/new) 2>/dev/null || echo no; "
        "echo y > /dev/null && echo yes");
    request.limits.memory_bytes = 64 << 20;
    CHECK_THAT(runner.run(request).output, Catch::Contains("65536\nno\nyes\n"));
}

TEST_CASE("A job may not call what goes around its sandbox", "[hostile]") {
    const RunPlace place;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    const auto report = runner.run(place.request(
        {"python3",
         "-c",
         "import ctypes, os\n"
         "c = ctypes.CDLL(None, use_errno=True)\n"
         "def call(*a):\n"
         "    ctypes.set_errno(0)\n"
         "    return ctypes.get_errno() if c.syscall(*a) < 0 else 0\n"
         "print('keyctl', call(250, 0, -3, 0))\n"
         "print('unshare', call(272, 0x10000000))\n"
         "print('clone', call(56, 0x10000011, 0, 0, 0, 0))\n"
         "print('clone3', call(435, 0, 0))\n"
         "print('mount', call(165, 0, 0, 0, 0, 0))\n"
         "print('bpf', call(321, 0, 0, 0))\n"
         "print('io_uring', call(425, 1, 0))\n"
         "print('getpid', call(39))\n"
         "pid = os.fork()\n"
         "os._exit(0) if pid == 0 else print('fork', os.waitpid(pid, 0)[1])\n"}));
#if defined(__x86_64__)
    CHECK(
        report.output ==
        "keyctl 1\nunshare 1\nclone 1\nclone3 38\nmount 1\nbpf 1\nio_uring 38\ngetpid 0\n"
        "fork 0\n");
#else
    CHECK_FALSE(report.output.empty());
#endif
}

TEST_CASE("Where there is no sandbox, no job of others runs unless that is allowed", "[hostile]") {
    ProcessRunner::Options options{
        .child_program = fs::path(VIGIL_BINARY_DIR) / "vigil-child",
        .sandbox = SandboxMode::off,
        .read_only_paths = {},
        .whose = Whose::others,
        .uncontained = Uncontained::refused};
    CHECK_THROWS_WITH(ProcessRunner(options), Catch::Contains("allow_uncontained"));
    options.uncontained = Uncontained::allowed;
    const ProcessRunner allowed(options);
    CHECK(allowed.containment().at("sandbox") == "none");
    CHECK(allowed.containment().at("network") == "none");
    CHECK_FALSE(allowed.warnings().empty());
    options.whose = Whose::own;
    CHECK(ProcessRunner(options).containment().at("user") == "none");
}

TEST_CASE("A job is never root, with a sandbox or without one", "[hostile]") {
    if (::geteuid() != 0) {
        WARN("not tested: it needs root");
        return;
    }
    const RunPlace place;
    fs::permissions(place.root.path(), fs::perms(0755));
    test::write_file(place.root.path() / "token", "the secret");
    ::chmod((place.root.path() / "token").c_str(), 0600);
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        auto runner = make_runner(mode);
        CHECK(runner.containment().at("user") == "another");
        const auto report = runner.run(place.shell(
            "id -u; cat ../token /etc/shadow 2>/dev/null; (echo x > /etc/vigil-new) 2>/dev/null; "
            "echo mine > $TMPDIR/file && cat $TMPDIR/file"));
        CHECK(report.output == "65534\nmine\n");
    }
    CHECK_FALSE(fs::exists("/etc/vigil-new"));
}

TEST_CASE("One's own commands run as oneself", "[hostile]") {
    const RunPlace place;
    ProcessRunner runner(
        {.child_program = fs::path(VIGIL_BINARY_DIR) / "vigil-child",
         .sandbox = SandboxMode::off,
         .read_only_paths = {},
         .whose = Whose::own,
         .uncontained = Uncontained::refused});
    CHECK(runner.run(place.shell("id -u")).output == std::to_string(::geteuid()) + "\n");
}
