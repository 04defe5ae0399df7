#include "schema/profile/operators.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "schema/profile/profile_json.hpp"

using namespace vigil;
using namespace vigil::profile;
using Catch::Contains;

namespace {

/// What vigil-bench prints, as far as it matters here.
std::string printed(
    const std::string& operators,
    const std::string& device = "cpu",
    const std::string& memory = "") {
    return "a line before\n"
           R"({"vigil_bench":1,"outcome":"passed","samples":{},"info":{"device":")" +
           device +
           R"(","profile":{"iterations":10,"wall_time_ns":2000.5,"outside_ns":500.4,)"
           R"("registered":9,"operators":[)" +
           operators + "]" + (memory.empty() ? "" : R"(,"memory":)" + memory) + "}}}\n";
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
}

TEST_CASE(
    "Memory is what operators hold at the peak, else what they ask for", "[schema][profile]") {
    const std::string memory =
        R"({"iterations":10,"peak_bytes":1500,"end_bytes":900,"operators":[)"
        R"#({"name":"(before the iterations)","peak_bytes":500,"peak_blocks":0,"end_bytes":500,)#"
        R"("grown_bytes":0,"callers":[]},)"
        R"({"name":"aten::convolution","peak_bytes":1000,"peak_blocks":3,"end_bytes":400,)"
        R"("grown_bytes":-7,"callers":[{"name":"lab::conv2d","peak_bytes":900}]}]})";
    const auto known = read_operators(printed(convolution, "cpu", memory));
    CHECK(known.unit == CostUnit::operator_ns);
    CHECK(known.total == 1501);  // of the time, whatever memory there is
    REQUIRE(known.memory.size() == 2);
    CHECK(parse_profile(profile_text(known, 100'000)) == known);
    auto before = known;
    auto after = known;
    by_memory(before, after);
    CHECK(before == after);
    CHECK(after.unit == CostUnit::operator_peak_bytes);
    CHECK(after.total == 1500);
    REQUIRE(after.functions.size() == 2);
    const auto& first = after.functions[0];
    CHECK(first.name == "aten::convolution");
    CHECK(first.cost == 1000);
    CHECK(first.calls == 3);
    CHECK(first.grown == -7);
    CHECK(first.bytes == 4096);
    CHECK(first.shapes == std::vector<std::string>{"1x3x8x8 4x3x3x3"});
    CHECK(first.libraries == std::vector<NamedCost>{{"lab::conv2d", 900}});
    CHECK_FALSE(after.functions[1].is_own);
    before = known;
    after = read_operators(printed(convolution, "cpu", R"({"absent":"it was killed"})"));
    by_memory(before, after);
    for (const auto& side : {before, after}) {
        CHECK(side.unit == CostUnit::operator_bytes);
        CHECK(side.total == 4096);
        CHECK(side.functions[0].cost == 4096);
    }
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
          R"({"info":{"profile":{"iterations":1,"operators":[],"outside_ns":1,"memory":7}}})",
          R"({"info":{"profile":{"iterations":1,"operators":[],"outside_ns":1,)"
          R"("memory":{"operators":[{"name":"f","peak_bytes":-1}]}}}})",
          R"({"info":{"profile":{"iterations":1,"operators":[],"outside_ns":0}}})"}) {
        CHECK_FALSE(refusal_of(odd).empty());
    }
    std::string many = convolution;
    for (int i = 0; i < 20'000; ++i) many += "," + convolution;
    CHECK_FALSE(refusal_of(printed(many)).empty());
}
