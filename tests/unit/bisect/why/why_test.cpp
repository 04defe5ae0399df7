#include "bisect/why/why.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::why;
using profile::Function;
using profile::Profile;

namespace {

Function function(const std::string& name, std::int64_t cost, std::int64_t calls = 1) {
    Function one;
    one.name = name;
    one.file = "src/" + name + ".cpp";
    one.cost = cost;
    one.calls = calls;
    return one;
}

Profile profile_of(std::vector<Function> functions) {
    Profile all;
    for (const auto& one : functions) all.total += one.cost;
    all.functions = std::move(functions);
    return all;
}

}  // namespace

TEST_CASE(
    "The function that grew is the first row, with its share and its calls", "[bisect][why]") {
    const auto before = profile_of({function("main", 100), function("sort", 900, 10)});
    const auto after = profile_of({function("main", 110), function("sort", 1090, 20)});
    const auto why = explain(before, after, 0.2, {"src/sort.cpp"});
    CHECK(why.before == 1000);
    CHECK(why.after == 1200);
    REQUIRE(why.rows.size() == 2);
    CHECK(why.rows[0].function == "sort");
    CHECK(why.rows[0].share == Approx(0.95));
    CHECK(why.rows[0].calls_before == 10);
    CHECK(why.rows[0].calls_after == 20);
    CHECK(why.rows[0].touched);
    CHECK_FALSE(why.rows[1].touched);
    CHECK(why.telling == 1);
    CHECK(why.words == "this row is 95 % of the +20.0 % instructions");
    CHECK(why.notes.empty());
}

TEST_CASE("What became cheaper stands last, with a negative share", "[bisect][why]") {
    const auto why = explain(
        profile_of({function("a", 1000), function("b", 1000)}),
        profile_of({function("a", 1500), function("b", 900)}),
        0.2,
        {});
    REQUIRE(why.rows.size() == 2);
    CHECK(why.rows[0].share == Approx(1.25));
    CHECK(why.rows[1].share == Approx(-0.25));
}

TEST_CASE("A function that is no longer inlined counts for its caller", "[bisect][why]") {
    auto outlined = function("step", 700, 50);
    outlined.called_by = {"run"};
    const auto why = explain(
        profile_of({function("run", 1000), function("other", 500)}),
        profile_of({function("run", 500), outlined, function("other", 500)}),
        0.13,
        {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].function == "run");
    CHECK(why.rows[0].before == 1000);
    CHECK(why.rows[0].after == 1200);
    CHECK(why.rows[0].inlined == std::vector<std::string>{"step"});
}

TEST_CASE("A new function whose caller did not shrink is a row of its own", "[bisect][why]") {
    auto fresh = function("check", 300, 50);
    fresh.called_by = {"run"};
    const auto why = explain(
        profile_of({function("run", 1000)}), profile_of({function("run", 1010), fresh}), 0.3, {});
    REQUIRE(why.rows.size() == 2);
    CHECK(why.rows[0].function == "check");
    CHECK(why.rows[0].before == 0);
}

TEST_CASE("A function whose file changed its name stays one row", "[bisect][why]") {
    auto moved = function("sort", 1500);
    moved.file = "include/sort.hpp";
    const auto why = explain(
        profile_of({function("sort", 1000)}), profile_of({moved}), 0.5, {"include/sort.hpp"});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].before == 1000);
    CHECK(why.rows[0].touched);
}

TEST_CASE("A function that takes its argument otherwise stays one row", "[bisect][why]") {
    auto before = function("shop::longest(Words const&)", 1000);
    auto after = function("shop::longest(Words)", 1500);
    const auto why = explain(profile_of({before}), profile_of({after}), 0.5, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].before == 1000);
    CHECK(why.rows[0].function == "shop::longest(Words)");
}

TEST_CASE("Functions of one name in several files are kept apart", "[bisect][why]") {
    auto first = function("init", 100);
    auto second = function("init", 100);
    second.file = "src/other.cpp";
    auto grown = second;
    grown.cost = 300;
    const auto why = explain(profile_of({first, second}), profile_of({first, grown}), 1, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].file == "src/other.cpp");
}

