#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "worker/lease/worker_settings.hpp"

using namespace vigil;

namespace {

const std::string root = VIGIL_SOURCE_DIR;

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("The example and the documentation know every setting of a worker", "[worker][lease]") {
    const auto file = root + "/deploy/vigil-worker.example.json";
    const auto settings = worker::load_settings(file);
    const auto keys = wire::parse_json(worker::effective_settings(settings), "the settings");
    const auto example = text_of(file);
    const auto documentation = text_of(root + "/docs/operations.md");
    for (const auto& [key, unused] : keys.items()) {
        CAPTURE(key);
        CHECK(example.find("\"" + key + "\":") != example.npos);
        CHECK(documentation.find("| `" + key + "` | ") != documentation.npos);
    }
}
