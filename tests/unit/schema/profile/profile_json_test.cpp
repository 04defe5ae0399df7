#include "schema/profile/profile_json.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/profile/interpreter.hpp"

using namespace vigil;
using namespace vigil::profile;

namespace {

Profile example(int functions) {
    Profile profile;
    profile.unnamed = 3;
    for (int i = 0; i < functions; ++i) {
        Function one;
        one.name = "f" + std::to_string(i) + "(\"<int>\", |)";
        one.file = "src/f.cpp";
        one.cost = 1000 - i;
        one.calls = 7;
        one.libraries = {{"memcpy", 5}};
        one.called_by = {"main"};
        one.inlined = {{"src/mix.hpp", 7}};
        profile.total += one.cost;
        profile.functions.push_back(std::move(one));
    }
    return profile;
}

}  // namespace

TEST_CASE("A profile is read as it was sent", "[schema][profile]") {
    auto profile = example(3);
    profile.is_marked = true;
    profile.cut_after_s = 300;
    profile.iterations = 5;
    profile.interpreter = "python3.11";
    profile.lacks_avx512 = true;
    CHECK(parse_profile(profile_text(profile, 100'000)) == profile);
    CHECK(parse_profile(profile_text({}, 1000)) == Profile{});
}

TEST_CASE(
    "Of a profile that is too long the smallest functions are left out", "[schema][profile]") {
    const auto profile = example(500);
    const auto text = profile_text(profile, 4000);
    CHECK(text.size() <= 4000);
    const auto read = parse_profile(text);
    REQUIRE(read.functions.size() > 10);
    REQUIRE(read.functions.size() < 100);
    CHECK(read.functions.front() == profile.functions.front());
    CHECK(read.total == profile.total);
}

TEST_CASE("What is no profile is refused", "[schema][profile]") {
    for (const char* text :
         {"",
          "[]",
          "{}",
          R"({"functions":[],"total":-1,"unnamed":0})",
          R"({"functions":[{}],"total":1,"unnamed":0})",
          R"({"functions":[],"total":1,"unnamed":0,"more":1})"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_profile(text), Error);
    }
}

TEST_CASE("What explains a change is read as it was written", "[schema][profile]") {
    Why why;
    why.before = 100;
    why.after = 150;
    why.rows = {{"sort", "src/sort.cpp", 50, 98, 0.96, 1, 2, true, {"swap"}, "memcpy"}};
    why.telling = 1;
    why.explained = 0.96;
    why.words = "this row is 96 % of the +50.0 % instructions";
    why.notes = {"a note"};
    CHECK(why_json(parse_why(why_json(why))) == why_json(why));
}

TEST_CASE("What a worker sends is one line each, of numbers that have a sum", "[schema][profile]") {
    const std::string most = "9223372036854775807";
    CHECK_THROWS_AS(parse_profile(R"({"functions":[],"unnamed":0,"total":)" + most + "}"), Error);
    auto profile = example(1);
    auto& one = profile.functions.front();
    one.name = "f\n\x1b[31m";
    one.file = std::string(4000, 'x');
    one.libraries[0].name = one.inlined[0].name = one.file;
    one.shapes = {one.name};
    one.called_by = {one.name};
    profile.interpreter = one.name;
    auto read = parse_profile(profile_text(profile, 100'000));
    const auto& same = read.functions.front();
    CHECK(same.name == "f [31m");
    CHECK(same.shapes == std::vector<std::string>{"f [31m"});
    CHECK(same.called_by == same.shapes);
    CHECK(read.interpreter == same.name);
    for (const auto* text : {&same.file, &same.libraries[0].name, &same.inlined[0].name}) {
        CHECK(text->size() < 2100);
    }
    one.cost = most_cost + 1;
    CHECK_THROWS_AS(parse_profile(profile_text(profile, 100'000)), Error);
    one.cost = 1;
    one.grown = -most_cost - 1;
    CHECK_THROWS_AS(parse_profile(profile_text(profile, 100'000)), Error);
}

TEST_CASE("A profile that is full is as long as it may be", "[schema][profile]") {
    auto profile = example(100);
    profile.total = profile.unnamed = profile.allocated = profile.iterations = most_cost;
    profile.is_marked = profile.lacks_avx512 = true;
    profile.cut_after_s = 2'000'000'000;
    profile.interpreter = "python" + std::string(max_interpreter_bytes - 6, '3');
    profile.unit = CostUnit::operator_bytes;
    for (std::size_t most = 2000; most < 4000; most += 7) {
        const auto text = profile_text(profile, most);
        REQUIRE(text.size() <= most);
    }
    CHECK(parse_profile(profile_text(profile, 4000)).interpreter == profile.interpreter);
}
