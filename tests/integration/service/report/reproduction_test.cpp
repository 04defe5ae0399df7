#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "schema/text/escape.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/sections.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

namespace fs = std::filesystem;

/// What a shell command prints, both streams together.
std::string output_of(const std::string& command, int& status) {
    std::string text;
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
    status = ::pclose(pipe);
    return text;
}

std::string git(const std::string& folder, const std::string& words) {
    int status = 0;
    const std::string text = output_of(
        "git -C " + folder +
            " -c user.name='Author One' -c user.email=one@example.org "
            "-c commit.gpgsign=false " +
            words,
        status);
    CAPTURE(text);
    REQUIRE(status == 0);
    return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE(
    "The command of a report builds both commits and runs them in turns", "[service][report]") {
    const test::ScratchFolder folder;
    const std::string repository = (folder.path() / "it's a repository").string();
    const std::string quoted = text::shell_word(repository);
    git(folder.path().string(), "init --quiet " + quoted);
    RegressionFacts facts;
    for (const char* speed : {"fast", "slow"}) {
        std::ofstream(repository + "/speed") << speed << "\n";
        git(quoted, "add speed");
        git(quoted, "commit --quiet -m " + std::string(speed));
        facts.suspects.push_back({});
        facts.suspects.back().position = static_cast<int>(facts.suspects.size()) - 1;
        facts.suspects.back().revision = Revision(git(quoted, "rev-parse HEAD"));
    }
    facts.culprit = facts.suspects[1].revision;
    facts.endings = {{0, 1, 1, 0, true, 0.99, "", {}}};
    auto& how = facts.reproduction;
    how.repository = GENERATE(values<std::string>({"", "file://"})) + repository;
    how.recipe.commands = {{"sh", "-c", "sed \"s/^/$GREETING /\" speed > built"}};
    how.recipe.environment = {{"GREETING", "it's"}};
    BenchmarkPlan plan;
    plan.command = {"sh", "-c", "cat built; echo \"$1 $LEVEL\"", "sh", "a b"};
    plan.environment = {{"LEVEL", "1"}};
    how.benchmark = plan;

    const std::string script = reproduction_script(facts);
    std::ofstream(folder.path() / "script") << script;
    int status = 0;
    const std::string text = output_of(
        "REPOSITORY=" + quoted + " TMPDIR=" + folder.path().string() + " bash " +
            (folder.path() / "script").string(),
        status);
    CAPTURE(script, text);
    CHECK(status == 0);
    std::string order;
    for (auto at = text.find("it's "); at != text.npos; at = text.find("it's ", at + 1)) {
        order += text.substr(at + 5, 1);
    }
    CHECK(order == "fssf");
    CHECK(text.find("a b 1\n") != std::string::npos);
    CHECK(text.find("user") != std::string::npos);

    // vigil reproduce reads each run from files of its own.
    fs::create_directories(folder.path() / "runs");
    const std::string quiet = output_of(
        "REPOSITORY=" + quoted + " TMPDIR=" + folder.path().string() + " VIGIL_RUNS=" +
            (folder.path() / "runs").string() + " bash " + (folder.path() / "script").string(),
        status);
    CHECK(status == 0);
    CHECK(quiet.find("run 4 of 4: good") != std::string::npos);
    CHECK(quiet.find("a b 1") == std::string::npos);
    CHECK_THAT(
        test::content_of(folder.path() / "runs" / "2.bad.out"),
        Catch::Contains("slow") && Catch::Contains("a b 1"));
    CHECK_THAT(test::content_of(folder.path() / "runs" / "4.good.err"), Catch::Contains("user"));

    CHECK(script.find(folder.path().string()) == std::string::npos);  // no reader has that path
    const std::string elsewhere = "cd / && bash " + (folder.path() / "script").string();
    CHECK(output_of(elsewhere, status).find("run this in a clone") != std::string::npos);
    CHECK(status != 0);
}

namespace {

/// A regression of a vigil-bench project, with a worker that says what it is asked.
struct TorchScene {
    TorchScene() {
        const std::string repository = (folder.path() / "repository").string();
        git(folder.path().string(), "init --quiet " + repository);
        git(repository, "commit --quiet --allow-empty -m empty");
        facts.good.revision = facts.bad.revision = Revision(git(repository, "rev-parse HEAD"));
        facts.reproduction.repository = repository;
        facts.reproduction.recipe.commands = {{"sh", "-c", "echo building"}};
        BenchmarkPlan plan;
        plan.kind = BenchmarkKind::torch;
        plan.command = {"--model", "mlp", "--library", "a b.so"};
        facts.reproduction.benchmark = plan;
    }

    std::string run(const std::string& worker, int& status) {
        std::ofstream(folder.path() / "script") << reproduction_script(facts);
        std::ofstream(folder.path() / "worker") << worker;
        fs::permissions(folder.path() / "worker", fs::perms::owner_all);
        return output_of(
            "REPOSITORY=" + facts.reproduction.repository + " TMPDIR=" + folder.path().string() +
                " VIGIL_WORKER=" + folder.path().string() + "/worker bash " +
                (folder.path() / "script").string(),
            status);
    }

    test::ScratchFolder folder;
    RegressionFacts facts;
};

}  // namespace

TEST_CASE("vigil-bench is compiled for each build, and runs in it", "[service][report]") {
    TorchScene scene;
    const std::string bench = (scene.folder.path() / "bench").string();
    std::ofstream(bench) << "#!/bin/sh\necho \"measured $* in ${PWD##*/}\"\n";
    fs::permissions(bench, fs::perms::owner_all);
    int status = 0;
    const auto text = scene.run(
        "#!/bin/sh\n[ $# -gt 1 ] || exit 0\necho \"asked $*\" >&2\necho " + bench + "\n", status);
    CAPTURE(text);
    CHECK(status == 0);
    for (const char* side : {"good", "bad"}) {
        const auto asked =
            "asked --provide-bench " + std::string(side) + " -- --model mlp --library a b.so\n";
        CHECK(text.find(asked) != text.npos);
        CHECK(
            text.find("measured --model mlp --library a b.so in " + std::string(side)) !=
            text.npos);
    }
}

TEST_CASE("That vigil-bench cannot be had is said before anything is built", "[service][report]") {
    TorchScene scene;
    int status = 0;
    const auto refused = scene.run("#!/bin/sh\necho 'cmake is missing' >&2; exit 1\n", status);
    CHECK(status != 0);
    CHECK(refused.find("cmake is missing") != refused.npos);
    CHECK(refused.find("building") == refused.npos);
    std::ofstream(scene.folder.path() / "script") << reproduction_script(scene.facts);
    const auto without = output_of(
        "REPOSITORY=" + scene.facts.reproduction.repository +
            " VIGIL_WORKER=/no/such/worker TMPDIR=" + scene.folder.path().string() + " bash " +
            (scene.folder.path() / "script").string(),
        status);
    CHECK(status != 0);
    CHECK(without.find("VIGIL_WORKER=PATH") != without.npos);
    CHECK(without.find("building") == without.npos);
}

TEST_CASE("The command stops when a build fails", "[service][report]") {
    const test::ScratchFolder folder;
    const std::string repository = (folder.path() / "repository").string();
    git(folder.path().string(), "init --quiet " + repository);
    git(repository, "commit --quiet --allow-empty -m empty");
    RegressionFacts facts;
    facts.good.revision = facts.bad.revision = Revision(git(repository, "rev-parse HEAD"));
    facts.reproduction.repository = repository;
    facts.reproduction.recipe.commands = {{"false"}};
    BenchmarkPlan plan;
    plan.command = {"echo", "must not run"};
    facts.reproduction.benchmark = plan;
    std::ofstream(folder.path() / "script") << reproduction_script(facts);
    int status = 0;
    const std::string text = output_of(
        "REPOSITORY=" + repository + " TMPDIR=" + folder.path().string() + " bash " +
            (folder.path() / "script").string(),
        status);
    CHECK(status != 0);
    CHECK(text.find("must not run") == std::string::npos);
}

TEST_CASE("A report starts the runs as they were launched", "[service][report]") {
    const test::ScratchFolder folder;
    RegressionFacts facts;
    facts.suspects.resize(2);
    const std::string repository = (folder.path() / "it").string();
    git(folder.path().string(), "init --quiet " + repository);
    git(repository, "commit --quiet --allow-empty -m one");
    facts.good.revision = facts.bad.revision = Revision(git(repository, "rev-parse HEAD"));
    auto& how = facts.reproduction;
    how.repository = "file://" + repository;
    BenchmarkPlan plan;
    plan.command = {
        "sh", "-c", "grep Cpus_allowed_list /proc/self/status; echo $OMP_NUM_THREADS $LD_PRELOAD"};
    plan.launch.emplace().cores = "0";
    plan.launch->openmp.threads = 3;
    how.benchmark = plan;
    const auto run = [&](int& status) {
        std::ofstream(folder.path() / "script") << reproduction_script(facts);
        return output_of(
            "REPOSITORY=" + repository + " TMPDIR=" + folder.path().string() + " bash " +
                (folder.path() / "script").string(),
            status);
    };
    int status = 0;
    const auto text = run(status);
    CAPTURE(reproduction_script(facts), text);
    CHECK(status == 0);
    CHECK(text.find("Cpus_allowed_list:\t0\n3\n") != text.npos);

    how.benchmark->launch->allocator = Allocator::tcmalloc;
    const auto loaded = run(status);
    CAPTURE(loaded);
    const bool refused = loaded.find("apt-get install libtcmalloc-minimal4") != loaded.npos;
    CHECK((refused || loaded.find("libtcmalloc") != loaded.npos));
    CHECK((status != 0) == refused);

    how.benchmark->launch.emplace().profile = LaunchProfile::xeon_socket;
    std::ofstream(folder.path() / "script") << reproduction_script(facts);
    CHECK(output_of("bash -n " + (folder.path() / "script").string(), status).empty());
    CHECK(status == 0);
    const auto script = reproduction_script(facts);
    for (const auto* part :
         {"0-$((cores - 1))", "--membind=0", "libjemalloc.so.2", "KMP_AFFINITY"}) {
        CHECK(script.find(part) != script.npos);
    }
}
