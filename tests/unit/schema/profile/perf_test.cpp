#include "schema/profile/perf.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "schema/profile/flame.hpp"
#include "schema/profile/profile_json.hpp"
#include "schema/text/read_budget.hpp"

using namespace vigil;
using namespace vigil::profile;

namespace {

/// "|" stands for the separator.
std::string with_separators(std::string text) {
    std::ranges::replace(text, '|', perf_separator);
    return text;
}

Profile read_perf_of(const std::string& stacks, const std::string& objects) {
    return read_perf(
        {with_separators(stacks), with_separators(objects)}, "/vigil/run", "/vigil/build");
}

const Function* find_sampled(const Profile& profile, const std::string& name) {
    const auto found = std::ranges::find(profile.functions, name, &Function::name);
    return found == profile.functions.end() ? nullptr : &*found;
}

// As perf 6.1 prints it.
const std::string perf_stacks =
    "# Samples: 250  of event 'cpu-clock:u'\n"
    "#\n"
    " 100        |/vigil/run/bin/shop   |/vigil/build/src/sort.cpp      |0x1803   d [.] "
    "shop::sort(std::vector<int, std::allocator<int> >&)\n"
    "60 __libc_start_call_main|main|shop::sort(std::vector<int, std::allocator<int> >&)\n"
    "40 start_thread|shop::sort(std::vector<int, std::allocator<int> >&)\n"
    " 40         |/vigil/run/bin/shop   |/usr/include/c++/12/bits/stl_algo.h|0x1903   d [.] "
    "shop::sort(std::vector<int, std::allocator<int> >&)\n"
    "40 main|shop::sort(std::vector<int, std::allocator<int> >&)\n"
    " 70         |/usr/lib/x86_64-linux-gnu/libc.so.6|./string/memset.S|0x16e0ba D [.] "
    "__memset_avx512_unaligned_erms\n"
    "50 main|shop::fill(int)|memset_helper|__memset_avx512_unaligned_erms\n"
    "20 __memset_avx512_unaligned_erms\n"
    " 30         |/vigil/run/bin/shop   |/usr/include/c++/12/bits/stl_algo.h|0x1a03   d [.] void "
    "std::__introsort_loop<int*, long>(int*, int*, long)\n"
    "30 main|shop::sort(std::vector<int, std::allocator<int> >&)|void std::__introsort_loop<int*, "
    "long>(int*, int*, long)\n"
    " 10         |/vigil/run/bin/shop   |                    |0x1b03   ! [.] 0x0000000000001b03\n"
    "10 main|0x0000000000001b03\n"
    "\n\n#\n# (Tip: ...)\n#\n";
const std::string perf_objects =
    "# Children|Samples|...\n"
    " 0  |/vigil/run/bin/shop  |0x1 d [.] main\n"
    " 0  |/vigil/run/bin/shop  |0x1 d [.] shop::fill(int)\n"
    " 140|/vigil/run/bin/shop  |0x1 d [.] shop::sort(std::vector<int, std::allocator<int> >&)\n"
    " 30 |/vigil/run/bin/shop  |0x1 d [.] void std::__introsort_loop<int*, long>(int*, int*, "
    "long)\n"
    " 70 |/usr/lib/x86_64-linux-gnu/libc.so.6|0x1 D [.] __memset_avx512_unaligned_erms\n"
    " 0  |/usr/lib/x86_64-linux-gnu/libhelp.so|0x1 D [.] memset_helper\n";

}  // namespace

TEST_CASE("Samples count for the program's functions, by name and file", "[schema][profile]") {
    const auto profile = read_perf_of(perf_stacks, perf_objects);
    CHECK(profile.unit == CostUnit::samples);
    CHECK(profile.total == 250);
    const auto* sort = find_sampled(profile, "shop::sort(std::vector<int>&)");
    REQUIRE(sort != nullptr);
    CHECK(sort->cost == 170);  // with what the standard library does for it
    CHECK(sort->file == "src/sort.cpp");
    CHECK(sort->inlined == std::vector<NamedCost>{{"/usr/include/c++/12/bits/stl_algo.h", 40}});
    CHECK(sort->called_by == std::vector<std::string>{"main"});
    CHECK(sort->is_own);
    const auto* fill = find_sampled(profile, "shop::fill(int)");
    REQUIRE(fill != nullptr);
    CHECK(fill->cost == 50);
    CHECK(fill->libraries == std::vector<NamedCost>{{"memset_helper", 50}});
}

