#include "schema/profile/callgrind.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "schema/profile/interpreter.hpp"
#include "schema/text/read_budget.hpp"

using namespace vigil;
using namespace vigil::profile;

namespace {

const std::string own = "/work/tree";

/// With the head that callgrind writes.
std::string file(const std::string& body) {
    return "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npositions: line\n"
           "events: Ir\nsummary: 1\n\n\n" +
           body;
}

Profile read(const std::string& body) {
    return read_callgrind({file(body)}, own);
}

const Function& find(const Profile& profile, const std::string& name) {
    for (const auto& one : profile.functions) {
        if (one.name == name) return one;
    }
    FAIL("no function " << name);
    throw std::logic_error(name);
}

}  // namespace

TEST_CASE("What compilers add to a name is cut off", "[schema][profile]") {
    CHECK(plain_name("f") == "f");
    CHECK(plain_name("f.isra.0") == "f");
    CHECK(plain_name("f.constprop.0.isra.12") == "f");
    CHECK(plain_name("f.part.3.cold") == "f");
    CHECK(plain_name("f(int) [clone .isra.0] [clone .cold]") == "f(int)");
    CHECK(plain_name("void g<int>(int)'2") == "void g<int>(int)");
    CHECK(plain_name("alloc::vec::push::h0123456789abcdef") == "alloc::vec::push");
    CHECK(plain_name("f.llvm.1234567") == "f");
    CHECK(plain_name("partial.parted") == "partial.parted");
    CHECK(plain_name("f2.0") == "f2.0");
    CHECK(plain_name(".part.3") == ".part.3");
    CHECK(
        plain_name("shop::join[abi:cxx11](std::vector<unsigned int, std::allocator<unsigned int> "
                   "> const&)") == "shop::join(std::vector<unsigned int> const&)");
    CHECK(
        plain_name("f(std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, "
                   "std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char, "
                   "std::char_traits<char>, std::allocator<char> > > >)") ==
        "f(std::vector<std::string>)");
    CHECK(plain_name("f(, std::allocator<") == "f(");
    CHECK(plain_name("") == "");
}

TEST_CASE("Costs are added up by function, compressed names are followed", "[schema][profile]") {
    const auto found = read(
        "ob=(1) /work/tree/bin/bench\nfl=(1) /work/tree/src/a.cpp\nfn=(1) main\n"
        "10 5\n+1 7\nfi=(2) /usr/include/vector\n* 3\nfe=(1)\n-4 1\n"
        "cfn=(2) sort(int)\ncalls=4 20\n12 400\n\n"
        "fn=(2)\n20 300\n21 100\n\ntotals: 416\n");
    CHECK(found.total == 416);
    REQUIRE(found.functions.size() == 2);
    const auto& sort = found.functions[0];
    CHECK(sort.name == "sort(int)");
    CHECK(sort.file == "src/a.cpp");
    CHECK(sort.cost == 400);
    CHECK(sort.calls == 4);
    CHECK(sort.called_by == std::vector<std::string>{"main"});
    CHECK(find(found, "main").cost == 16);
    CHECK(find(found, "main").calls == 0);
}

TEST_CASE("What libraries do counts for the function that asked for it", "[schema][profile]") {
    const auto found = read(
        "ob=(1) /work/tree/bench\nfl=(1) a.cpp\nfn=(1) copy\n1 10\n"
        "cob=(2) /usr/lib/libstdc++.so.6\ncfi=(2) ???\ncfn=(2) operator new(unsigned long)\n"
        "calls=3 0\n2 150\n\n"
        "ob=(2)\nfl=(2)\nfn=(2)\n0 30\n"
        "cob=(3) /usr/lib/libc.so.6\ncfi=(3) ./malloc/malloc.c\ncfn=(3) malloc\ncalls=3 0\n0 "
        "120\n\n"
        "ob=(3)\nfl=(3)\nfn=(3)\n5 120\n\n"
        "ob=(4) /usr/lib/ld.so\nfl=(4) rtld.c\nfn=(4) _dl_start\n1 1000\n");
    CHECK(found.total == 1160);
    const auto& copy = find(found, "copy");
    CHECK(copy.cost == 160);
    CHECK(copy.is_own);
    CHECK(copy.libraries == std::vector<NamedCost>{{"operator new(unsigned long)", 150}});
    CHECK(find(found, "operator new(unsigned long)").cost == 0);
    CHECK(find(found, "malloc").cost == 0);
    CHECK(find(found, "malloc").calls == 3);
    CHECK(find(found, "_dl_start").cost == 1000);
    CHECK_FALSE(find(found, "_dl_start").is_own);
}

