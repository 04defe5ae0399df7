#include "worker/lease/artifact.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "tests/integration/worker/lease/worker_fixture.hpp"

using namespace vigil;
using namespace vigil::worker;
using Catch::Contains;
using test::FakeService;
using test::ScratchFolder;
using test::WorkerPlace;
using test::write_file;
namespace fs = std::filesystem;

namespace {

double bytes_of(const RunOutcome& run) {
    CAPTURE(run.message);
    REQUIRE(run.outcome == Outcome::passed);
    REQUIRE(run.samples.size() == 1);
    CHECK(run.samples[0].metric == Metric::artifact_bytes);
    return run.samples[0].values.at(0);
}

}  // namespace

TEST_CASE("The size of a file, of several and of a folder is measured", "[worker][lease]") {
    const ScratchFolder product;
    const auto& root = product.path();
    write_file(root / "lib/one.so", "12345");
    write_file(root / "lib/two.so", "123");
    write_file(root / "lib/deep/three.so", "1");
    write_file(root / "lib/empty", "");
    fs::create_symlink("one.so", root / "lib/link.so");
    const auto size_of = [&](const std::string& path) {
        return bytes_of(measure_artifact(3, root, {path}));
    };
    CHECK(size_of("lib/one.so") == 5);
    CHECK(size_of("lib/empty") == 0);
    CHECK(size_of("lib/link.so") == 5);
    CHECK(size_of("lib/*.so") == 8);  // a link is no second file
    CHECK(size_of("*/*/three.so") == 1);
    CHECK(size_of("lib") == 9);
    CHECK(size_of("li*") == 9);
    const auto run = measure_artifact(3, root, {"lib/no*"});
    CHECK(run.step == 3);
    CHECK(run.outcome == Outcome::failed);
    CHECK_THAT(run.message, Contains("lib/no*: there is no such file"));
    CHECK_THAT(measure_artifact(0, root, {"lib/no"}).message, Contains("lib/no: No such file"));
    CHECK_THAT(measure_artifact(0, root, {"lib/one.so", ".text"}).message, Contains("ELF section"));
    CHECK_THAT(measure_artifact(0, root / "none", {"x"}).message, Contains("no such folder"));
    CHECK(measure_artifact(0, root, {}).outcome == Outcome::failed);
}

TEST_CASE("No link leads an artifact out of the product", "[worker][lease]") {
    const ScratchFolder product;
    const auto& root = product.path();
    fs::create_symlink("/etc", root / "etc");
    fs::create_symlink("/etc/passwd", root / "passwd");
    REQUIRE(::mkfifo((root / "pipe").c_str(), 0600) == 0);
    for (const auto* path :
         {"passwd", "etc", "etc/passwd", "etc/*", "*/passwd", "../x", "/etc", "pipe", "p*"}) {
        CAPTURE(path);
        CHECK(measure_artifact(0, root, {path}).outcome == Outcome::failed);
    }
    // Names from outside are not even told.
    const ScratchFolder outside;
    write_file(outside.path() / "deep/secret", "x");
    fs::create_symlink(outside.path(), root / "away");
    CHECK_THAT(
        measure_artifact(0, root, {"away/deep/*"}).message,
        Contains("away/deep/*: there is no such file"));
}

TEST_CASE("A job measures what it built, without a process", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    auto plan = test::command_plan({"bin/*", ".text"});
    plan.kind = BenchmarkKind::artifact;
    service.leases.push_back(test::lease_of({test::order_of(1, source)}, plan, {0, 0}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto result = service.result("7-1");
    CHECK(result.failure.empty());
    REQUIRE(result.runs.size() == 2);
    CHECK(bytes_of(result.runs[0]) > 10);
    CHECK(bytes_of(result.runs[0]) == bytes_of(result.runs[1]));
    CHECK(result.runs[1].step == 1);
    CHECK(result.runs[0].started_at_ns > 0);
}
