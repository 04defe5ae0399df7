#include "service/config/change.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "service/config/keys.hpp"
#include "service/config/live_config.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

Config small_config() {
    return parse_config(
        R"({"state_dir": "state", "machine_classes": {"any": {}},
            "workers": {"w1": {"machine_class": "any"}},
            "projects": {"toy": {
                "source": {"kind": "git", "repository": "/srv/toy.git"},
                "recipe": {"commands": ["make"], "outputs": ["out"]},
                "suites": {"core": {"start": {"command": ["out/x"]}}},
                "matrix": [{"suite": "core", "machine_classes": ["any"]}]}}})",
        "/etc/vigil/vigild.json");
}

ConfigChange only_change(const Config& after) {
    const auto changes = list_changes(small_config(), after);
    REQUIRE(changes.size() == 1);
    return changes.front();
}

}  // namespace

TEST_CASE("A config that did not change has no changes", "[service][config]") {
    CHECK(list_changes(small_config(), small_config()).empty());
}

TEST_CASE("A change tells its key and both values", "[service][config]") {
    auto config = small_config();
    config.projects.at("toy").runs_per_night = 5;
    const auto change = only_change(config);
    CHECK(change.key == "projects.toy.runs_per_night");
    CHECK(change.from == "3");
    CHECK(change.to == "5");
    CHECK_FALSE(change.needs_restart);
}

TEST_CASE("What comes or goes as a whole is one change", "[service][config]") {
    auto config = small_config();
    config.workers["w2"] = WorkerConfig{"any"};
    const auto come = only_change(config);
    CHECK(come.key == "workers.w2");
    CHECK(come.from.empty());
    CHECK(come.to == R"({"machine_class":"any"})");
    const auto gone = list_changes(config, small_config());
    REQUIRE(gone.size() == 1);
    CHECK(gone.front().key == "workers.w2");
    CHECK(gone.front().to.empty());
}

TEST_CASE("What a running daemon cannot change is named, and stays", "[service][config]") {
    auto config = small_config();
    config.state_dir = "/elsewhere";
    config.http.address = "::1";
    config.http.port = 1;
    config.http.max_connections = 7;
    config.ledger.ballast_bytes = 1 << 20;
    const auto changes = list_changes(small_config(), config);
    const auto fixed = std::count_if(
        changes.begin(), changes.end(), [](const auto& change) { return change.needs_restart; });
    CHECK(fixed == 4);
    CHECK(changes.size() == 5);
    const auto applied = change_while_running(small_config(), config);
    const auto left = list_changes(small_config(), applied);
    REQUIRE(left.size() == 1);
    CHECK(left.front().key == "http.max_connections");
}

TEST_CASE("Keys that need a restart are in the key table", "[service][config]") {
    auto config = small_config();
    config.state_dir = "/elsewhere";
    config.http = {.address = "::1", .port = 1};
    config.ledger.ballast_bytes = 1 << 20;
    const auto known = list_keys();
    for (const auto& change : list_changes(small_config(), config)) {
        CAPTURE(change.key);
        CHECK(std::any_of(
            known.begin(), known.end(), [&](const auto& key) { return key.path == change.key; }));
    }
}

TEST_CASE("Who works by a config may go on with it after a reload", "[service][config]") {
    LiveConfig live(small_config());
    const Config& before = live.now();
    for (int i = 0; i < 100; ++i) {
        auto config = small_config();
        config.http.port = i;
        live.replace(std::move(config));
        CHECK(live.now().http.port == i);
    }
    CHECK(before.http.port == 8321);
    CHECK(before.projects.at("toy").name == "toy");
}