TEST_CASE("The lines of the project that cost most are told", "[schema][profile]") {
    const auto found = read(
        "ob=(1) /work/tree/bench\nfl=(1) /work/tree/src/a.cpp\nfn=(1) main\n10 5\n+2 7\n"
        "fi=(2) /work/tree/src/a.hpp\n40 20\n+1 30\nfi=(3) /usr/include/vector\n900 500\n"
        "fe=(1)\n-888 4\n"
        "cob=(2) /usr/lib/libc.so.6\ncfi=(4) ./string/memcpy.S\ncfn=(2) memcpy\ncalls=1 +7\n"
        "* 80\ncob=(1)\ncfi=(1)\ncfn=(3) other\ncalls=1 90\n* 3\n-1 2\n\n"
        "ob=(2)\nfl=(4)\nfn=(2)\n7 80\n\nob=(1)\nfl=(1)\nfn=(3)\n90 3\n");
    CHECK(find(found, "main").cost == 648);
    // What a library does counts for the line that calls it, inlined code of the system for the
    // line before it; the program's own functions do not.
    CHECK(
        find(found, "main").lines == std::vector<NamedCost>{
                                         {"src/a.hpp:41", 530},
                                         {"src/a.cpp:12", 91},
                                         {"src/a.hpp:40", 20},
                                         {"src/a.cpp:10", 5},
                                         {"src/a.cpp:11", 2}});
    CHECK(find(found, "other").lines == std::vector<NamedCost>{{"src/a.cpp:90", 3}});
}

TEST_CASE("A library that calls the program back counts for itself", "[schema][profile]") {
    const auto found = read(
        "ob=(1) /work/tree/bench\nfl=(1) a.cpp\nfn=(1) main\n1 10\n"
        "cob=(2) /usr/lib/libc.so.6\ncfi=(2) msort.c\ncfn=(2) qsort\ncalls=1 0\n2 150\n\n"
        "ob=(2)\nfl=(2)\nfn=(2)\n0 50\n"
        "cob=(1)\ncfi=(1)\ncfn=(3) less\ncalls=9 0\n0 100\n\nob=(1)\nfl=(1)\nfn=(3)\n3 100\n");
    CHECK(find(found, "main").cost == 10);
    CHECK(find(found, "qsort").cost == 50);
    CHECK(find(found, "less").cost == 100);
    CHECK(found.total == 160);
}

TEST_CASE("A recursion counts once, whatever callgrind calls its levels", "[schema][profile]") {
    const auto found = read(
        "ob=(1) /work/tree/bench\nfl=(1) a.cpp\nfn=(1) walk\n1 10\ncfn=(2) walk'2\ncalls=5 0\n1 "
        "50\n\n"
        "fn=(2)\n1 50\ncfn=(2)\ncalls=4 0\n1 40\n");
    REQUIRE(found.functions.size() == 1);
    CHECK(found.functions[0].cost == 60);
    CHECK(found.total == 60);
}

TEST_CASE("Without an object of the program's all count as its own", "[schema][profile]") {
    const auto found = read("ob=(1) /usr/bin/python3\nfl=(1) ceval.c\nfn=(1) eval\n1 10\n");
    CHECK(find(found, "eval").is_own);
}

TEST_CASE("Several processes are one run", "[schema][profile]") {
    const auto one = file("ob=(1) /work/tree/bench\nfl=(1) a.cpp\nfn=(1) main\n1 10\n");
    const auto other = file("ob=(7) /work/tree/bench\nfl=(9) a.cpp\nfn=(3) main\n1 5\n");
    const auto found = read_callgrind({one, other}, own);
    REQUIRE(found.functions.size() == 1);
    CHECK(found.functions[0].cost == 15);
}

