#include <algorithm>
#include <fstream>

#include <catch2/catch.hpp>

#include "service/config/keys.hpp"

using namespace vigil::service;

namespace {

std::string operations() {
    std::ifstream file(std::string(VIGIL_SOURCE_DIR) + "/docs/operations.md");
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("docs/operations.md has every key, its default and its range", "[service][config]") {
    const auto text = operations();
    const auto keys = list_keys();
    CHECK(keys.size() > 80);
    for (const auto& [path, range, default_value] : keys) {
        const bool value = default_value != "required" && default_value != "none";
        const std::string shown = value ? "`" + default_value + "`" : default_value;
        const auto row = "| `" + path + "` | " + shown + " | " + range + " | ";
        CAPTURE(row);
        CHECK(text.find(row) != text.npos);
    }
}

TEST_CASE("docs/operations.md has no key that the config does not know", "[service][config]") {
    const auto text = operations();
    const auto keys = list_keys();
    for (auto at = text.find("| `projects."); at != text.npos;) {
        const auto path = text.substr(at + 3, text.find('`', at + 3) - at - 3);
        CAPTURE(path);
        CHECK(std::any_of(
            keys.begin(), keys.end(), [&](const KeyInfo& key) { return key.path == path; }));
        at = text.find("| `projects.", at + 1);
    }
}
