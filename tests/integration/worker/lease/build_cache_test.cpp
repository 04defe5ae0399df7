// What one build writes, another must not be made to read.

#include <map>
#include <mutex>

#include <catch2/catch.hpp>

#include "schema/archive/archive.hpp"
#include "tests/integration/worker/lease/worker_fixture.hpp"
#include "tests/support/canned_server.hpp"

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

TEST_CASE("ccache stands before cc and c++, whichever was installed first", "[worker][lease]") {
    const ScratchFolder folder;
    fs::create_directories(folder.path() / "links");
    std::ofstream(folder.path() / "links" / "cc") << "ccache";
    add_missing_links(folder.path() / "links", folder.path() / "own");
    CHECK(fs::exists(fs::symlink_status(folder.path() / "own" / "c++")));
    CHECK(fs::read_symlink(folder.path() / "own" / "c++") == "/usr/bin/ccache");
    CHECK(!fs::exists(fs::symlink_status(folder.path() / "own" / "cc")));
    std::ofstream(folder.path() / "links" / "c++") << "ccache";
    add_missing_links(folder.path() / "links", folder.path() / "none");
    CHECK(!fs::exists(folder.path() / "none"));
}

namespace {

/// A compiler cache that is reached by HTTP.
struct HttpCache {
    test::CannedServer server{[this](const test::CannedRequest& request) {
        const std::lock_guard lock(mutex);
        const auto shown = request.headers.find("authorization");
        if (shown == request.headers.end() || shown->second != "Bearer secret") ++strangers;
        if (request.method == "PUT") {
            entries[request.target] = request.body;
            return test::CannedReply{201, "", {}, {}};
        }
        const auto found = entries.find(request.target);
        if (found == entries.end()) return test::CannedReply{404, "", {}, {}};
        if (request.method == "GET") ++hits;
        return test::CannedReply{200, request.method == "GET" ? found->second : "", {}, {}};
    }};
    std::mutex mutex;
    std::map<std::string, std::string> entries;
    int hits = 0;
    int strangers = 0;
};

/// A worker that is new builds one object file, after a command of its author.
std::string build_log(
    FakeService& service,
    const fs::path& state,
    const std::string& url,
    Purpose purpose,
    const std::string& first = "true") {
    auto order = test::order_of(1, test::add_c_project(service, state, "100"));
    order.recipe.commands = {
        {"/bin/bash", "-c", first}, {"cc", "-c", "src/main.c", "-o", "main.o"}};
    order.recipe.outputs = {"main.o"};
    auto lease = test::lease_of({order}, test::command_plan({"true"}), {});
    lease.purpose = purpose;
    WorkerPlace place(state, service, "", CacheWriters::nightly, url);
    JobControl control;
    const auto outgoing = place.jobs.run(lease, control);
    REQUIRE(outgoing.result.builds.size() == 1);
    CHECK(outgoing.result.builds[0].built);
    std::ifstream log(outgoing.contents.at(*outgoing.result.builds[0].log).file);
    return {std::istreambuf_iterator<char>(log), {}};
}

}  // namespace

TEST_CASE("Workers share a compiler cache by HTTP, and builds see nothing of it", "[worker]") {
    if (!fs::exists("/usr/lib/ccache")) {
        WARN("not tested: ccache is not installed");
        return;
    }
    const ScratchFolder folder;
    FakeService service;
    HttpCache cache;
    const auto url = cache.server.url() + "/shared";
    build_log(service, folder.path() / "one", url, Purpose::probe);
    CHECK(cache.entries.empty());  // it may not write
    build_log(service, folder.path() / "one", url, Purpose::nightly);
    const auto filled = cache.entries.size();
    REQUIRE(filled > 0);
    CHECK(cache.entries.begin()->first.starts_with("/shared/"));
    CHECK(cache.hits == 0);
    const auto attack =
        "env; for ask in 'PUT /ab/cd' 'DELETE /ab/cd' 'GET /../secrets' 'GET /ab?x=1'; do "
        "port=${CCACHE_REMOTE_STORAGE#http://127.0.0.1:}; "
        "exec 3<>/dev/tcp/127.0.0.1/${port%%|*} && "
        "printf '%s HTTP/1.1\\r\\nContent-Length: 0\\r\\n\\r\\n' \"$ask\" >&3 && "
        "echo \"$ask: $(head -1 <&3)\"; done";
    const auto log = build_log(service, folder.path() / "two", url, Purpose::probe, attack);
    CHECK(cache.hits > 0);  // what worker one compiled
    CHECK(cache.entries.size() == filled);
    CHECK(cache.strangers == 0);
    CAPTURE(log);
    CHECK(log.find("PUT /ab/cd: HTTP/1.1 403") != log.npos);
    CHECK(log.find("DELETE /ab/cd: HTTP/1.1 400") != log.npos);
    CHECK(log.find("GET /../secrets: HTTP/1.1 400") != log.npos);
    CHECK(log.find("GET /ab?x=1: HTTP/1.1 400") != log.npos);
    CHECK(log.find("secret\n") == log.npos);
    CHECK(log.find(cache.server.url()) == log.npos);
}

TEST_CASE("A compiler cache that is down costs no build", "[worker][lease][cache]") {
    const ScratchFolder folder;
    FakeService service;
    build_log(service, folder.path(), "http://127.0.0.1:1/shared", Purpose::nightly);
    test::CannedServer broken([](const test::CannedRequest&) {
        return test::CannedReply{500, "no", {}, {}};
    });
    build_log(service, folder.path() / "two", broken.url(), Purpose::nightly);
}
