#include <algorithm>
#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/cli/init/text.hpp"

using namespace vigil::cli;
using Catch::Contains;

namespace {

SourceFiles files(const std::map<std::string, std::string>& texts) {
    SourceFiles made;
    for (const auto& [name, text] : texts) made.names.push_back(name);
    made.read = [texts](const std::string& name) { return texts.at(name); };
    return made;
}

RecipeGuess guess(const std::map<std::string, std::string>& texts) {
    return guess_recipe(files(texts));
}

const InitPlace place{
    "/work/it's \"here\"/vigil", "/work/it's \"here\"", "main", "json", "/usr/bin"};

nlohmann::json config_of(const RecipeGuess& found) {
    const auto text = init_files(place, found).at("vigild.json");
    return nlohmann::json::parse(text, nullptr, true, true);
}

}  // namespace

TEST_CASE("A benchmark of a CMake project is found where CMake builds it", "[service][cli]") {
    const auto found = guess(
        {{"CMakeLists.txt", "add_executable(tool main.cpp)\nadd_subdirectory(bench)"},
         {"bench/CMakeLists.txt",
          "add_library(parts a.cpp)\nadd_executable( sort_benchmark s.cpp)"}});
    CHECK(found.kind == "CMake");
    CHECK(found.commands.front() == "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release");
    CHECK(found.benchmark == "sort_benchmark");
    CHECK(found.command == "build/bench/sort_benchmark");
    CHECK(found.format == "none");
    CHECK(found.about_benchmark.empty());
}

TEST_CASE("Google's benchmarks print JSON, and each of them is a series", "[service][cli]") {
    const std::string cmake =
        "add_executable(bench b.cpp)\ntarget_link_libraries(bench benchmark::benchmark)";
    const auto found = guess(
        {{"CMakeLists.txt", cmake},
         {"b.cpp", "BENCHMARK(BM_Many)->Arg(8);\nBENCHMARK(BM_One);\nBENCHMARK(BM_Two);"}});
    CHECK(found.command == "build/bench --benchmark_format=json");
    CHECK(found.format == "harness");
    CHECK(found.about_benchmark.empty());
    const auto benchmark = config_of(found)["projects"]["json"]["suites"]["core"]["bench"];
    CHECK(benchmark["cases"] == "all");
    CHECK(benchmark["case_arguments"] == nlohmann::json({"--benchmark_filter=^{case}$"}));
}

TEST_CASE("What a harness prints is read, never the time of its process", "[service][cli]") {
    const auto cargo = guess(
        {{"Cargo.toml", "[package]"},
         {"benches/parse.rs",
          "use criterion::Criterion;\nc.bench_function(\"parse short\", |b| b.iter(f));"}});
    CHECK(cargo.format == "harness");
    CHECK(cargo.case_arguments == std::vector<std::string>{"^{case}$"});
    CHECK(cargo.judged.front() == "wall_time_ns");
    CHECK(
        config_of(cargo)["projects"]["json"]["judged"] ==
        nlohmann::json({"wall_time_ns", "peak_process_bytes"}));
    const auto meson = guess(
        {{"meson.build", "executable('bench', 'b.cpp')"},
         {"b.cpp", "#include <benchmark/benchmark.h>\nBENCHMARK(BM_One);"}});
    CHECK(meson.format == "harness");
    CHECK(meson.has_cases);
    const auto catch2 = guess(
        {{"CMakeLists.txt", "add_executable(bench b.cpp)"},
         {"b.cpp", "#include <catch2/catch.hpp>\nTEST_CASE(\"x\") { BENCHMARK(\"y\") {}; }"}});
    CHECK(catch2.format == "harness");
    CHECK(catch2.case_arguments == std::vector<std::string>{"{case:catch2}"});
    const auto go = guess(
        {{"go.mod", "module x"},
         {"pkg/sum_test.go", "import \"testing\"\nfunc BenchmarkSum(b *testing.B) {}"}});
    CHECK(go.kind == "Go");
    CHECK(go.format == "harness");
    CHECK(go.command == "build/bench.test -test.run '^$' -test.bench .");
    CHECK(go.case_arguments.back() == "^{case:go}$");
    CHECK(go.commands.front() == "go test -c -o build/bench.test ./pkg/");
    const auto jmh = guess(
        {{"pom.xml", ""},
         {"src/main/java/x/Sums.java",
          "import org.openjdk.jmh.annotations.*;\n@Benchmark\n  public int sum() {}"}});
    CHECK(jmh.format == "harness");
    CHECK_THAT(jmh.command, Contains("-bm avgt"));
    CHECK(
        guess({{"Makefile", "bench: all\n\tgo test -bench=. ./...\nall:\n"}}).format == "harness");
    CHECK(guess({{"Makefile", "bench: all\n\t./run\nall:\n\thyperfine x\n"}}).format == "none");
    const auto npm =
        guess({{"package.json", R"({"scripts": {"bench": "hyperfine 'node a.js'"}})"}});
    CHECK(npm.format == "harness");
}

