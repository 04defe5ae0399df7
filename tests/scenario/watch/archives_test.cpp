// Nights come as archives; what made them worse is searched among builds of their sources.

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::tests;

namespace {

/// A project whose nights are archives, for eight nights at one level and one at another.
struct Archives {
    explicit Archives(World world) : fleet(with_archives(std::move(world)), folder / "ledger") {}

    static World with_archives(World world) {
        world.archives = true;
        return world;
    }
    void measure() {
        for (int night = 0; night < 8; ++night) fleet.night(night);
        fleet.night(60);
    }
    std::string text(const std::string& sql) {
        return fleet.db().find<std::string>(sql).value_or("");
    }

    test::ScratchFolder folder;
    Fleet fleet;
};

const std::string reason = "SELECT reason FROM regression";

}  // namespace

TEST_CASE("The culprit of a pulled nightly is found by building sources", "[watch][archives]") {
    Archives lab({.seed = 41, .changes = {{.commit = 23, .variant = "infer", .time = 1.3}}});
    lab.measure();
    CHECK(lab.fleet.culprits() == std::vector{lab.fleet.revision(23)});
    CHECK(lab.fleet.count("regression") == 1);
    // The nights are archives, and what the search measured is none.
    CHECK(
        lab.fleet.count(
            "nightly n JOIN build b ON b.id = n.build_id", "b.input_kind = 'archive'") == 9);
    CHECK(
        lab.fleet.count(
            "job j JOIN job_build jb ON jb.job_id = j.id JOIN build b ON b.id = jb.build_id",
            "j.purpose IN ('probe', 'verify') AND b.input_kind = 'archive'") == 0);
    CHECK(lab.fleet.count("job", "purpose IN ('probe', 'verify')") > 0);
    CHECK(
        lab.fleet.count(
            "product p JOIN build b ON b.id = p.build_id",
            "b.input_kind = 'archive' AND p.recipe_digest IN (SELECT recipe_digest FROM product q "
            "JOIN build c ON c.id = q.build_id WHERE c.input_kind <> 'archive')") == 0);
}

TEST_CASE("The commit that a merge brought between two archives is found", "[watch][archives]") {
    World world{.seed = 45};
    world.branches = {{23, 12, {101, 102, 103, 104, 105, 106}}};
    world.changes = {{.commit = 104, .variant = "infer", .time = 1.3}};
    Archives lab(std::move(world));
    lab.measure();
    CHECK(lab.fleet.culprits() == std::vector{lab.fleet.revision(104)});
}

TEST_CASE("What the sources of two archives do not show names nobody", "[watch][archives]") {
    Archives lab({.seed = 42, .archives_move = {{60, 1.12}}});
    lab.measure();
    CHECK(lab.fleet.culprits().empty());
    CHECK(lab.text("SELECT state FROM regression") == "range");
    CHECK_THAT(lab.text(reason), Catch::Contains("look at how the nightlies are made"));
    CHECK(lab.fleet.count("suspect") == 54);
}

TEST_CASE("A part of what the archives differ by is not what they differ by", "[watch][archives]") {
    Archives lab(
        {.seed = 43,
         .changes = {{.commit = 30, .variant = "infer", .time = 1.08}},
         .archives_move = {{60, 1.3}}});
    lab.measure();
    CHECK(lab.fleet.culprits().empty());
    CHECK_THAT(lab.text(reason), Catch::Contains("look at how the nightlies are made"));
}

TEST_CASE("Suspects are listed where none of them can be built", "[watch][archives]") {
    Archives lab({.seed = 44, .changes = {{.commit = 23, .variant = "infer", .time = 1.3}}});
    SECTION("without source_recipe") {
        lab.fleet.config().projects.at("lab").source_recipe.reset();
        lab.measure();
        CHECK_THAT(lab.text(reason), Catch::Contains("source_recipe is not set"));
        CHECK(lab.fleet.count("suspect") == 54);
    }
    SECTION("without repository") {
        auto& project = lab.fleet.config().projects.at("lab");
        project.source_recipe.reset();
        project.source.repository.clear();
        lab.measure();
        CHECK_THAT(lab.text(reason), Catch::Contains("source.repository is not set"));
    }
    CHECK(lab.text("SELECT state FROM regression") == "range");
    CHECK(lab.fleet.culprits().empty());
    CHECK(lab.fleet.count("job", "state NOT IN ('done', 'cancelled', 'failed')") == 0);
}
