#include "service/cli/init/names_in_text.hpp"

#include <catch2/catch.hpp>

using namespace vigil::cli;
using Names = std::vector<std::string>;

TEST_CASE("First arguments are those of the function named", "[service][cli]") {
    const std::string text =
        "add_executable(bench_a x.cpp)\n  add_executable ( b.c+-1\n y)\nmy_add_executable(no)\n"
        "add_executable_of(no)\nadd_executable()\nadd_executable";
    CHECK(first_arguments(text, "add_executable", "") == Names{"bench_a", "b.c+-1"});
    CHECK(
        first_arguments(
            "Add_Executable(One) add_executable(two) ADD_EXECUTABLE(THREE)",
            "add_executable",
            "",
            Letters::of_any_case) == Names{"One", "two", "THREE"});
    CHECK(
        first_arguments(
            "executable('bench', 'x')\nexecutable(bench)\nexecutable('a b')", "executable", "'") ==
        Names{"bench"});
}

TEST_CASE("A name that is too long is none, and a text of any length is read", "[service][cli]") {
    const std::string longest(longest_name, 'x');
    CHECK(first_arguments("f(" + longest + ")", "f", "") == Names{longest});
    CHECK(first_arguments("f(" + longest + "x)", "f", "").empty());
    CHECK(first_arguments("f" + std::string(1'000'000, ' ') + "(x)", "f", "").empty());
    CHECK(first_arguments(std::string(1'000'000, 'f'), "f", "").empty());
}
