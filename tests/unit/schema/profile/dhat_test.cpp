#include "schema/profile/dhat.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/profile/profile_json.hpp"
#include "schema/text/read_budget.hpp"

using namespace vigil;
using namespace vigil::profile;

namespace {

const std::string tree = "/work/tree";

/// What dhat writes, with its numbers that do not matter here.
std::string dhat_file(const std::string& points, const std::string& frames) {
    return "{\"dhatFileVersion\":2\n,\"mode\":\"heap\",\"verb\":\"Allocated\"\n,\"bklt\":true\n"
           ",\"pid\":7\n,\"pps\":\n[" +
           points + "]\n,\"ftbl\":\n[\"[root]\"," + frames + "]\n}\n";
}

std::string point(int peak, int blocks, const std::string& stack, int total = 0) {
    return fmt::format(
        R"({{"tb":{},"tbk":9,"tl":1,"mb":7,"mbk":1,"gb":{},"gbk":{},"eb":0,"ebk":0,"fs":[{}]}})",
        total == 0 ? peak : total,
        peak,
        blocks,
        stack);
}

const std::string usual_frames =
    R"x("0x48: operator new(unsigned long) (in /usr/libexec/valgrind/vgpreload_dhat.so)",)x"
    R"x("0x10: allocate (/usr/include/c++/12/bits/new_allocator.h:137)",)x"
    R"x("0x11: void std::vector<int>::push_back(int) (/usr/include/c++/12/bits/stl_vector.h:9)",)x"
    R"x("0x12: fill (/work/tree/src/fill.cpp:5)",)x"
    R"x("0x13: void shop::fill<int>(std::vector<int>&, int) (/work/tree/./src/fill.cpp:5)",)x"
    R"x("0x14: main (/work/tree/src/main.cpp:7)",)x"
    R"x("0x15: xmalloc (/work/tree/src/xmalloc.c:3)",)x"
    R"x("0x16: call_init (elf/./elf/dl-init.c:74)",)x"
    R"x("0x17: ??? (in /work/tree/bench)",)x"
    R"x("0x18: ??? (in /usr/lib/libx.so)")x";

Profile read_points(const std::string& points) {
    return read_dhat({dhat_file(points, usual_frames)}, tree);
}

}  // namespace

TEST_CASE("A name is cut down to what inlining leaves of it", "[schema][profile]") {
    CHECK(bare_name("main") == "main");
    CHECK(bare_name("copy(char const*)") == "copy");
    CHECK(bare_name("void shop::fill<int>(std::vector<int>&)") == "shop::fill");
    CHECK(bare_name("a::(anonymous namespace)::f(int) const") == "a::f");
    CHECK(bare_name("(anonymous namespace)::f()") == "f");
    CHECK(bare_name("std::ostream& operator<< <int>(std::ostream&, int)") == "operator<<");
    CHECK(bare_name("A::operator()(int) const") == "A::operator()");
    CHECK(bare_name("operator new[](unsigned long)") == "operator new[]");
    CHECK(bare_name("B<int>::C<long>::go") == "B::C::go");
    CHECK(
        bare_name("run(int)::{lambda(int)#1}::operator()(int) const") ==
        "run::{lambda}::operator()");
    CHECK(bare_name("<a::B as core::ops::Drop>::drop") == "drop");
    CHECK(bare_name("push_back") == "push_back");
    CHECK(bare_name("operators::f(int)") == "operators::f");
    CHECK(bare_name("???") == "???");
    CHECK(bare_name("(below main)") == "(below main)");
    CHECK(bare_name("") == "");
    CHECK(short_name("void shop::fill<int>(std::vector<int>&)") == "fill");
    CHECK(short_name("a::b::") == "a::b::");
    for (const std::string odd : {"<", ">", "(", ")", "{", "<(", "a<b", "a(<", "->", "::", " "}) {
        CHECK_NOTHROW(short_name(odd));
    }
}

TEST_CASE("Memory counts for the function that asked", "[schema][profile]") {
    const auto found = read_points(
        point(1000, 2, "1,2,3,4,6", 5000) + "," + point(300, 1, "1,2,3,5,6") + "," +
        point(40, 4, "7,6") + "," + point(8, 1, "1,8") + "," + point(0, 0, "1,6"));
    CHECK(found.unit == CostUnit::peak_bytes);
    CHECK(found.total == 1348);
    CHECK(found.allocated == 5348);
    REQUIRE(found.functions.size() == 3);
    const auto& fill = found.functions[0];
    CHECK(fill.name == "shop::fill");  // one function, inlined or not
    CHECK(fill.file == "src/fill.cpp");
    CHECK(fill.cost == 1300);
    CHECK(fill.calls == 3);
    CHECK(fill.is_own);
    CHECK(fill.libraries == std::vector<NamedCost>{{"std::vector::push_back", 1300}});
    CHECK(fill.called_by == std::vector<std::string>{"main"});
    CHECK(found.functions[1].name == "main");  // xmalloc gives what others ask for
    CHECK(found.functions[1].cost == 40);
    CHECK(found.functions[2].name == "call_init");
    CHECK_FALSE(found.functions[2].is_own);
}