TEST_CASE("The library function that grew for a row is named", "[bisect][why]") {
    auto before = function("copy", 1000);
    before.libraries = {{"memcpy", 500}};
    auto after = function("copy", 2000);
    after.libraries = {{"memcpy", 1400}, {"malloc", 50}};
    const auto why = explain(profile_of({before}), profile_of({after}), 1, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].mostly_in == "memcpy");
}

TEST_CASE("Inlined code that grew is told with its file", "[bisect][why]") {
    auto before = function("serve", 1000);
    before.inlined = {{"src/product.hpp", 300}};
    auto after = function("serve", 1500);
    after.inlined = {{"src/product.hpp", 780}};
    const auto why = explain(profile_of({before}), profile_of({after}), 0.5, {"src/product.hpp"});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].mostly_in == "src/product.hpp, inlined");
    CHECK(why.rows[0].touched);
}

TEST_CASE("A function of a library is not said to be inlined", "[bisect][why]") {
    auto library = function("std::ostream::put(char)", 0, 50);
    library.is_own = false;
    library.called_by = {"join"};
    const auto why = explain(
        profile_of({function("join", 1000)}),
        profile_of({function("join", 1500), library}),
        0.5,
        {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].inlined.empty());
}

TEST_CASE("As many instructions as before are said to be so, without rows", "[bisect][why]") {
    const auto why = explain(
        profile_of({function("a", 1'000'000)}), profile_of({function("a", 1'000'900)}), 0.2, {});
    CHECK(why.rows.empty());
    CHECK(why.words.find("as many instructions as before (+0.1 %)") == 0);
}

TEST_CASE("A profile that goes the other way is said to disagree", "[bisect][why]") {
    const auto why =
        explain(profile_of({function("a", 1000)}), profile_of({function("a", 800)}), 0.2, {});
    REQUIRE(why.notes.size() == 1);
    CHECK(
        why.notes[0] ==
        "the profile disagrees with what was measured (+20.0 %): it executes fewer instructions");
}

TEST_CASE("Where valgrind lacks what the machine has, that may be why", "[bisect][why]") {
    auto after = profile_of({function("a", 800)});
    after.lacks_avx512 = true;
    const auto why = explain(profile_of({function("a", 1000)}), after, 0.2, {});
    REQUIRE(why.notes.size() == 1);
    CHECK(why.notes[0].find("valgrind has no AVX-512") != std::string::npos);
}

TEST_CASE("A stripped product is said, never guessed", "[bisect][why]") {
    auto before = profile_of({function("???", 600), function("main", 400)});
    before.unnamed = 600;
    auto after = profile_of({function("???", 900), function("main", 400)});
    after.unnamed = 900;
    const auto why = explain(before, after, 0.3, {});
    REQUIRE(why.notes.size() == 1);
    CHECK(why.notes[0].find("60 % of the instructions are of functions without a name") == 0);
}

TEST_CASE("A change that is spread over many functions is said to be spread", "[bisect][why]") {
    std::vector<Function> before, after;
    for (int i = 0; i < 40; ++i) {
        before.push_back(function("f" + std::to_string(i), 1000));
        after.push_back(function("f" + std::to_string(i), 1100));
    }
    const auto why = explain(profile_of(before), profile_of(after), 0.1, {});
    CHECK(why.rows.size() == max_rows);
    CHECK(
        why.words ==
        "+10.0 % instructions, spread over many functions: the first 10 rows are 25 % of it");
}

TEST_CASE("A loop that ran less often because it is slower is told for as many", "[bisect][why]") {
    const auto before = profile_of(
        {function("loop", 100, 1), function("parse", 10'000, 1000), function("sum", 9'900, 1000)});
    // Half as often, and parse takes twice as much each time.
    const auto after = profile_of(
        {function("loop", 100, 1), function("parse", 10'000, 500), function("sum", 4'950, 500)});
    const auto why = explain(before, after, 0.5, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].function == "parse");
    CHECK(why.rows[0].after == 20'000);
    CHECK(why.rows[0].calls_after == 1000);
    REQUIRE(why.notes.size() == 1);
    CHECK(why.notes[0].find("its loop ran 0.50 times as often as before") == 0);
}

