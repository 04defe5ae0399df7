// Histories that begin with zeros.

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/unit/service/cli/said.hpp"

using namespace vigil;
using Catch::Contains;
using nlohmann::json;

namespace {

test::Said detect_values(const std::vector<double>& values, std::vector<std::string> options = {}) {
    std::string text = "night,value\n";
    for (std::size_t i = 0; i < values.size(); ++i) text += fmt::format("{},{}\n", i, values[i]);
    std::vector<std::string> args{"detect", "-"};
    args.insert(args.end(), options.begin(), options.end());
    return test::say(args, text);
}

std::vector<double> stepped(double before, double after) {
    std::vector<double> values(20, before);
    values.resize(26, after);
    return values;
}

}  // namespace

TEST_CASE("A level that comes from 0 is worse, and no ratio is told", "[service][cli]") {
    for (const double after : {1.0, 2.0, 0.002, 4096.0}) {
        CAPTURE(after);
        const auto printed = detect_values(stepped(0, after));
        CHECK(printed.code == 1);
        CHECK_THAT(printed.out, Contains("worse") && Contains("from 0"));
        CHECK_THAT(printed.out, !Contains("inf") && !Contains("nan"));
        const auto answer = json::parse(detect_values(stepped(0, after), {"--json"}).out);
        const auto& change = answer.at("series").at(0).at("changes").at(0);
        CHECK(change.at("change_ratio").is_null());
        CHECK(change.at("before") == 0);
        CHECK(change.at("after").get<double>() == Approx(after));
        CHECK(change.at("first_index") == 20);
    }
    CHECK(detect_values(stepped(0, 2), {"--threshold", "900%"}).code == 1);
}

TEST_CASE("A level that comes to 0 is better", "[service][cli]") {
    const auto printed = detect_values(stepped(8, 0));
    CHECK(printed.code == 0);
    CHECK_THAT(printed.out, Contains("better") && Contains("-100.0 %"));
}

TEST_CASE("Nights that flicker around 0 are no change", "[service][cli]") {
    std::vector<double> values;
    for (int i = 0; i < 60; ++i) values.push_back(i * 7 % 5 == 1 ? 1 : 0);
    CHECK(detect_values(values).code == 0);
}
