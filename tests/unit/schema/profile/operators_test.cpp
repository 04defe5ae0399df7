#include "schema/profile/operators.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "schema/profile/profile_json.hpp"

using namespace vigil;
using namespace vigil::profile;
using Catch::Contains;

namespace {

/// What vigil-bench prints, as far as it matters here.
std::string printed(const std::string& operators, const std::string& device = "cpu") {
    return "a line before\n"
           R"({"vigil_bench":1,"outcome":"passed","samples":{},"info":{"device":")" +
           device +
           R"(","profile":{"iterations":10,"wall_time_ns":2000.5,"outside_ns":500.4,)"
           R"("registered":9,"operators":[)" +
           operators + "]}}}\n";
}

const std::string convolution =
    R"({"name":"aten::convolution","forward":20,"backward":10,"self_ns":1000.6,"share":0.5,)"
    R"("total_ns":1400,"bytes":4096.0,"shapes":["1x3x8x8 4x3x3x3"],"more":[1]})";

std::string refusal_of(const std::string& output) {
    try {
        read_operators(output);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("Operators are read with calls of one iteration, bytes and shapes", "[schema][profile]") {
    const auto found = read_operators(printed(convolution));
    CHECK(found.unit == CostUnit::operator_ns);
    CHECK(found.total == 1501);
    REQUIRE(found.functions.size() == 2);
    const auto& first = found.functions[0];
    CHECK(first.name == "aten::convolution");
    CHECK(first.cost == 1001);
    CHECK(first.calls == 3);
    CHECK(first.bytes == 4096);
    CHECK(first.shapes == std::vector<std::string>{"1x3x8x8 4x3x3x3"});
    CHECK(found.functions[1].name == "(in no operator)");
    CHECK(parse_profile(profile_text(found, 100'000)) == found);
    const auto bytes = by_bytes(found);
    CHECK(bytes.unit == CostUnit::operator_bytes);
    CHECK(bytes.total == 4096);
    CHECK(bytes.functions[0].cost == 4096);
}

TEST_CASE("Why there are no operators is said", "[schema][profile]") {
    CHECK_THAT(refusal_of(""), Contains("what vigil-bench printed"));
    CHECK_THAT(refusal_of(R"({"info":{"device":"cpu"}})"), Contains("printed no operators"));
    CHECK_THAT(refusal_of(printed(convolution, "cuda:0")), Contains("ran on a GPU"));
    CHECK_THAT(
        refusal_of(R"({"info":{"profile":{"absent":"no hooks\nhere"}}})"),
        Contains("its operators: no hooks here"));
}

TEST_CASE("What vigil-bench printed is a stranger's", "[schema][profile]") {
    for (const std::string odd :
         {"[]",
          "7",
          "{}",
          R"({"info":7})",
          R"({"info":{"profile":[]}})",
          R"({"info":{"profile":{"iterations":0,"operators":[],"outside_ns":1}}})",
          R"({"info":{"profile":{"iterations":1,"operators":{},"outside_ns":1}}})",
          R"({"info":{"profile":{"iterations":1,"operators":[7],"outside_ns":1}}})",
          R"({"info":{"profile":{"iterations":1,"operators":[],"outside_ns":-1}}})",
          R"({"info":{"profile":{"iterations":1,"operators":[],"outside_ns":0}}})"}) {
        CHECK_FALSE(refusal_of(odd).empty());
    }
    std::string many = convolution;
    for (int i = 0; i < 20'000; ++i) many += "," + convolution;
    CHECK_FALSE(refusal_of(printed(many)).empty());
}