TEST_CASE("A program that does everything twice is not taken for a longer loop", "[bisect][why]") {
    const auto why = explain(
        profile_of({function("parse", 1000, 100), function("sum", 1000, 100)}),
        profile_of({function("parse", 2000, 200), function("sum", 2000, 200)}),
        1.0,
        {});
    CHECK(why.rows.size() == 2);
    CHECK(why.notes.empty());
}

TEST_CASE("Costs of any size have a sum", "[bisect][why]") {
    constexpr auto most = profile::most_cost;
    std::vector<Function> many;
    for (int i = 0; i < 2000; ++i) many.push_back(function("f" + std::to_string(i), most, most));
    auto before = profile_of({function("f1", 1, most)});
    Profile after;
    after.total = most;
    after.functions = many;
    CHECK(explain(before, after, 0.1, {}).after <= most);
    after.functions = {function("f1", most, 1)};
    CHECK(explain(before, after, 0.1, {}).after <= most);
}

TEST_CASE("Memory is told in bytes and blocks, with its own words", "[bisect][why]") {
    auto before = profile_of({function("shop::fill", 1000, 2), function("main", 50)});
    auto after = profile_of({function("fill", 3000, 7), function("main", 50)});
    before.unit = after.unit = profile::CostUnit::peak_bytes;
    before.functions[0].file = after.functions[0].file = "src/fill.cpp";
    const auto why = explain(before, after, 0.9, {"src/fill.cpp"});
    CHECK(why.unit == profile::CostUnit::peak_bytes);
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].before == 1000);  // inlined on one side, it has no scope there
    CHECK(why.rows[0].after == 3000);
    CHECK(why.rows[0].calls_after == 7);
    CHECK(why.rows[0].touched);
    CHECK(why.words == "this row is 100 % of the +190.5 % bytes at the peak");
}

TEST_CASE("Memory that malloc does not know is said", "[bisect][why]") {
    auto before = profile_of({function("fill", 1000)});
    auto after = profile_of({function("fill", 1001)});
    before.unit = after.unit = profile::CostUnit::peak_bytes;
    before.allocated = 1000;
    after.allocated = 2000;
    const auto why = explain(before, after, 0.3, {});
    CHECK(why.rows.empty());
    CHECK_THAT(
        why.words,
        Catch::Contains("as many bytes of malloc and new") && Catch::Contains("+100.0 %") &&
            Catch::Contains("mapped files"));
    after.unit = profile::CostUnit::instructions;
    CHECK_THROWS_AS(explain(before, after, 0.3, {}), Error);
}

TEST_CASE("A side that marks what it measures is not compared with a whole run", "[bisect][why]") {
    const auto whole = profile_of({function("main", 5000), function("sort", 1000)});
    auto marked = profile_of({function("sort", 1500)});
    marked.is_marked = true;
    const auto why = explain(whole, marked, 0.5, {});
    CHECK(why.rows.empty());
    CHECK(why.words.find("not comparable: after marks what it measures") == 0);
    const auto both = explain(marked, marked, 0.5, {});
    REQUIRE_FALSE(both.notes.empty());
    CHECK(both.notes[0] == "only what the benchmark marks is counted, not its start and end");
}

TEST_CASE("Sides whose iterations are known are told for as many", "[bisect][why]") {
    auto before = profile_of({function("step", 5000, 5)});
    before.iterations = 5;
    auto after = profile_of({function("step", 3000, 2)});
    after.iterations = 2;
    const auto why = explain(before, after, 0, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].after == 7500);
}

