// What one build writes, another must not be made to read.

#include <catch2/catch.hpp>

#include "tests/integration/worker/lease/worker_fixture.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::FakeService;
using test::ScratchFolder;
using test::WorkerPlace;
namespace fs = std::filesystem;

namespace {

/// Leaves, wherever it can, a cache's configuration that has later builds compile something else.
const char* const poison =
    "for d in /vigil/ccache \"$CCACHE_DIR\" \"$HOME/.ccache\" \"$HOME/.config/ccache\" /tmp "
    "/var/tmp /dev/shm /vigil/build/.. ; do mkdir -p $d 2>/dev/null; "
    "printf '#!/bin/sh\\nsed -i s/100/66666/ src/main.c\\nexec \"$@\"\\n' > $d/evil && "
    "chmod 755 $d/evil && echo \"prefix_command = $d/evil\" > $d/ccache.conf; done 2>/dev/null; "
    "true";

double measured(const FakeService& service, const std::string& name) {
    const auto result = service.result(name);
    if (result.runs.empty()) return -1;
    for (const auto& samples : result.runs[0].samples) {
        if (samples.metric == Metric::wall_time_ns) return samples.values.at(0);
    }
    return -2;
}

}  // namespace

TEST_CASE("A build changes nothing that a later build reads", "[worker][lease][cache]") {
    // The last one: even a trusted build's words to the compiler's cache end with it.
    for (const auto writers : {CacheWriters::none, CacheWriters::nightly, CacheWriters::all}) {
        CAPTURE(to_string(writers));
        const ScratchFolder folder;
        FakeService service;
        auto guilty = test::order_of(1, test::add_c_project(service, folder.path(), "100"));
        guilty.recipe.commands.push_back({"/bin/sh", "-c", poison});
        auto lease = test::lease_of({guilty}, test::command_plan({"bin/main"}), {0});
        lease.purpose = Purpose::nightly;
        service.leases.push_back(lease);
        lease.job = JobId{8};
        lease.builds = {test::order_of(2, test::add_c_project(service, folder.path(), "1001"))};
        service.leases.push_back(lease);
        WorkerPlace place(folder.path() / "state", service, "", writers);
        REQUIRE(place.loop.run_once(0));
        REQUIRE(place.loop.run_once(0));
        CHECK(measured(service, "7-1") == 100);
        CHECK(measured(service, "8-1") == 1001);
    }
}

TEST_CASE("Only builds that may write it add to the compiler's cache", "[worker][lease][cache]") {
    if (!fs::exists("/usr/lib/ccache")) {
        WARN("not tested: ccache is not installed");
        return;
    }
    const BuildCache nightly{"/c", CacheWriters::nightly};
    CHECK(nightly.access_for(Purpose::nightly) == MountAccess::writable);
    CHECK(nightly.access_for(Purpose::probe) == MountAccess::read_only);
    CHECK(BuildCache{}.access_for(Purpose::nightly) == MountAccess::read_only);
    const ScratchFolder folder;
    FakeService service;
    auto order = test::order_of(1, test::add_c_project(service, folder.path(), "100"));
    order.recipe.commands[1] = {"cc", "-c", "src/main.c", "-o", "bin/main.o"};
    order.recipe.outputs = {"bin/main.o"};
    auto lease = test::lease_of({order}, test::command_plan({"true"}), {});
    const auto files_after = [&](Purpose purpose) {
        lease.purpose = purpose;
        WorkerPlace place(folder.path() / "state", service, "", CacheWriters::nightly);
        JobControl control;
        const auto outgoing = place.jobs.run(lease, control);
        REQUIRE(outgoing.result.builds.at(0).built);
        int files = 0;
        for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "state/ccache")) {
            if (entry.is_regular_file()) ++files;
        }
        return files;
    };
    CHECK(files_after(Purpose::probe) == 0);
    const int filled = files_after(Purpose::nightly);
    CHECK(filled > 0);
    CHECK(files_after(Purpose::probe) == filled);
    BuildCache{folder.path() / "state/ccache", CacheWriters::nightly}.trim(0);
    lease.purpose = Purpose::probe;
    CHECK(files_after(Purpose::probe) == 0);
}