TEST_CASE("Stacks are whole, the outermost function first", "[schema][profile]") {
    const auto found = read_points(point(1000, 2, "1,2,3,4,6") + "," + point(40, 4, "7,6"));
    REQUIRE(found.stacks.size() == 2);
    CHECK(found.stacks[0].cost == 1000);
    std::string names;
    for (const auto frame : found.stacks[0].frames) names += found.frames.at(frame) + " ";
    CHECK(names == "main fill push_back allocate ");
}

TEST_CASE("What has no name is counted, and said", "[schema][profile]") {
    const auto found = read_points(point(100, 1, "1,9") + "," + point(10, 1, "1,10"));
    CHECK(found.unnamed == 100);
    CHECK(found.total == 110);
}

TEST_CASE(
    "Where no file is below the product, the system's are told by their paths",
    "[schema][profile]") {
    const auto found = read_dhat(
        {dhat_file(
            point(10, 1, "1,2,3") + "," + point(20, 1, "1,4,5"),
            R"x("0x1: malloc (in /usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)",)x"
            R"x("0x2: grow (/usr/include/x.h:3)","0x3: user (/home/me/x.c:4)",)x"
            R"x("0x4: std::string::grow(int) (in /srv/bench)","0x5: other() (in /srv/bench)")x")},
        "/elsewhere");
    REQUIRE(found.functions.size() == 2);
    CHECK(found.functions[0].name == "other");
    CHECK(found.functions[1].name == "user");
    CHECK(found.functions[1].file == "/home/me/x.c");
}

TEST_CASE(
    "Peaks of several processes are added up; who was killed is left out", "[schema][profile]") {
    const auto one = dhat_file(point(100, 1, "1,4"), usual_frames);
    const auto found = read_dhat({one, one, "", one.substr(0, one.size() / 2)}, tree);
    CHECK(found.total == 200);
}

TEST_CASE("A file of dhat's is a stranger's", "[schema][profile]") {
    CHECK_THROWS_AS(read_dhat({}, tree), Error);
    for (const std::string text :
         {"",
          "hello",
          "[]",
          "7",
          "{}",
          R"({"mode":"heap"})",
          R"({"mode":"ad-hoc","ftbl":[]})",
          R"({"mode":"heap","pps":7,"ftbl":[]})",
          R"({"mode":"heap","pps":[],"ftbl":7})"}) {
        CHECK_THROWS_AS(read_dhat({text}, tree), Error);
    }
    const auto odd =
        read_points(R"(7,{},{"gb":"x","fs":[1]},{"gb":-5,"fs":[1]},{"gb":5},{"gb":5,"fs":7},)"
                    R"({"gb":3,"fs":[99999,-1,"x",4.5,null,4]},{"gb":2,"fs":[]})");
    CHECK(odd.total == 5);
    REQUIRE(odd.functions.size() == 1);
    CHECK(odd.functions[0].cost == 3);
    const auto huge =
        read_points(R"({"gb":9223372036854775807,"fs":[4]},{"gb":9007199254740992,"fs":[4]})");
    CHECK(huge.total == most_cost);
    const auto frames = read_dhat({dhat_file(point(5, 1, "1,2,3,4"), R"("", "(", "0x", 7)")}, tree);
    CHECK(frames.total == 5);
}

TEST_CASE("Reading takes time and memory by the size of the text", "[schema][profile]") {
    std::string deep = "1";
    for (int i = 0; i < 20'000; ++i) deep += ",4,5,6";
    const auto found = read_points(point(10, 1, deep));
    REQUIRE(found.stacks.size() == 1);
    CHECK(found.stacks[0].frames.size() == max_stack_frames);
    std::string many = point(1, 1, "1,4");
    for (int i = 0; i < 5'000; ++i) many += "," + point(1 + i, 1, fmt::format("1,4,{}", i % 10));
    CHECK(read_points(many).stacks.size() <= max_stacks);
    std::string ones = "1";
    for (int i = 0; i < 6'000'000; ++i) ones += ",1";
    CHECK_THROWS_AS(read_points(point(10, 1, ones)), text::BudgetError);
}

TEST_CASE(
    "A profile of memory goes over the wire, stacks as far as they fit", "[schema][profile]") {
    const auto found = read_points(
        point(1000, 2, "1,2,3,4,6") + "," + point(300, 1, "1,2,3,5,6") + "," + point(40, 4, "7,6"));
    CHECK(parse_profile(profile_text(found, 100'000)) == found);
    const auto small = profile_text(found, 1'800);
    CHECK(small.size() <= 1'800);
    const auto kept = parse_profile(small);
    CHECK(kept.total == found.total);
    CHECK(kept.stacks.size() <= found.stacks.size());
    for (const std::string odd : {"[]", "[-1]", "[1,0]", "[1,-1]", "7"}) {
        CHECK_THROWS_AS(
            parse_profile(
                R"({"functions":[],"total":1,"unnamed":0,"unit":"peak_bytes","stacks":[)" + odd +
                "]}"),
            Error);
    }
}
