// Searches of nights that come as archives, held against those of a git project with the same
// commits: kinds of nights by seeds. ctest has it as archive_kinds.

#include <algorithm>
#include <iostream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::tests;

namespace {

struct Kind {
    const char* name;
    std::function<World()> world;
    std::vector<int> culprits;      ///< empty: nobody is to be named
    std::vector<int> between = {};  ///< nightlies that nobody measured
};

struct Tally {
    int right = 0;
    int wrong = 0;  ///< somebody is named who did nothing
    int open = 0;   ///< a culprit is missing
    int builds = 0;
};

World with(const std::vector<Change>& changes) {
    World world;
    world.changes = changes;
    return world;
}

std::vector<Kind> kinds() {
    const Change slow{.commit = 23, .variant = "infer", .time = 1.15};
    return {
        {"one commit", [=] { return with({slow}); }, {23}},
        {"two causes",
         [=] {
             return with({slow, {.commit = 44, .variant = "infer", .time = 1.12}});
         },
         {23, 44}},
        {"one cause, one gain",
         [=] {
             return with({slow, {.commit = 44, .variant = "infer", .time = 0.95}});
         },
         {23}},
        {"behind a broken commit",
         [=] {
             World world = with({slow});
             world.broken = {21, 31, 32};
             return world;
         },
         {23}},
        {"products that are equal",
         [=] {
             World world = with({slow});
             for (int commit = 24; commit < 60; ++commit) world.silent.insert(commit);
             return world;
         },
         {23}},
        {"memory", [] { return with({{.commit = 23, .variant = "infer", .memory = 1.2}}); }, {23}},
        {"it fails",
         [] {
             World world;
             world.crashes = {{"infer", 23}};
             return world;
         },
         {23}},
        {"noise of 3 %",
         [] {
             World world = with({{.commit = 23, .variant = "infer", .time = 1.2}});
             world.noise = 0.03;
             return world;
         },
         {23}},
        {"in a merge",
         [] {
             World world = with({{.commit = 104, .variant = "infer", .time = 1.2}});
             world.branches = {{23, 12, {101, 102, 103, 104, 105, 106}}};
             return world;
         },
         {104}},
        {"two series of one cause",
         [] {
             World world = with(
                 {{.commit = 23, .variant = "infer", .time = 1.15},
                  {.commit = 23, .variant = "train", .time = 1.2}});
             world.variants = {"infer", "train"};
             return world;
         },
         {23}},
    };
}

/// Whose archives of the nights between can still be had.
std::vector<Kind> kinds_of_four_days() {
    const Change slow{.commit = 23, .variant = "infer", .time = 1.15};
    return {
        {"good night four days old", [=] { return with({slow}); }, {23}, {15, 30, 45}},
        {"two causes in four days",
         [=] {
             return with({slow, {.commit = 44, .variant = "infer", .time = 1.12}});
         },
         {23, 44},
         {15, 30, 45}},
    };
}

/// Kinds that git has not: nobody may be named.
std::vector<Kind> archive_kinds() {
    return {
        {"only the archives differ",
         [] {
             World world;
             world.archives_move = {{60, 1.15}};
             return world;
         },
         {}},
        {"a third is of a commit",
         [] {
             World world = with({{.commit = 23, .variant = "infer", .time = 1.08}});
             world.archives_move = {{60, 1.2}};
             return world;
         },
         {}},
    };
}

Tally play(const Kind& kind, int seeds, bool archives) {
    Tally outcome;
    for (int seed = 1; seed <= seeds; ++seed) {
        World world = kind.world();
        world.seed = static_cast<std::uint32_t>(1000 + seed);
        world.archives = archives;
        const test::ScratchFolder folder;
        Fleet fleet(world, folder / "ledger");
        for (int night = 0; night < 8; ++night) fleet.night(night);
        for (const int commit : kind.between) fleet.pass_over(commit);
        fleet.night(60);
        std::vector<std::string> truth;
        for (const int culprit : kind.culprits) truth.push_back(fleet.revision(culprit));
        const auto named = fleet.culprits();
        const auto has = [](const auto& all, const auto& one) {
            return std::find(all.begin(), all.end(), one) != all.end();
        };
        const bool wrong =
            std::any_of(named.begin(), named.end(), [&](const auto& n) { return !has(truth, n); });
        const bool whole =
            std::all_of(truth.begin(), truth.end(), [&](const auto& t) { return has(named, t); });
        outcome.wrong += wrong ? 1 : 0;
        outcome.right += !wrong && whole ? 1 : 0;
        outcome.open += !wrong && !whole ? 1 : 0;
        outcome.builds += fleet.count("product", "state = 'built'");
    }
    return outcome;
}

std::string words(const Tally& outcome, int seeds) {
    return fmt::format(
        "right {:3}, wrong {}, open {:2}, builds {:5.1f}",
        outcome.right,
        outcome.wrong,
        outcome.open,
        static_cast<double>(outcome.builds) / seeds);
}

}  // namespace

TEST_CASE("Kinds of nights as archives, against git", "[.][archive-kinds]") {
    constexpr int seeds = 20;
    int wrong = 0;
    Tally archives;
    Tally git;
    auto all = kinds();
    for (auto& kind : kinds_of_four_days()) all.push_back(std::move(kind));
    for (const auto& kind : all) {
        const auto by_archives = play(kind, seeds, true);
        const auto by_git = play(kind, seeds, false);
        wrong += by_archives.wrong;
        archives.right += by_archives.right;
        git.right += by_git.right;
        std::cout << fmt::format(
            "{:26} archives: {} | git: {}\n",
            kind.name,
            words(by_archives, seeds),
            words(by_git, seeds));
    }
    for (const auto& kind : archive_kinds()) {
        const auto alone = play(kind, seeds, true);
        wrong += alone.wrong;
        std::cout << fmt::format("{:26} archives: {}\n", kind.name, words(alone, seeds));
    }
    std::cout << fmt::format("right: archives {}, git {}\n", archives.right, git.right);
    CHECK(wrong == 0);
}
