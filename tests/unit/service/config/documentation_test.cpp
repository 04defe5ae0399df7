#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>

#include "service/config/keys.hpp"
#include "service/config/reference.hpp"

using namespace vigil::service;

TEST_CASE(
    "The reference has every key, its default, its range and its meaning", "[service][config]") {
    const auto text = config_reference("");
    const auto keys = list_keys();
    CHECK(keys.size() > 80);
    for (const auto& [path, range, default_value] : keys) {
        CAPTURE(path);
        const auto at = text.find(path + "\n");
        REQUIRE(at != text.npos);
        const auto shown = text.substr(at, 1000);
        if (default_value != "none") CHECK(shown.find(default_value + "; " + range) != text.npos);
        CHECK(note_of_key(path).size() > 3);
    }
    CHECK(
        config_reference("http.port") ==
        "http.port\n    default 8321; 0 to 65535\n    0 takes any free one and logs it\n");
    CHECK(config_reference("no.such").empty());
}

TEST_CASE("There is no note of a key that the config does not know", "[service][config]") {
    std::ifstream file(std::string(VIGIL_SOURCE_DIR) + "/service/config/key_notes.txt");
    REQUIRE(file);
    const auto keys = list_keys();
    for (std::string line; std::getline(file, line);) {
        CAPTURE(line);
        CHECK(std::any_of(keys.begin(), keys.end(), [&](const KeyInfo& key) {
            return line.starts_with(key.path + ": ");
        }));
    }
}
