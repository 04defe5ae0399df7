#include <catch2/catch.hpp>

#include "service/report/render/sections.hpp"
#include "tests/unit/service/report/example_facts.hpp"

namespace vigil::service {
namespace {

using Catch::Contains;

RegressionFacts index_facts() {
    RegressionFacts facts = example_facts();
    facts.culprit.reset();
    facts.good.version = "2.9.0.dev20250101";
    facts.bad.version = "2.9.0.dev20250102";
    auto& how = facts.reproduction;
    how.source = SourceKind::http_index;
    how.index = "https://download.example.org/whl/nightly";
    how.package = "torch";
    how.recipe.commands.clear();
    how.benchmark->kind = BenchmarkKind::command;
    how.benchmark->command = {"python3", "bench.py"};
    return facts;
}

TEST_CASE("Nights of an index are fetched by their versions", "[service][report]") {
    RegressionFacts facts = index_facts();
    const auto wheels = reproduction_script(facts);
    CHECK_THAT(
        wheels,
        Contains("pip download --quiet --pre --no-deps --dest") &&
            Contains("--index-url https://download.example.org/whl/nightly torch==\"$1\"") &&
            Contains("fetch 2.9.0.dev20250101 good") && Contains("run() { (cd \"$1\"; echo"));
    facts.reproduction.has_more_packages = true;
    CHECK_THAT(reproduction_script(facts), !Contains("--no-deps"));
    facts.reproduction.layout = IndexLayout::archives;
    CHECK_THAT(
        reproduction_script(facts),
        Contains("https://download.example.org/whl/nightly/torch-\"${version//+/%2B}.zip\""));
}

TEST_CASE("What callgrind counted is shown by callgrind", "[service][report]") {
    RegressionFacts facts = index_facts();
    CHECK_THAT(reproduction_script(facts), Contains("# compares "));
    facts.reproduction.benchmark->callgrind = true;
    facts.series = {example_series(1, "sort", Metric::callgrind_instructions, 5e7, 0.004)};
    const auto script = reproduction_script(facts);
    CHECK_THAT(
        script,
        Contains("timed valgrind --tool=callgrind --trace-children=yes") &&
            Contains("/dev/null python3 bench.py") && !Contains("# compares "));
    CHECK_THAT(verdict_section(facts), Contains("more instructions by callgrind"));
}

TEST_CASE("Of several local versions the measured one is fetched", "[service][report]") {
    RegressionFacts facts = index_facts();
    facts.reproduction.benchmark->folder = "cu126";
    CHECK_THAT(
        reproduction_script(facts),
        Contains("mkdir -p \"$2\"/cu126;") && Contains("torch==\"$1\"+cu126") &&
            Contains("run() { (cd \"$1\"/cu126; echo"));
    facts.reproduction.benchmark->kind = BenchmarkKind::torch;
    CHECK_THAT(
        reproduction_script(facts),
        Contains("--provide-bench \"$1\"/cu126 --") && Contains("\"$(cat \"../../$1.bench\")\""));
}

}  // namespace
}  // namespace vigil::service
