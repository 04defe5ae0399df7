#include "service/cli/init/guess.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

#include <boost/algorithm/string.hpp>

#include "schema/text/escape.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t longest_name = 64;

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

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
        found.push_back((*at)[1]);
    }
    return found;
}

/// A benchmark of Google's library that stands for itself alone, in the sources of a folder.
std::string google_benchmark(const SourceFiles& files, const std::string& folder) {
    static const std::regex alone("\\bBENCHMARK\\((\\w+)\\)\\s*;");
    for (const auto& name : files.names) {
        const bool source = name.ends_with(".cpp") || name.ends_with(".cc");
        if (!source || !name.starts_with(folder)) continue;
        const auto found = matches(files.read(name), alone);
        if (!found.empty()) return found.front();
    }
    return "";
}

void take_google(RecipeGuess& guess, const SourceFiles& files, const std::string& folder) {
    guess.format = "google_benchmark";
    guess.command += " --benchmark_format=json";
    guess.select = google_benchmark(files, folder);
    guess.about_benchmark.push_back(
        guess.select.empty()
            ? "\"samples\" needs \"select\": the name of one of the benchmarks that it prints"
            : "\"select\" names one of the benchmarks that it prints; others want entries of their "
              "own");
}

RecipeGuess guess_cmake(const SourceFiles& files) {
    RecipeGuess guess{
        .kind = "CMake",
        .commands =
            {"cmake -S . -B build -DCMAKE_BUILD_TYPE=Release", "cmake --build build --parallel 2"},
        .outputs = {"build"}};
    static const std::regex executable(
        "\\badd_executable\\s*\\(\\s*([\\w.+-]+)", std::regex::icase);
    for (const auto& name : files.names) {
        if (base_of(name) != "CMakeLists.txt") continue;
        const std::string text = files.read(name);
        for (const auto& program : matches(text, executable)) {
            if (!tells_of_measuring(program)) continue;
            guess.benchmark = program;
            guess.command = text::shell_word("build/" + folder_of(name) + program);
            const bool google = text.find("benchmark::benchmark") != std::string::npos;
            if (google) take_google(guess, files, folder_of(name));
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
    static const std::regex executable("\\bexecutable\\s*\\(\\s*'([\\w.+-]+)'");
    for (const auto& name : files.names) {
        if (base_of(name) != "meson.build") continue;
        for (const auto& program : matches(files.read(name), executable)) {
            if (!tells_of_measuring(program)) continue;
            guess.benchmark = program;
            guess.command = text::shell_word("build/" + folder_of(name) + program);
            return guess;
        }
    }
    return guess;
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
    static const std::regex script("\"(bench[\\w:-]*)\"\\s*:");
    const auto found = matches(files.read("package.json"), script);
    if (!found.empty()) {
        guess.benchmark = project_name(found.front());
        guess.command = "npm run --silent " + text::shell_word(found.front());
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
    const bool pytest = std::regex_search(text, std::regex("\\bdef test_\\w*\\([^)]*benchmark"));
    guess.command = pytest ? "python3 -m pytest -q --benchmark-only " + text::shell_word(best)
                           : "python3 " + text::shell_word(best);
    if (pytest) {
        guess.about_benchmark = {
            "pytest-benchmark decides itself how often it repeats, so that its process always "
            "takes the same time: let it print its times, one a line, with \"format\": \"lines\""};
    }
    return guess;
}

RecipeGuess guess_make(const SourceFiles& files, const std::string& file) {
    RecipeGuess guess{.kind = "Make", .commands = {"make"}, .outputs = {"."}};
    static const std::regex target("(?:^|\\n)(bench\\w*)\\s*:(?!=)");
    const auto found = matches(files.read(file), target);
    if (!found.empty()) {
        guess.benchmark = found.front();
        guess.command = "make --silent " + found.front();
    }
    return guess;
}

RecipeGuess guess_kind(const SourceFiles& files) {
    if (has(files, "CMakeLists.txt")) return guess_cmake(files);
    if (has(files, "meson.build")) return guess_meson(files);
    if (has(files, "Cargo.toml")) return guess_cargo(files);
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
