// The public vectors of JSON: what the standard allows is read, what it forbids is refused.

#include <fstream>
#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"

using namespace vigil;

namespace {

/// What the standard allows and we refuse: readers differ in what it means.
const std::set<std::string> ambiguous = {
    "y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
    "y_object_escaped_null_in_key.json",
    "y_string_null_escape.json"};

std::string from_hex(std::string_view digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
    }
    return bytes;
}

bool is_read(const std::string& text) {
    try {
        wire::parse_json(text, "the vector");
        return true;
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        return false;
    }
}

}  // namespace

TEST_CASE("The public vectors are read or refused as the standard says", "[schema][wire]") {
    // Made by tests/web/install, of an npm package.
    std::ifstream file(std::string(VIGIL_SOURCE_DIR) + "/build/web/json-vectors.txt");
    if (!file) {
        WARN("build/web/json-vectors.txt is missing: tests/web/install has met no registry");
        return;
    }
    int allowed = 0;
    int forbidden = 0;
    for (std::string line; std::getline(file, line);) {
        const auto tab = line.find('\t');
        const auto name = line.substr(0, tab);
        CAPTURE(name);
        const bool read = is_read(from_hex(line.substr(tab + 1)));
        if (name.starts_with("y_")) {
            CHECK(read != ambiguous.contains(name));
            ++allowed;
        } else if (name.starts_with("n_")) {
            CHECK_FALSE(read);
            ++forbidden;
        }
    }
    CHECK(allowed == 95);
    CHECK(forbidden == 188);
}
