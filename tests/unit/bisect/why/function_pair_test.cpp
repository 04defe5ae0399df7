#include "bisect/why/function_pair.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::why;

namespace {

profile::Function with_lines(std::int64_t cost, std::vector<profile::NamedCost> lines) {
    profile::Function one;
    one.name = "serve";
    one.cost = cost;
    one.lines = std::move(lines);
    return one;
}

}  // namespace

TEST_CASE("The line that grew is told where it stands after", "[bisect][why]") {
    const auto before =
        with_lines(1000, {{"src/a.cpp:10", 600}, {"src/a.cpp:14", 100}, {"src/a.cpp:20", 90}});
    // The first moved down by two lines, and costs nearly as before.
    auto after =
        with_lines(1500, {{"src/a.cpp:12", 605}, {"src/a.cpp:16", 590}, {"src/a.cpp:22", 90}});
    CHECK(grown_line({&before, &after}) == "src/a.cpp:16");
    CHECK(grown_line({nullptr, &after}).empty());
    CHECK(grown_line({&after, &before}).empty());
    CHECK(grown_line({&before, nullptr}).empty());
    // Spread over many lines none is told.
    after.lines[1].cost = 300;
    CHECK(grown_line({&before, &after}).empty());
}
