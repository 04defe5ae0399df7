#include "service/cli/init/guess.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <boost/algorithm/string.hpp>

#include "schema/harness/console/recognize.hpp"
#include "schema/text/escape.hpp"
#include "service/cli/init/names_in_text.hpp"

namespace vigil::cli {

namespace {

bool tells_of_measuring(const std::string& name) {
    return boost::icontains(name, "bench");
}

bool has(const SourceFiles& files, const std::string& name) {
    return std::binary_search(files.names.begin(), files.names.end(), name);
}

std::string folder_of(const std::string& name) {
    const auto slash = name.rfind('/');
    return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

std::string base_of(const std::string& name) {
    return name.substr(folder_of(name).size());
}

std::string stem_of(const std::string& name) {
    const std::string base = base_of(name);
    return base.substr(0, base.rfind('.'));
}

/// The lines that hold a text, each from that text on.
std::vector<std::string> lines_from(const std::string& text, const std::string& part) {
    std::vector<std::string> found;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
        found.push_back(text.substr(at, text.find('\n', at) - at));
    }
    return found;
}

/// What a harness prints is read, case by case: it sizes its own loop, so that the time of its
/// process says nothing.
/// @param case_arguments  by which the program runs one case; may be none
void read_harness(RecipeGuess& guess, const std::vector<std::string>& case_arguments = {}) {
    guess.format = "harness";
    guess.judged = {"wall_time_ns", "peak_process_bytes"};
    guess.has_cases = true;
    guess.case_arguments = case_arguments;
}

void take_google(RecipeGuess& guess) {
    read_harness(guess, {"--benchmark_filter=^{case}$"});
    guess.list_arguments = {"--benchmark_list_tests=true"};
    guess.command += " --benchmark_format=json";
    guess.judged = {"cpu_time_ns", "peak_process_bytes"};
}

/// By the sources of a program's folder, or the text that builds it.
void take_harness(
    RecipeGuess& guess, const SourceFiles& files, const std::string& folder, bool links_google) {
    std::optional<harness::Harness> found;
    if (links_google) found = harness::Harness::google_benchmark;
    for (const auto& name : files.names) {
        const bool source = name.ends_with(".cpp") || name.ends_with(".cc");
        if (found) break;
        if (source && name.starts_with(folder)) {
            found = harness::harness_of_source(name, files.read(name));
        }
    }
    if (found == harness::Harness::google_benchmark) return take_google(guess);
    if (!found) return;
    const bool catch2 = found == harness::Harness::catch2;
    read_harness(
        guess, catch2 ? std::vector<std::string>{"{case:catch2}"} : std::vector<std::string>{});
}

/// By the commands of a script.
void take_harness_of(RecipeGuess& guess, const std::string& script) {
    if (!harness::recognize({script, "", ""})) return;
    read_harness(guess);
}

RecipeGuess guess_cmake(const SourceFiles& files) {
    RecipeGuess guess{
        .kind = "CMake",
        .commands =
            {"cmake -S . -B build -DCMAKE_BUILD_TYPE=Release", "cmake --build build --parallel 2"},
        .outputs = {"build"}};
    for (const auto& name : files.names) {
        if (base_of(name) != "CMakeLists.txt") continue;
        const std::string text = files.read(name);
        for (const auto& program :
             first_arguments(text, "add_executable", "", Letters::of_any_case)) {
            if (!tells_of_measuring(program)) continue;
            guess.benchmark = program;
            guess.program = "build/" + folder_of(name) + program;
            guess.command = text::shell_word(guess.program);
            const bool google = text.find("benchmark::benchmark") != std::string::npos;
            take_harness(guess, files, folder_of(name), google);
            return guess;
        }
    }
    return guess;
}

RecipeGuess guess_meson(const SourceFiles& files) {
    RecipeGuess guess{
        .kind = "Meson",
        .commands = {"meson setup build --buildtype=release", "meson compile -C build -j 2"},
        .outputs = {"build"}};
    for (const auto& name : files.names) {
        if (base_of(name) != "meson.build") continue;
        const std::string text = files.read(name);
        for (const auto& program : first_arguments(text, "executable", "'")) {
            if (!tells_of_measuring(program)) continue;
            guess.benchmark = program;
            guess.program = "build/" + folder_of(name) + program;
            guess.command = text::shell_word(guess.program);
            const bool google = text.find("dependency('benchmark'") != std::string::npos;
            take_harness(guess, files, folder_of(name), google);
            return guess;
        }
    }
    return guess;
}

/// criterion and Rust's own benches print what is read; others are told at their first run.
void take_cargo_bench(RecipeGuess& guess, const std::string& text, const std::string& name) {
    if (harness::harness_of_source(name, text) != harness::Harness::criterion) return;
    read_harness(guess, {"^{case}$"});
}

RecipeGuess guess_cargo(const SourceFiles& files) {
    RecipeGuess guess{
        .kind = "Cargo",
        .commands = {"cargo build --release --offline"},
        .outputs = {"target/release"},
        .about_build = {
            "builds have no network: `cargo vendor` and commit the result, and name ~/.cargo and "
            "~/.rustup in \"read_only_paths\" of the worker"}};
    for (const auto& name : files.names) {
        if (!name.starts_with("benches/") || !name.ends_with(".rs")) continue;
        guess.benchmark = stem_of(name);
        guess.commands = {
            "cargo bench --offline --no-run --bench " + text::shell_word(guess.benchmark)};
        guess.command = "$(ls -t target/release/deps/" + text::shell_word(guess.benchmark) +
                        "-* | grep -v '\\.d$' | head -n 1) --bench";
        take_cargo_bench(guess, files.read(name), name);
        return guess;
    }
    return guess;
}

/// Its test program is built, and its benchmark alone is run.
RecipeGuess guess_go(const SourceFiles& files) {
    RecipeGuess guess{
        .kind = "Go",
        .commands = {"go build ./..."},
        .outputs = {"."},
        .about_build = {
            "builds have no network: `go mod vendor` and commit the result; name the toolchain in "
            "\"read_only_paths\" of the worker where it is not the system's"}};
    for (const auto& name : files.names) {
        if (!name.ends_with("_test.go")) continue;
        const std::string text = files.read(name);
        const auto at = ("\n" + text).find("\nfunc Benchmark");  // where its line begins in `text`
        if (harness::harness_of_source(name, text) != harness::Harness::go || at == text.npos) {
            continue;
        }
        guess.benchmark = "bench";
        guess.commands = {
            "go test -c -o build/bench.test " + text::shell_word("./" + folder_of(name))};
        guess.outputs = {"build"};
        guess.command = "build/bench.test -test.run '^$' -test.bench .";
        read_harness(guess, {"-test.bench", "^{case:go}$"});
        return guess;
    }
    return guess;
}

RecipeGuess guess_maven(const SourceFiles& files) {
    RecipeGuess guess{
        .kind = "Maven",
        .commands = {"mvn --batch-mode --offline package -DskipTests"},
        .outputs = {"target"},
        .about_build = {"builds have no network: name ~/.m2 in \"read_only_paths\" of the worker"}};
    for (const auto& name : files.names) {
        const std::string text = name.ends_with(".java") ? files.read(name) : "";
        if (harness::harness_of_source(name, text) != harness::Harness::jmh) continue;
        guess.benchmark = "benchmarks";
        guess.command = "java -jar target/benchmarks.jar -bm avgt -tu ns";
        read_harness(guess, {"^{case}$"});
        return guess;
    }
    return guess;
}

RecipeGuess guess_npm(const SourceFiles& files) {
    RecipeGuess guess{.kind = "npm", .outputs = {"."}};
    if (has(files, "package-lock.json")) {
        guess.commands = {"npm ci --offline"};
        guess.about_build = {"builds have no network: npm needs its packages in the repository"};
    }
    const auto script = [](RestOfText rest, std::size_t) -> std::string {
        rest.take("\"");
        auto name = rest.name(":-");
        if (!rest.take("\"")) return "";
        rest.skip_blanks();
        return rest.at(':') ? name : "";
    };
    const auto found = names_at(files.read("package.json"), "\"bench", script);
    if (!found.empty()) {
        guess.benchmark = project_name(found.front());
        guess.command = "npm run --silent " + text::shell_word(found.front());
        const auto lines = lines_from(files.read("package.json"), '"' + found.front() + '"');
        const auto begin = lines.front().find(": \"");
        if (begin != std::string::npos) take_harness_of(guess, lines.front().substr(begin + 3));
    }
    return guess;
}

RecipeGuess guess_python(const SourceFiles& files) {
    RecipeGuess guess{.kind = "Python", .outputs = {"."}};
    std::string best;
    for (const auto& name : files.names) {
        if (!name.ends_with(".py") || !tells_of_measuring(name)) continue;
        if (base_of(name).starts_with("__")) continue;
        const bool itself = tells_of_measuring(base_of(name));
        if (best.empty() || (itself && !tells_of_measuring(base_of(best)))) best = name;
    }
    if (best.empty()) return guess;
    guess.benchmark = project_name(stem_of(best));
    const std::string text = files.read(best);
    const bool pytest =
        harness::harness_of_source(best, text) == harness::Harness::pytest_benchmark;
    guess.command = pytest ? "python3 -m pytest -q --benchmark-only " + text::shell_word(best)
                           : "python3 " + text::shell_word(best);
    if (!pytest) return guess;
    read_harness(guess);
    return guess;
}

/// The lines below a target.
std::string recipe_of(const std::string& makefile, const std::string& name) {
    auto at = ("\n" + makefile).find("\n" + name + ":");
    if (at == std::string::npos) return "";
    std::string recipe;
    for (at = makefile.find('\n', at); at != std::string::npos && makefile[at + 1] == '\t';) {
        const auto end = makefile.find('\n', at + 1);
        recipe += makefile.substr(at + 1, end - at);
        at = end;
    }
    return recipe;
}

RecipeGuess guess_make(const SourceFiles& files, const std::string& file) {
    RecipeGuess guess{.kind = "Make", .commands = {"make"}, .outputs = {"."}};
    const std::string text = files.read(file);
    const auto target = [&](RestOfText rest, std::size_t at) -> std::string {
        if (at > 0 && text[at - 1] != '\n') return "";
        auto name = rest.name("");
        rest.skip_blanks();
        return rest.take(":") && !rest.at('=') ? name : "";
    };
    const auto found = names_at(text, "bench", target);
    if (!found.empty()) {
        guess.benchmark = found.front();
        guess.command = "make --silent " + found.front();
        take_harness_of(guess, recipe_of(text, found.front()));
    }
    return guess;
}

RecipeGuess guess_kind(const SourceFiles& files) {
    if (has(files, "CMakeLists.txt")) return guess_cmake(files);
    if (has(files, "meson.build")) return guess_meson(files);
    if (has(files, "Cargo.toml")) return guess_cargo(files);
    if (has(files, "go.mod")) return guess_go(files);
    if (has(files, "pom.xml")) return guess_maven(files);
    if (has(files, "package.json")) return guess_npm(files);
    for (const char* name : {"pyproject.toml", "setup.py", "setup.cfg"}) {
        if (has(files, name)) return guess_python(files);
    }
    for (const char* name : {"GNUmakefile", "Makefile", "makefile"}) {
        if (has(files, name)) return guess_make(files, name);
    }
    return {
        .outputs = {"."},
        .about_build = {"\"commands\" build the source tree; none: nothing to build"}};
}

}  // namespace

RecipeGuess guess_recipe(const SourceFiles& files) {
    RecipeGuess guess = guess_kind(files);
    guess.benchmark = project_name(guess.benchmark);
    if (guess.command.empty()) {
        guess.about_benchmark = {"\"command\" is what is measured, run in what was built"};
    }
    return guess;
}

std::string project_name(const std::string& folder) {
    std::string name;
    for (const char c : folder) {
        const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                          std::string_view("._+=-").find(c) != std::string_view::npos;
        name += fine ? c : '-';
    }
    while (!name.empty() && std::isalnum(static_cast<unsigned char>(name.front())) == 0) {
        name.erase(0, 1);
    }
    if (name.empty()) return "project";
    return name.substr(0, longest_name);
}

}  // namespace vigil::cli