TEST_CASE("Other build systems are known by the file at the root", "[service][cli]") {
    const auto meson =
        guess({{"meson.build", "executable('app', 'a.c')\nexecutable('bench-it', 'b.c')"}});
    CHECK(meson.kind == "Meson");
    CHECK(meson.command == "build/bench-it");
    const auto cargo = guess({{"Cargo.toml", "[package]"}, {"benches/parse.rs", ""}});
    CHECK(cargo.kind == "Cargo");
    CHECK(cargo.commands.front() == "cargo bench --offline --no-run --bench parse");
    CHECK_THAT(cargo.command, Contains("target/release/deps/parse-*"));
    CHECK_FALSE(cargo.about_build.empty());
    const auto npm = guess({{"package.json", R"({"scripts": {"test": "x", "bench:all": "y"}})"}});
    CHECK(npm.kind == "npm");
    CHECK(npm.benchmark == "bench-all");
    CHECK(npm.command == "npm run --silent bench:all");
    CHECK(npm.commands.empty());
    const auto make = guess({{"Makefile", "all: x\nbench := 1\nbenchmark: all\n\t./x\n"}});
    CHECK(make.kind == "Make");
    CHECK(make.command == "make --silent benchmark");
}

TEST_CASE("A Python benchmark is a file that says so", "[service][cli]") {
    const auto plain = guess(
        {{"benchmarks/__init__.py", ""},
         {"benchmarks/common.py", ""},
         {"benchmarks/bench_parse.py", "print(1)"},
         {"pyproject.toml", ""}});
    CHECK(plain.kind == "Python");
    CHECK(plain.command == "python3 benchmarks/bench_parse.py");
    const auto pytest =
        guess({{"setup.py", ""}, {"tests/test_bench.py", "def test_parse(benchmark):\n    pass"}});
    CHECK(pytest.command == "python3 -m pytest -q --benchmark-only tests/test_bench.py");
    CHECK(pytest.format == "harness");
    CHECK(pytest.has_cases);
    CHECK(pytest.case_arguments.empty());
}

TEST_CASE("What nobody can know is marked, and fails with the mark", "[service][cli]") {
    for (const auto& found :
         {guess({}), guess({{"CMakeLists.txt", ""}}), guess({{"Makefile", ""}})}) {
        CHECK(found.command.empty());
        const auto text = init_files(place, found).at("vigild.json");
        CHECK_THAT(text, Contains("// FILL IN: \"command\""));
        const auto command =
            config_of(found)["projects"]["json"]["suites"]["core"]["start"]["command"];
        CHECK_THAT(command.get<std::string>(), Contains("FILL IN") && Contains("exit 1"));
        CHECK_THAT(next_steps(place, found), Contains("1. look at what is marked FILL IN"));
    }
    CHECK_THAT(next_steps(place, guess({{"Makefile", "bench:\n"}})), !Contains("FILL IN"));
}

TEST_CASE("Odd names of folders stay what they are in every file", "[service][cli]") {
    const auto found = guess({{"Makefile", "bench:\n"}});
    CHECK(config_of(found)["projects"]["json"]["source"]["repository"] == place.repository);
    const auto unit = init_files(place, found).at("vigild.service");
    CHECK_THAT(
        unit,
        Contains(
            R"(ExecStart="/usr/bin/vigild" --config "/work/it's \"here\"/vigil/vigild.json")"));
    CHECK_THAT(next_steps(place, found), Contains(R"('/work/it'\''s "here"/vigil/vigild.json')"));
}

TEST_CASE("A project's name is one that the config takes", "[service][cli]") {
    CHECK(project_name("json") == "json");
    CHECK(project_name("my tool (2)") == "my-tool--2-");
    CHECK(project_name(".hidden") == "hidden");
    CHECK(project_name("é") == "project");
    CHECK(project_name(std::string(100, 'x')).size() == 64);
}

TEST_CASE("Files of a stranger end no init, however long their words are", "[service][cli]") {
    const std::string blanks(400'000, ' ');
    const std::string letters(400'000, 'a');
    CHECK_NOTHROW(guess({{"CMakeLists.txt", "add_executable" + blanks + "(bench"}}));
    CHECK_NOTHROW(guess({{"package.json", "{\"bench" + letters + "\"" + blanks + ":1}"}}));
    CHECK_NOTHROW(guess({{"Makefile", "bench" + letters + blanks + ":\n"}}));
    CHECK_NOTHROW(guess({{"meson.build", "executable(" + blanks + "'" + letters}}));
}

TEST_CASE("A Go or Java benchmark is found where it is declared", "[service][cli]") {
    const auto go = guess(
        {{"go.mod", "module m\n"},
         {"m_test.go",
          "package m\nimport \"testing\"\n// func BenchmarkOld(b) is gone\n"
          "func BenchmarkNew(b *testing.B) { for i := 0; i < b.N; i++ {} }\n"}});
    CHECK(go.command == "build/bench.test -test.run '^$' -test.bench .");
    const auto java = guess(
        {{"pom.xml", "<project/>"},
         {"src/Foo.java",
          "import org.openjdk.jmh.annotations.*;\npublic class Foo {\n@Benchmark\n"
          "@BenchmarkMode(Mode.AverageTime)\npublic int work() { return 1; }\n}\n"}});
    CHECK(java.format == "harness");
}
