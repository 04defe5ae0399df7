#include <string>

#include <catch2/catch.hpp>

#include "service/report/render/render_regression.hpp"
#include "tests/unit/service/report/example_facts.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("One line under the verdict says what a revert would do", "[service][report]") {
    RegressionFacts facts = example_facts();
    facts.revert = RevertCheck{};
    const auto before = render_regression(facts).body;
    CHECK_FALSE(holds(before, "revert on"));  // it is not known yet
    facts.revert->outcome = RevertOutcome::conflicts;
    facts.revert->head = example_revision(3);
    facts.revert->conflicts = {"<img> @all.cpp"};
    facts.revert->conflicting = 1;
    const auto body = render_regression(facts).body;
    const auto at = body.find("A revert on today's head (");
    REQUIRE(at != body.npos);
    CHECK(at < body.find("###"));
    CHECK(holds(body, "does not apply: conflicts in 1 file ("));
    CHECK_FALSE(holds(body, "<img>"));
    CHECK_FALSE(holds(body, " @all"));
}

TEST_CASE(
    "The functions that execute more stand in three rows, the rest folded", "[service][report]") {
    RegressionFacts facts = example_facts();
    CHECK_FALSE(holds(render_regression(facts).body, "Why it is slower"));
    facts.why = RegressionWhy{};
    facts.why->state = WhyState::waiting;
    CHECK(holds(render_regression(facts).body, "then this report is completed"));
    facts.why->state = WhyState::done;
    facts.why->message = "worker w has no valgrind";
    CHECK(holds(render_regression(facts).body, "Not known: worker w has no valgrind."));
    profile::Why found;
    found.before = 1000;
    found.after = 1500;
    found.words = "these 2 rows are 90 % of it";
    for (int i = 0; i < 5; ++i) {
        found.rows.push_back(
            {"f" + std::to_string(i) + "(`a | b`, <img> @all)",
             "src/<!-- -->f.cpp",
             100,
             200,
             0.2,
             1,
             2,
             i == 0,
             {},
             ""});
    }
    found.notes = {"the product is stripped"};
    facts.why->found = found;
    const auto body = render_regression(facts).body;
    const auto at = body.find("### Why it is slower\n\nThese 2 rows are 90 % of it. One run of");
    REQUIRE(at != body.npos);
    CHECK(body.find("### What is worse") < at);
    const auto fold = body.find("<summary>2 more functions</summary>", at);
    REQUIRE(fold != body.npos);
    CHECK(body.find("f2(", at) < fold);
    CHECK(body.find("f3(", at) > fold);
    CHECK(holds(body, "f.cpp`, **changed by the culprit** | 100 | 200 | 20 % | 1 -> 2 |"));
    CHECK(holds(body, "- the product is stripped."));
    CHECK_FALSE(holds(body, "@all)"));
    CHECK_FALSE(holds(body, "<img>"));
    CHECK_FALSE(holds(body, "src/<!--"));
}

TEST_CASE("Memory is told as memory", "[service][report]") {
    RegressionFacts facts = example_facts();
    facts.why = RegressionWhy{};
    facts.why->state = WhyState::done;
    profile::Why found;
    found.unit = profile::CostUnit::peak_bytes;
    found.before = 1 << 20;
    found.after = 3 << 20;
    found.words = "this row is 90 % of it";
    found.rows.push_back({"fill", "src/fill.cpp", 1 << 19, 2 << 20, 0.9, 1, 2, true, {}, ""});
    facts.why->found = found;
    const auto body = render_regression(facts).body;
    CHECK(holds(body, "### Why it takes more memory"));
    CHECK(holds(body, "under dhat had at most 1.000 MiB and 3.000 MiB of malloc and new in use."));
    CHECK(holds(body, "| Share of the change | Blocks |"));
    CHECK(holds(body, "| 512.0 KiB | 2.000 MiB | 90 % | 1 -> 2 |"));
}