TEST_CASE("What no stack tells counts for the library", "[schema][profile]") {
    const auto profile = read_perf_of(perf_stacks, perf_objects);
    const auto* library = find_sampled(profile, "__memset_avx512_unaligned_erms");
    REQUIRE(library != nullptr);
    CHECK(library->cost == 20);
    CHECK_FALSE(library->is_own);
    CHECK(profile.unnamed == 10);
    CHECK(profile.interpreter.empty());
}

TEST_CASE("Whole stacks are kept, and drawn", "[schema][profile]") {
    const auto profile = read_perf_of(perf_stacks, perf_objects);
    REQUIRE_FALSE(profile.stacks.empty());
    CHECK(profile.stacks[0].cost == 60);
    CHECK(profile.frames.at(profile.stacks[0].frames.at(0)) == "__libc_start_call_main");
    std::int64_t whole = 0;
    for (const auto& one : profile.stacks) whole += one.cost;
    CHECK(whole == 230);
    CHECK(flame_svg(profile, profile, {"a", "b"}).find("sort") != std::string::npos);
    const auto again = parse_profile(profile_text(profile, 100'000));
    CHECK(again == profile);
}

TEST_CASE("Stacks that frame pointers do not make are not believed", "[schema][profile]") {
    const std::string cut =
        " 90 |/vigil/run/a |/vigil/build/a.c |0x1 d [.] f\n"
        "50 0x143204000d745f|f\n"
        "40 f\n"
        " 10 |/vigil/run/a |/vigil/build/a.c |0x1 d [.] g\n"
        "10 main|g\n";
    const auto profile =
        read_perf_of(cut, " 90 |/vigil/run/a |0x1 d [.] f\n 10 |/vigil/run/a|0x1 [.] g\n");
    CHECK(profile.total == 100);
    CHECK(profile.stacks.empty());
    REQUIRE(find_sampled(profile, "f") != nullptr);
    CHECK(find_sampled(profile, "f")->cost == 90);
    CHECK(find_sampled(profile, "f")->file == "a.c");
}

TEST_CASE(
    "An interpreter is told, and without a product all functions count", "[schema][profile]") {
    const auto profile = read_perf_of(
        " 90 |/usr/bin/python3.11 |0x1 d [.] _PyEval_EvalFrameDefault\n"
        "90 main|_PyEval_EvalFrameDefault\n"
        " 10 |/usr/lib/libz.so |0x1 d [.] inflate\n",
        " 90 |/usr/bin/python3.11 |0x1 d [.] _PyEval_EvalFrameDefault\n"
        " 0  |/usr/bin/python3.11 |0x1 d [.] main\n"
        " 10 |/usr/lib/libz.so |0x1 d [.] inflate\n");
    CHECK(profile.interpreter == "python3.11");
    REQUIRE(find_sampled(profile, "inflate") != nullptr);
    CHECK(find_sampled(profile, "inflate")->is_own);
}

TEST_CASE("What perf would not print is read within bounds", "[schema][profile]") {
    CHECK_THROWS_AS(read_perf_of("", ""), Error);
    CHECK_THROWS_AS(read_perf_of("# nothing\n\n", perf_objects), Error);
    CHECK_THROWS_AS(read_perf_of("5 main|f\n", ""), Error);  // of no entry
    // Counts that are none, too large, or more than their entry has.
    const auto odd = read_perf_of(
        " x |/a |0x1 [.] f\n -5 |/a |0x1 [.] f\n 99999999999999999999 |/a |0x1 [.] f\n"
        " 7 |/a |0x1 [.] g\n9007199254740992 main|g\n3 main|g\n3\n \n |||\n 2|a\n",
        " |||||||||||||||\n|\n \n");
    CHECK(odd.total == 7);
    REQUIRE(find_sampled(odd, "g") != nullptr);
    CHECK(find_sampled(odd, "g")->cost == 7);
    std::string deep = " 4 |/a |0x1 [.] f\n4 f";
    for (int i = 0; i < 100'000; ++i) deep += "|f";
    CHECK(find_sampled(read_perf_of(deep + "\n", ""), "f")->cost == 4);
    std::string many;
    for (int i = 0; i < 20'000; ++i) {
        many += " 1 |/a" + std::to_string(i) + " |0x1 [.] f" + std::to_string(i) + "<<<((\n";
    }
    const auto largest = read_perf_of(many, many);
    CHECK(largest.total == 20'000);
    CHECK(largest.functions.size() == max_functions);
    std::string bytes;
    for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>((i * 7919 + i / 251) % 256);
    CHECK_THROWS_AS(read_perf({" 1 " + bytes, bytes}, "/a"), Error);
}
