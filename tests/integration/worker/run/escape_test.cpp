// Jobs that try to get out of the sandbox, one way each.

#include <cstdlib>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "schema/model/error.hpp"
#include "tests/integration/worker/run/run_fixture.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::make_runner;
using test::RunPlace;
namespace fs = std::filesystem;

namespace {

/// A socket that listens on a port of this machine's loopback.
class Listener {
  public:
    Listener() : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        REQUIRE(::bind(fd_, generic, size) == 0);
        REQUIRE(::listen(fd_, 5) == 0);
        REQUIRE(::getsockname(fd_, generic, &size) == 0);
        port_ = ntohs(address.sin_port);
    }
    ~Listener() { ::close(fd_); }
    int port() const { return port_; }

  private:
    int fd_;
    int port_ = 0;
};

std::string connect_script(int port) {
    return "import socket\n"
           "s = socket.create_connection(('127.0.0.1', " +
           std::to_string(port) + "), 5)\nprint('connected')";
}

}  // namespace

TEST_CASE("A job without a sandbox could connect to a port, so the test is fair", "[escape]") {
    const RunPlace place;
    const Listener listener;
    auto runner = make_runner(SandboxMode::off);
    const auto report =
        runner.run(place.request({"python3", "-c", connect_script(listener.port())}));
    CHECK(report.output == "connected\n");
}

TEST_CASE("A job reaches no network, not even this machine's", "[escape]") {
    const RunPlace place;
    const Listener listener;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    const auto report =
        runner.run(place.request({"python3", "-c", connect_script(listener.port())}));
    CHECK(report.exit_code != 0);
    CHECK(report.output.empty());
}

TEST_CASE("A job sees no variable of the worker", "[escape]") {
    ::setenv("VIGIL_TEST_SECRET", "the secret", 1);
    const RunPlace place;
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        auto runner = make_runner(mode);
        auto request = place.shell("env; tr '\\0' '\\n' < /proc/1/environ; true");
        request.environment = {{"OMP_NUM_THREADS", "1"}};
        const auto report = runner.run(request);
        CHECK_THAT(report.output, !Catch::Contains("the secret"));
        CHECK_THAT(report.output, Catch::Contains("OMP_NUM_THREADS=1"));
    }
    ::unsetenv("VIGIL_TEST_SECRET");
}

TEST_CASE("A job can neither read nor list what it was not given", "[escape]") {
    const RunPlace place;
    test::write_file(place.root.path() / "token", "the secret");
    fs::permissions(place.root.path() / "token", fs::perms(0644));
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    const auto token = (place.root.path() / "token").string();
    const auto report = runner.run(place.shell(
        "cat '" + token + "' ../../.." + token + " /proc/1/root" + token +
        " /etc/shadow /root/.ssh/* ; ls /home /root /var '" + place.root.path().string() + "'"));
    CHECK(report.output.empty());
    CHECK_THAT(report.errors, !Catch::Contains("the secret"));
}

TEST_CASE("A job writes only into its scratch folder", "[escape]") {
    const RunPlace place;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    const auto report = runner.run(place.shell(
        "for f in ./new data /vigil/new /new /usr/new /etc/new /proc/sys/kernel/core_pattern "
        "/sys/devices/system/cpu/new /vigil/child; do (echo x >> $f) 2>/dev/null && echo $f; done; "
        "chmod 777 . data 2>/dev/null && echo chmod; rm -f data 2>/dev/null && echo rm; "
        "mount -o remount,rw / 2>/dev/null && echo remount; "
        "umount -l /vigil/run 2>/dev/null && echo umount; "
        "echo ok > /tmp/allowed && cat /tmp/allowed"));
    CHECK(report.output == "ok\n");
    CHECK(test::content_of(place.product / "data") == "of the product\n");
    CHECK(test::content_of(place.scratch / "allowed") == "ok\n");
}

TEST_CASE("A job is not root, and cannot become it", "[escape]") {
    const RunPlace place;
    fs::copy_file("/usr/bin/id", place.product / "id");
    fs::permissions(place.product / "id", fs::perms(06755), fs::perm_options::add);
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    const auto report = runner.run(
        place.shell("id -u; ./id -u; grep -E 'Cap(Prm|Eff|Amb)|NoNewPrivs' /proc/self/status"));
    CHECK(
        report.output ==
        "65534\n65534\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
        "CapAmb:\t0000000000000000\nNoNewPrivs:\t1\n");
}

TEST_CASE("A job sees and reaches no process but its own", "[escape]") {
    const RunPlace place;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    const auto report = runner.run(place.shell(
        "ls /proc | grep -c '^[0-9]'; kill -9 1 2>/dev/null; kill -9 " +
        std::to_string(::getpid()) + " 2>/dev/null || echo unreachable"));
    CHECK(report.end == RunEnd::exited);
    CHECK_THAT(report.output, Catch::EndsWith("unreachable\n"));
    CHECK(std::stoi(report.output) <= 5);
}

TEST_CASE("A job cannot write its own report", "[escape]") {
    const RunPlace place;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    const auto report = runner.run(
        place.shell("for fd in 3 4 5 6 7 8 9; do (echo forged >&$fd) 2>/dev/null && echo $fd; "
                    "(echo forged > /proc/1/fd/$fd) 2>/dev/null && echo proc $fd; done; exit 9"));
    CHECK(report.end == RunEnd::exited);
    CHECK(report.exit_code == 9);
    CHECK(report.output.empty());
}

TEST_CASE("A job cannot end its supervisor", "[escape]") {
    const RunPlace place;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    const auto report = runner.run(
        place.shell("for s in TERM INT HUP KILL CHLD STOP; do kill -$s 1; done; exit 9"));
    CHECK(report.end == RunEnd::exited);
    CHECK(report.exit_code == 9);
}

TEST_CASE("A build writes into its folder and nowhere else", "[escape]") {
    const RunPlace place;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    auto request = place.shell("pwd; echo made > product; echo x > ../other; ls /vigil");
    request.folder_path = build_path;
    request.folder_access = MountAccess::writable;
    const auto report = runner.run(request);
    CHECK(report.output == "/vigil/build\nbuild\nchild\n");
    CHECK(test::content_of(place.product / "product") == "made\n");
    CHECK_FALSE(fs::exists(place.root.path() / "other"));
}

TEST_CASE("A path to show to jobs that is missing stops the start", "[escape]") {
    const ProcessRunner::Options options{
        .child_program = fs::path(VIGIL_BINARY_DIR) / "vigil-child",
        .sandbox = SandboxMode::automatic,
        .read_only_paths = {"/no/such/folder"},
        .whose = Whose::others,
        .uncontained = Uncontained::allowed};
    CHECK_THROWS_WITH(ProcessRunner(options), Catch::Contains("/no/such/folder"));
}

TEST_CASE(
    "A folder of the config is shown to jobs, read-only, whoever owns its parents", "[escape]") {
    const RunPlace place;
    const auto shown = place.root.path() / "deep/tools";
    test::write_file(shown / "tool", "a tool\n");
    ProcessRunner runner(
        {.child_program = fs::path(VIGIL_BINARY_DIR) / "vigil-child",
         .sandbox = SandboxMode::automatic,
         .read_only_paths = {shown},
         .whose = Whose::others,
         .uncontained = Uncontained::allowed});
    if (!test::has_sandbox(runner)) return;
    const auto report = runner.run(place.shell(
        "cat '" + (shown / "tool").string() + "'; echo x >> '" + (shown / "tool").string() + "'"));
    CHECK(report.output == "a tool\n");
    CHECK(test::content_of(shown / "tool") == "a tool\n");
}