TEST_CASE("Instructions are found among other events", "[schema][profile]") {
    const auto found = read_callgrind(
        {"positions: instr line\nevents: Dr Ir\nob=/work/tree/b\nfl=a.c\nfn=main\n0x1 3 7 11\n"},
        own);
    CHECK(found.total == 11);
}

TEST_CASE("Functions without a name are counted", "[schema][profile]") {
    const auto found =
        read("ob=(1) /work/tree/bench\nfl=(1) ???\nfn=(1) ???\n0 70\nfn=(2) main\n0 30\n");
    CHECK(found.unnamed == 70);
    CHECK(find(found, "main").file.empty());
}

TEST_CASE("A file without costs is refused, and nonsense is skipped", "[schema][profile]") {
    CHECK_THROWS_AS(read_callgrind({}, own), Error);
    CHECK_THROWS_AS(read_callgrind({"", "hello\n=\n(\n1 2\nfn=(\ncalls=x\n9 9\n"}, own), Error);
    const auto found = read(
        "fn=(2\n1 1\nob=(1) /work/tree/b\nfn=(9)\n1 4\ncalls=5\n* -7\nfn=main\n1 "
        "99999999999999999999\n"
        "2 6\n3\n");
    CHECK(found.total == 11);
}

TEST_CASE("A hostile file takes no more than its size allows", "[schema][profile]") {
    std::string body = "ob=/work/tree/b\nfl=a\n";
    for (int i = 0; i < 200'000; ++i) body += "fn=(" + std::to_string(i) + ") x\n1 1\n";
    CHECK(read(body).total == 200'000);
    std::string many = "ob=/work/tree/b\nfl=a\n";
    for (int i = 0; i < 20'000; ++i) {
        many += "fn=f" + std::to_string(i) + "\n1 1\ncfn=f" + std::to_string(i / 2) +
                "\ncalls=1\n1 1\n";
    }
    const auto found = read(many);
    CHECK(found.functions.size() == max_functions);
    CHECK(found.total == 20'000);
}

TEST_CASE("Costs of any size have a sum", "[schema][profile]") {
    std::string body = "ob=/work/tree/b\nfl=a\n";
    const auto most = std::to_string(most_cost);
    for (int i = 0; i < 3000; ++i) {
        body += "fn=f" + std::to_string(i % 2000) + "\n1 " + most + "\n1 " + most +
                "\ncfn=f7\ncob=/lib/c\ncalls=" + most + " 1\n1 " + most + "\n";
    }
    const auto found = read(body);
    CHECK(found.total == most_cost);
    for (const auto& one : found.functions) CHECK((one.cost >= 0 && one.cost <= most_cost));
}

TEST_CASE("A line costs what its length does, however many columns are told", "[schema]") {
    std::string columns;
    for (int i = 0; i < 200'000; ++i) columns += " a";
    std::string body = "positions:" + columns + "\nevents:" + columns + " Ir\nfn=f\n";
    for (int i = 0; i < 200'000; ++i) body += "1\n";
    body += "positions: line\nevents: Ir\nob=/work/tree/b\nfn=f\n1 4\n";
    CHECK(read(body).total == 4);
}

TEST_CASE("Long names in short lines are held within the budget", "[schema][profile]") {
    std::string body = "ob=/work/tree/b\nfl=a\n";
    const std::string tail(900, 'x');
    for (int i = 0; i < 1000; ++i) {
        body += "fn=(" + std::to_string(i) + ") " + std::to_string(i) + tail + "\n1 1\n";
    }
    for (int i = 0; i < 1000; ++i) {
        body += "fn=(" + std::to_string(i) + ")\n";
        for (int k = 0; k < 1000; ++k) {
            body += "cfn=(" + std::to_string(k) + ")\ncalls=1\n1 1\n";
        }
    }
    CHECK_THROWS_AS(read(body), text::BudgetError);
}

TEST_CASE("Inlined code has its file beside the function's", "[schema][profile]") {
    const auto found = read(
        "ob=(1) /work/tree/bench\nfl=(1) /work/tree/a.cpp\nfn=(1) serve\n10 5\n"
        "fi=(2) /work/tree/mix.hpp\n3 70\nfe=(1)\n11 6\nfn=(2) other\n12 1\n");
    CHECK(find(found, "serve").inlined == std::vector<NamedCost>{{"mix.hpp", 70}});
    CHECK(find(found, "serve").cost == 81);
    CHECK(find(found, "other").inlined.empty());
}

TEST_CASE("Templates of the standard library count for who uses them", "[schema][profile]") {
    const auto found = read(
        "ob=(1) /work/tree/bench\nfl=(1) a.cpp\nfn=(1) order\n10 5\n"
        "cfn=(2) void std::__introsort_loop<int*>(int*, int*)\ncalls=2 1\n10 90\n"
        "fn=(2)\n1 90\n");
    CHECK(find(found, "order").cost == 95);
    CHECK(
        find(found, "order").libraries.at(0).name ==
        "void std::__introsort_loop<int*>(int*, int*)");
    CHECK(find(found, "void std::__introsort_loop<int*>(int*, int*)").cost == 0);
}

TEST_CASE("Interpreters are known by the names of their files", "[schema][profile]") {
    for (const char* file :
         {"/usr/bin/python3.11",
          "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0",
          "/usr/bin/node",
          "/usr/lib/jvm/java-17/lib/server/libjvm.so",
          "/usr/bin/perl",
          "/usr/bin/ruby3.1",
          "/bin/dash",
          "/usr/bin/bash",
          "lua5.4"}) {
        CAPTURE(file);
        CHECK_FALSE(interpreter_of(file).empty());
        CHECK_FALSE(profiler_for(interpreter_of(file)).empty());
    }
    for (const char* file :
         {"",
          "/",
          "/work/tree/bench",
          "/usr/bin/pythonic",
          "/work/node_modules/a.so",
          "shape",
          "/usr/lib/libc.so.6",
          "rubyish",
          "/usr/bin/shuf"}) {
        CAPTURE(file);
        CHECK(interpreter_of(file).empty());
    }
}

TEST_CASE("Who ran most of a program is said where it was an interpreter", "[schema][profile]") {
    const std::string interpreted =
        "ob=(1) /usr/bin/python3.11\nfl=(1) eval.c\nfn=(1) eval\n10 900\n"
        "ob=(2) /usr/lib/libc.so.6\nfl=(2) malloc.c\nfn=(2) malloc\n1 50\n";
    CHECK(read(interpreted).interpreter == "python3.11");
    CHECK(find_interpreter({file(interpreted)}) == "python3.11");
    CHECK(find_interpreter({"fn=(1) main\ncob=(2) /usr/bin/dash\ncfn=(3) run\n"}) == "dash");
    // A program that a shell starts.
    CHECK(read("ob=(1) /bin/dash\nfn=(1) main\n10 900\n"
               "ob=(2) /work/tree/bench\nfn=(2) work\n1 5000\n")
              .interpreter.empty());
    // What node makes of a script lies in no file.
    CHECK(
        read("ob=(1) /usr/bin/node\nfn=(1) start\n10 400\nob=(2) ???\nfn=(2) ???\n1 500\n"
             "ob=(3) /usr/lib/libc.so.6\nfn=(3) malloc\n1 300\n")
            .interpreter == "node");
    CHECK(find_interpreter({"", "ob=", "\nob=(1)"}).empty());
    // No file has such a name.
    CHECK(interpreter_of("/usr/bin/python3." + std::string(max_interpreter_bytes, '1')).empty());
}

TEST_CASE("Names take time by their length, whatever they repeat", "[schema][profile]") {
    std::string copies;
    std::string objects;
    for (int i = 0; i < 500'000; ++i) copies += ".isra";
    while (objects.size() < std::size_t{32} << 20) objects += "ob=(";
    CHECK(plain_name("f" + copies) == "f");
    CHECK(find_interpreter({objects}).empty());
}