TEST_CASE("Runs that were cut are compared where they repeat one thing", "[bisect][why]") {
    auto before = profile_of({function("parse", 10'000, 1000), function("sum", 9'900, 1000)});
    auto after = profile_of({function("parse", 13'000, 650), function("sum", 6'435, 650)});
    before.cut_after_s = after.cut_after_s = 300;
    const auto why = explain(before, after, 0.5, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].after == 20'000);
    REQUIRE(why.notes.size() == 2);
    CHECK(why.notes[0] == "both sides did not end under callgrind, and were cut after 5 min 00 s");
    CHECK(why.notes[1].find("its loop ran 0.65 times") == 0);

    // Different phases of one long run.
    auto other = profile_of({function("load", 20'000, 1), function("sum", 10, 20)});
    other.cut_after_s = 300;
    const auto none = explain(before, other, 0.5, {});
    CHECK(none.rows.empty());
    CHECK(none.words.find("not comparable: a run was cut") == 0);
}

TEST_CASE("An interpreted program is said to be one, with what helps", "[bisect][why]") {
    auto before = profile_of({function("_PyEval_EvalFrameDefault", 1000)});
    auto after = profile_of({function("_PyEval_EvalFrameDefault", 1500)});
    before.interpreter = after.interpreter = "python3.11";
    const auto why = explain(before, after, 0.5, {});
    CHECK(why.rows.size() == 1);
    REQUIRE(why.notes.size() == 1);
    CHECK(why.notes[0].find("python3.11 runs it: the rows are functions of python3.11") == 0);
    CHECK(why.notes[0].find("cProfile") != std::string::npos);
}

namespace {

Function operation(const std::string& name, std::int64_t ns, const std::string& shapes) {
    Function one;
    one.name = "aten::" + name;
    one.cost = ns;
    one.calls = 1;
    one.bytes = ns / 2;
    one.shapes = {shapes};
    return one;
}

Profile operators_of(std::vector<Function> operators) {
    auto all = profile_of(std::move(operators));
    all.unit = profile::CostUnit::operator_ns;
    return all;
}

}  // namespace

TEST_CASE("An operator that is called in place of another is one row", "[bisect][why]") {
    const auto why = explain(
        operators_of(
            {operation("mkldnn_convolution", 1000, "1x3x8x8"), operation("relu", 100, "1x4x8x8")}),
        operators_of(
            {operation("thnn_conv2d", 5000, "1x3x8x8"), operation("relu", 100, "1x4x8x8")}),
        3,
        {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].function == "aten::thnn_conv2d");
    CHECK(why.rows[0].in_place_of == "aten::mkldnn_convolution");
    CHECK(why.rows[0].before == 1000);
    CHECK(why.rows[0].after == 5000);
    CHECK(why.rows[0].share == Approx(1));
    CHECK(why.rows[0].shapes_after == std::vector<std::string>{"1x3x8x8"});
    CHECK(why.words == "this row is 100 % of the +363.6 % time of an iteration");
}

TEST_CASE("Times that only scatter are no rows", "[bisect][why]") {
    std::vector<Function> before, after;
    for (int i = 0; i < 10; ++i) {
        const std::string name(1, static_cast<char>('a' + i));
        before.push_back(operation(name, 1000, "2x2"));
        after.push_back(operation(name, 1000 + (i % 2 == 0 ? 30 : -30), "2x2"));
    }
    after[3].cost = 2000;
    const auto why = explain(operators_of(before), operators_of(after), 0.1, {});
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].function == "aten::d");
    const auto same = explain(operators_of(before), operators_of(before), 0.1, {});
    CHECK(same.rows.empty());
    CHECK_THAT(same.words, Catch::Contains("as much time of an iteration as before"));
}

TEST_CASE(
    "What other profilers say stands beside the first, and why one says nothing", "[bisect][why]") {
    CHECK_FALSE(one_of({}, "no valgrind"));
    profile::Why first, second;
    first.words = "one";
    second.words = "two";
    const auto both = one_of({first, second}, "");
    REQUIRE(both);
    CHECK(both->words == "one");
    REQUIRE(both->beside.size() == 1);
    CHECK(both->beside[0].words == "two");
    CHECK(both->notes.empty());
    CHECK(
        one_of({first}, "no valgrind")->notes ==
        std::vector<std::string>{"not profiled in another way: no valgrind"});
}
