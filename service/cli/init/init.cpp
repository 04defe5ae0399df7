#include "service/cli/init/init.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/common/display.hpp"
#include "service/cli/init/listed.hpp"
#include "service/cli/init/text.hpp"

namespace vigil::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 50'000;   // of a repository, looked at
constexpr std::size_t most_bytes = 1 << 20;  // of one of them
constexpr const char* usual_branch = "main";

std::string beginning_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text(most_bytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

/// The root of the work tree that a folder stands in.
fs::path find_root(const fs::path& start) {
    for (fs::path folder = start;; folder = folder.parent_path()) {
        if (fs::exists(folder / ".git")) return folder;
        if (folder == folder.parent_path()) break;
    }
    throw Error(
        Errc::not_found,
        "there is no git repository at " + start.string() +
            " or above it; run vigil init where the "
            "project's sources are, or name them with --repo DIR");
}

/// .git, or where a file of that name says that it is (a worktree, a submodule).
fs::path git_folder(const fs::path& root) {
    const fs::path dot_git = root / ".git";
    if (fs::is_directory(dot_git)) return dot_git;
    std::string line = beginning_of(dot_git);
    line = line.substr(0, line.find('\n'));
    const std::string key = "gitdir: ";
    return line.starts_with(key) ? (root / line.substr(key.size())).lexically_normal() : dot_git;
}

std::string branch_of(const fs::path& root) {
    std::string head = beginning_of(git_folder(root) / "HEAD");
    head = head.substr(0, head.find('\n'));
    const std::string key = "ref: refs/heads/";
    return head.starts_with(key) ? head.substr(key.size()) : usual_branch;
}

SourceFiles files_of(const fs::path& root) {
    static const std::set<std::string> passed_over{
        ".git", "node_modules", "build", "target", "venv", ".venv", "__pycache__"};
    SourceFiles files;
    std::error_code failure;
    const auto options = fs::directory_options::skip_permission_denied;
    fs::recursive_directory_iterator walk(root, options, failure);
    for (; !failure && walk != fs::end(walk) && files.names.size() < most_files;
         walk.increment(failure)) {
        std::error_code ignored;
        if (walk->is_directory(ignored) && passed_over.contains(walk->path().filename())) {
            walk.disable_recursion_pending();
        }
        if (!walk->is_regular_file(ignored)) continue;
        files.names.push_back(walk->path().lexically_relative(root).string());
    }
    std::sort(files.names.begin(), files.names.end());
    files.read = [root](const std::string& name) { return beginning_of(root / name); };
    return files;
}

/// Nothing is written when one of them is there.
void check_free(const fs::path& folder, const std::map<std::string, std::string>& files) {
    for (const auto& [name, text] : files) {
        if (!fs::exists(fs::symlink_status(folder / name))) continue;
        throw Error(
            Errc::conflict,
            (folder / name).string() +
                " exists, and no file was written; choose another "
                "folder with --into DIR, or overwrite with --force");
    }
}

void write_file(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text << std::flush;
    if (!out)
        throw Error(Errc::unavailable, "writing " + file.string() + ": " + std::strerror(errno));
}

InitPlace place_of(const Invocation& invocation) {
    const fs::path root =
        find_root(fs::weakly_canonical(fs::absolute(invocation.get("repo", "."))));
    InitPlace place;
    place.repository = root.string();
    place.folder = invocation.has("into")
                       ? fs::absolute(invocation.get("into")).lexically_normal().string()
                       : (root / "vigil").string();
    if (place.folder.ends_with('/')) place.folder.pop_back();
    place.branch = branch_of(root);
    place.project = project_name(invocation.get("name", root.filename().string()));
    place.programs = fs::read_symlink("/proc/self/exe").parent_path().string();
    return place;
}

/// What is known of the benchmarks that the program prints; may be empty.
std::string cases_words(const RecipeGuess& guess, const ListedCases& listed) {
    if (!listed.count) return listed.why_unknown;
    if (*listed.count == 0) return guess.program + " lists no benchmark; is it the right program?";
    const auto count = static_cast<std::int64_t>(*listed.count);
    return fmt::format("It lists {}; each is a series.", text::counted(count, "benchmark"));
}

ExitCode init_repository(const Invocation& invocation, const Surroundings& world) {
    const InitPlace place = place_of(invocation);
    const RecipeGuess guess = guess_recipe(files_of(place.repository));
    const auto files = init_files(place, guess);
    if (!invocation.has("force")) check_free(place.folder, files);
    const auto listed =
        invocation.has("no-run") ? ListedCases{} : list_cases(guess, place.repository, world);
    std::error_code failure;
    fs::create_directories(place.folder, failure);
    if (failure) {
        throw Error(Errc::unavailable, "making " + place.folder + ": " + failure.message());
    }
    for (const auto& [name, text] : files) write_file(fs::path(place.folder) / name, text);
    const std::string kind = guess.kind.empty() ? "no known build system" : guess.kind;
    if (invocation.has("json")) {
        auto names = nlohmann::json::array();
        for (const auto& [name, text] : files) names.push_back(name);
        const nlohmann::json answer = {
            {"folder", place.folder},
            {"files", names},
            {"kind", guess.kind},
            {"benchmark", guess.benchmark},
            {"command", guess.command},
            {"cases", listed.count ? nlohmann::json(*listed.count) : nlohmann::json()},
            {"fill_in", guess.about_build.size() + guess.about_benchmark.size()}};
        *world.out << wire::write_json(answer) << "\n";
        return ExitCode::ok;
    }
    const auto known = cases_words(guess, listed);
    std::string words;
    for (const auto& [name, text] : files) words += (words.empty() ? "" : ", ") + name;
    *world.out << printable(fmt::format("Wrote {} into {}.", words, place.folder)) << "\n";
    *world.out << printable(fmt::format("Found: {};", kind)) << " "
               << (guess.command.empty() ? "no benchmark: fill one in"
                                         : printable("a benchmark: " + guess.command))
               << "\n"
               << (known.empty() ? "" : printable(known) + "\n") << "\n"
               << next_steps(place, guess);
    return ExitCode::ok;
}

}  // namespace

CommandSpec init_command() {
    return {
        "init",
        init_repository,
        {},
        "writes a config for the current repository, and prints the next steps",
        {{"repo", "DIR", "the repository (default: here)"},
         {"into", "DIR", "where it is written (default: vigil/ in the repository)"},
         {"name", "NAME", "name of the project (default: the repository's folder)"},
         {"force", "", "overwrites existing files"},
         {"no-run", "", "does not run the benchmark program to list its benchmarks"}},
        {"vigil init", "vigil init --repo ~/src/json --into ~/vigil-json --force"},
        "Knows CMake, Meson, Cargo, Go, Maven, npm, Python and Make, and looks for a benchmark.\n"
        "For a harness that sizes its own loop, the printed numbers are read. Unknown values are\n"
        "marked FILL IN: `vigild --check-config` lists those left.\n"
        "Ends with: 0 written; 2 the command line is wrong; 3 the folder cannot be written;\n"
        "4 there is no repository, or a file exists.\n"};
}

}  // namespace vigil::cli