TEST_CASE("Time and memory have three open rows each, the rest folded", "[service][report]") {
    RegressionFacts facts = example_facts();
    facts.why = RegressionWhy{};
    facts.why->state = WhyState::done;
    profile::Why time;
    time.words = "these rows are 80 % of it";
    profile::Why memory;
    memory.unit = profile::CostUnit::peak_bytes;
    memory.words = "these rows are 90 % of it";
    for (int i = 0; i < 4; ++i) {
        const auto number = std::to_string(i);
        time.rows.push_back({"t" + number, "t.cpp", 1, 2, 0.2, 1, 2, false, {}, ""});
        memory.rows.push_back({"m" + number, "m.cpp", 1, 2, 0.2, 1, 2, false, {}, ""});
    }
    profile::Why operators = time;
    operators.unit = profile::CostUnit::operator_ns;
    time.beside = {memory, operators};
    facts.why->found = time;
    const auto body = render_regression(facts).body;
    const auto slower = body.find("### Why it is slower\n\nThese rows are 80 % of it.");
    const auto folded = body.find("<summary>By operator, by vigil-bench</summary>");
    const auto larger = body.find("### Why it takes more memory\n\nThese rows are 90 % of it.");
    REQUIRE(slower != body.npos);
    REQUIRE(folded != body.npos);
    REQUIRE(larger != body.npos);
    CHECK(slower < folded);
    CHECK(folded < larger);
    const auto more = body.find("<summary>1 more function</summary>", larger);
    REQUIRE(more != body.npos);
    CHECK(body.find("| `m2` |", larger) < more);
    CHECK(body.find("| `m3` |", larger) > more);
}

TEST_CASE(
    "Operators have their shapes, and functions are folded beside them", "[service][report]") {
    RegressionFacts facts = example_facts();
    facts.why = RegressionWhy{};
    facts.why->state = WhyState::done;
    profile::Why found;
    found.unit = profile::CostUnit::operator_ns;
    found.before = 1'000'000;
    found.after = 3'000'000;
    found.words = "this row is 90 % of it";
    profile::WhyRow row;
    row.function = "aten::thnn_conv2d";
    row.in_place_of = "aten::mkldnn|@all";
    row.shapes_before = row.shapes_after = {"1x3x8x8 <b>"};
    row.bytes_after = 1 << 20;
    found.rows = {row};
    profile::Why functions;
    functions.words = "these 2 rows are 80 % of it";
    functions.rows.push_back({"sort", "src/sort.cpp", 1, 2, 0.8, 1, 2, false, {}, ""});
    found.beside = {functions};
    facts.why->found = found;
    const auto body = render_regression(facts).body;
    CHECK(holds(body, "By LibTorch's recording hooks, an iteration took 1.000 ms and 3.000 ms."));
    CHECK(holds(body, "| Operator | Shapes |"));
    CHECK(holds(body, "`aten::thnn_conv2d`, in place of `aten::mkldnn"));
    CHECK(holds(body, "asks for 0 B -> 1.000 MiB"));
    CHECK(holds(body, "<summary>By function, by callgrind</summary>"));
    CHECK(holds(body, "| `sort` | `src/sort.cpp` |"));
    CHECK_FALSE(holds(body, "@all"));
    CHECK_FALSE(holds(body, "<b>"));
}

TEST_CASE("Long names of many rows leave room for the rest of a report", "[service][report]") {
    RegressionFacts facts = example_facts();
    facts.why = RegressionWhy{};
    facts.why->state = WhyState::done;
    const std::string name(1000, 'n');
    profile::Why found;
    found.words = "these rows are 90 % of it";
    profile::WhyRow row{name, name, 1, 2, 0.03, 1, 2, true, {name, name, name}, name};
    row.line = name;
    found.rows.assign(30, row);
    found.beside.assign(4, found);
    facts.why->found = found;
    const auto body = render_regression(facts).body;
    CHECK(holds(body, "<summary>27 more functions</summary>"));
    CHECK(holds(body, " more.\n\n</details>"));
    CHECK(holds(body, "### Reproduce\n"));
    CHECK_FALSE(holds(body, "was left out here"));
}
