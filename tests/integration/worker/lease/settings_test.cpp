#include <fstream>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/support/scratch_folder.hpp"
#include "worker/lease/worker_settings.hpp"

using namespace vigil;
using namespace vigil::worker;
namespace fs = std::filesystem;

namespace {

WorkerSettings settings_of(const std::string& text) {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "worker.json";
    std::ofstream(file) << text;
    return load_settings(file);
}

constexpr const char* required =
    R"("server": "http://127.0.0.1:8321", "name": "w1", "token_file": "/etc/t", "state_dir": "/s")";

std::string with(const std::string& more) {
    return std::string("{\n") + required + (more.empty() ? "" : ",\n" + more) + "\n}";
}

}  // namespace

TEST_CASE("A worker's config needs four keys and has defaults for the rest", "[worker][config]") {
    const auto settings = settings_of("// of the lab\n" + with(""));
    CHECK(settings.server == "http://127.0.0.1:8321");
    CHECK(settings.state_dir == "/s");
    CHECK(settings.build_cache.folder.empty());
    CHECK(settings.build_cache.writers == CacheWriters::none);
    CHECK(settings.sandbox == SandboxMode::automatic);
    CHECK_FALSE(settings.allow_uncontained);
    CHECK(settings.cache_max_bytes == std::int64_t{20} << 30);
    const auto full =
        settings_of(with(R"("labels": {"pool": "night"}, "sandbox": "require", "drain_s": 5,
                "read_only_paths": ["/opt/x"], "bench_source": "/src/worker/bench")"));
    CHECK(full.labels.at("pool") == "night");
    CHECK(full.sandbox == SandboxMode::require);
    CHECK(full.drain_s == 5);
    CHECK(full.read_only_paths.at(0) == "/opt/x");
}

TEST_CASE("A wrong config is refused with file, line and key", "[worker][config]") {
    const std::pair<std::string, std::string> cases[] = {
        {with(R"("sandbox": "maybe")"), "line 3: config.sandbox"},
        {with(R"("cache_max_bytes": 5)"), "line 3: config.cache_max_bytes"},
        {with(R"("cache_max_bytes": "5")"), "line 3: config.cache_max_bytes"},
        {with(R"("tokenfile": "x")"), "tokenfile"},
        {with(R"("content_from": "cache:8080")"), "line 3: config.content_from"},
        {with(R"("read_only_paths": ["opt"])"), "absolute"},
        {with(R"("log_level": "loud")"), "log_level"},
        {R"({"server": "x"})", "is missing"},
        {"{", "worker.json"},
        {"[]", "object"}};
    for (const auto& [text, why] : cases) {
        CAPTURE(text);
        CHECK_THROWS_WITH(settings_of(text), Catch::Contains(why));
        CHECK_THROWS_WITH(settings_of(text), Catch::Contains("worker.json"));
    }
}

TEST_CASE("A worker may have a part of its machine", "[worker][config]") {
    const auto all = settings_of(with(""));
    CHECK(all.cores.empty());
    CHECK_FALSE(all.numa_memory);
    CHECK_FALSE(all.gpus);
    const auto text = with(R"("machine_lock": "/run/l", "beside": ["w2"], "cores": "0-2,5",
        "memory_node": 1, "gpus": ["0", "GPU-4b"])");
    const auto part = settings_of(text);
    CHECK(part.cores == std::vector<int>{0, 1, 2, 5});
    CHECK(part.numa_memory == 1);
    CHECK(part.gpus == std::vector<std::string>{"0", "GPU-4b"});
    CHECK(part.beside == std::vector<std::string>{"w2"});
    CHECK(effective_settings(settings_of(effective_settings(part))) == effective_settings(part));
    CHECK(settings_of(with(R"("gpus": [])")).gpus->empty());
    const std::pair<std::string, std::string> cases[] = {
        {R"("cores": "2-0")", "config.cores"},
        {R"("memory_node": 2000)", "config.memory_node"},
        {R"("beside": ["w2"])", "goes with machine_lock"},
        {R"("machine_lock": "/run/l", "beside": ["../w2"])", "config.beside must be names"},
        {R"("machine_lock": "/run/l", "beside": ["w1"])", "names this worker itself"}};
    for (const auto& [more, why] : cases) {
        CAPTURE(more);
        CHECK_THROWS_WITH(settings_of(with(more)), Catch::Contains(why));
    }
}

TEST_CASE("The effective settings can be read again and are the same", "[worker][config]") {
    const auto first = effective_settings(settings_of(with(R"("labels": {"a": "b"})")));
    CHECK(effective_settings(settings_of(first)) == first);
}

TEST_CASE("A token that others may read is refused", "[worker][config]") {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "token";
    std::ofstream(file) << "abc123\n";
    fs::permissions(file, fs::perms(0600));
    CHECK(load_token(file) == "abc123");
    fs::permissions(file, fs::perms(0640));
    CHECK_THROWS_WITH(load_token(file), Catch::Contains("chmod 600"));
    std::ofstream(file) << "";
    fs::permissions(file, fs::perms(0600));
    CHECK_THROWS_WITH(load_token(file), Catch::Contains("empty"));
    CHECK_THROWS_WITH(load_token(folder.path() / "none"), Catch::Contains("missing"));
}
