#include "service/app/self_test_repository.hpp"

#include <fstream>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/source/child.hpp"

namespace vigil::service {

namespace fs = std::filesystem;

namespace {

constexpr const char* branch = "refs/heads/main";

// A shell's own loop: it is on every machine, and each turn costs the same.
constexpr const char* program =
    "read -r turns < \"${0%/*}/turns-$1\"\n"
    "i=0\n"
    "while [ \"$i\" -lt \"$turns\" ]; do i=$((i + 1)); done\n";

const EnvironmentVariables no_settings{
    {"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CONFIG_GLOBAL", "/dev/null"}};

std::string needed_program(const std::string& name) {
    if (auto path = find_program(name)) return *path;
    throw Error(Errc::unavailable, "the self-test needs " + name + ", which is not installed");
}

ChildResult run(const Command& command, const std::atomic<bool>* stop) {
    return run_child(command, "/", no_settings, {.stop = stop});
}

std::string run_well(const Command& command, const std::atomic<bool>* stop) {
    const auto ended = run(command, stop);
    if (ended.exit_code == 0) return ended.output;
    throw Error(
        Errc::unavailable,
        "making the commits of the self-test: " + command[0] + ": " + ended.errors.substr(0, 500));
}

std::string data(const std::string& text) {
    return fmt::format("data {}\n{}\n", text.size(), text);
}

std::string file(const std::string& path, const std::string& text) {
    return "M 100644 inline " + path + "\n" + data(text);
}

}  // namespace

std::string self_test_stream(
    const std::vector<SelfTestCommit>& commits, std::int64_t now_s, bool follows) {
    std::string stream;
    const auto count = static_cast<std::int64_t>(commits.size());
    for (std::int64_t i = 0; i < count; ++i) {
        const auto& commit = commits[static_cast<std::size_t>(i)];
        stream += fmt::format(
            "commit {}\ncommitter Vigil self-test <self-test@localhost> {} +0000\n",
            branch,
            now_s - count + i);
        stream += data(commit.subject);
        if (i == 0 && follows) stream += fmt::format("from {}^0\n", branch);
        stream += file("work/run.sh", program);
        for (std::size_t one = 0; one < commit.loops.size(); ++one) {
            stream += file(
                "work/turns-" + self_test_benchmark_name(one),
                std::to_string(commit.loops[one]) + "\n");
        }
        stream += file("notes.txt", commit.subject + "\n");
    }
    return stream;
}

Revision add_self_test_commits(
    const fs::path& repository,
    const std::vector<SelfTestCommit>& commits,
    std::int64_t now_s,
    const std::atomic<bool>* stop) {
    const auto git = needed_program("git");
    std::error_code unknown;
    if (!fs::exists(repository / "HEAD", unknown)) {
        run_well(
            {git, "init", "--quiet", "--bare", "--initial-branch=main", repository.string()}, stop);
    }
    const auto in_it = "--git-dir=" + repository.string();
    const bool follows =
        run({git, in_it, "rev-parse", "--quiet", "--verify", branch}, stop).exit_code == 0;
    const auto text = repository / "self-test.txt";
    std::ofstream(text) << self_test_stream(commits, now_s, follows);
    run_well(
        {needed_program("sh"),
         "-c",
         "exec \"$0\" \"$1\" fast-import --quiet < \"$2\"",
         git,
         in_it,
         text.string()},
        stop);
    std::size_t behind = 0;  // the last one, unless one is planted
    for (std::size_t i = 0; i < commits.size(); ++i) {
        if (commits[i].is_planted) behind = commits.size() - 1 - i;
    }
    const auto planted = fmt::format("{}~{}", branch, behind);
    auto said = run_well({git, in_it, "rev-parse", "--verify", planted}, stop);
    while (!said.empty() && said.back() == '\n') said.pop_back();
    return Revision(said);
}

}  // namespace vigil::service
