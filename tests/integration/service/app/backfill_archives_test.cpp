#include <fstream>

#include <catch2/catch.hpp>

#include "schema/archive/archive.hpp"
#include "schema/wire/digest.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/watch/night/backfill.hpp"
#include "supply_scene.hpp"

namespace vigil::service {
namespace {

namespace fs = std::filesystem;

/// A project whose nightlies lie in a folder.
struct ArchiveScene {
    SupplyScene supply;
    fs::path folder = supply.scratch / "drop";

    ArchiveScene() { fs::create_directory(folder); }

    void put(int night, const std::string& day) const {
        const auto name = "night-" + std::to_string(night);
        const auto tree = supply.scratch / ("tree-" + name);
        fs::create_directory(tree);
        std::ofstream(tree / "program") << name;
        archive::pack_folder(tree, {"."}, archive_of(night));
        std::ofstream(folder / (name + ".json"))
            << R"({"version": ")" << name << R"(", "day": ")" << day << R"(", "revision": ")"
            << std::string(40, static_cast<char>('0' + night)) << R"(", "archive": ")" << name
            << R"(.tar", "sha256": ")" << wire::sha256_file(archive_of(night)).str() << "\"}";
    }
    fs::path archive_of(int night) const {
        return folder / ("night-" + std::to_string(night) + ".tar");
    }

    TriggerId add() {
        Config changed = supply.config.now();
        auto& project = changed.projects["lab"];
        project.name = "lab";
        project.source.kind = SourceKind::directory;
        project.source.path = folder.string();
        BenchmarkPlan plan;
        plan.benchmark = "program";
        project.suites["all"] = {plan};
        project.matrix = {{"all", {"xeon"}}};
        supply.config.replace(std::move(changed));
        return supply.add_supply("lab");
    }
    const ProjectConfig& lab() const { return supply.config.now().projects.at("lab"); }

    std::string rows(const std::string& sql) const {
        auto db = Database::open_reader(supply.ledger());
        std::string text;
        for (const auto& row : db.all<std::string>(sql)) text += row + "\n";
        return text;
    }
};

TEST_CASE("A backfill fetches the archives that a source still offers", "[service][app]") {
    ArchiveScene scene;
    scene.put(1, "2026-03-01");  // too old
    for (const int night : {2, 3, 4, 5}) scene.put(night, "2026-05-0" + std::to_string(night));
    const auto first = scene.supply.play_until_ended(scene.add());
    CHECK(first.nightly == NightlyId{1001});
    scene.put(6, "2026-05-06");  // after the first night: it is no history
    fs::remove(scene.archive_of(3));
    std::ofstream(scene.archive_of(4)) << "something else";

    {
        auto db = Database::open_writer(scene.supply.ledger());
        request_backfill(db, scene.lab(), 30, 1000, "somebody", 1);
    }
    scene.supply.supplies.clear();
    scene.supply.add_supply("lab");
    scene.supply.play_until([&](Database& db) {
        advance_backfills(db, scene.supply.config.now(), 2);
        return db.has("SELECT 1 FROM past_archive") &&
               !db.has("SELECT 1 FROM past_archive WHERE skipped IS NULL");
    });
    CHECK(
        scene.rows("SELECT id || ' ' || version || ' ' || day || ' ' || substr(revision, 1, 3) "
                   "FROM nightly WHERE backfill_id = 1") == "998 night-2 2026-05-02 222\n");
    CHECK(scene.rows("SELECT DISTINCT purpose FROM job WHERE nightly_id = 998") == "nightly\n");
    const auto skipped = scene.rows("SELECT version || ': ' || skipped FROM past_archive");
    CHECK_THAT(skipped, Catch::Contains("night-3: taking the archive night-3.tar: there is no"));
    CHECK_THAT(skipped, Catch::Contains("night-4: taking the archive night-4.tar: its SHA-256 is"));
    CHECK(
        scene.rows("SELECT kind FROM event WHERE kind = 'backfill.skipped'") ==
        "backfill.skipped\nbackfill.skipped\n");
}

TEST_CASE("A cancelled backfill fetches nothing more", "[service][app]") {
    ArchiveScene scene;
    for (int night = 1; night <= 6; ++night) scene.put(night, "2026-05-0" + std::to_string(night));
    scene.supply.play_until_ended(scene.add());
    auto db = Database::open_writer(scene.supply.ledger());
    const auto id = request_backfill(db, scene.lab(), 30, 1000, "somebody", 1);
    record_days(
        db,
        scene.supply.config.now(),
        id,
        {{Revision(), "night-1", "2026-05-01"}, {Revision(), "night-2", "2026-05-02"}},
        2);
    const auto wanted = find_wanted_archive(db, find_project(db, "lab").value());
    REQUIRE(wanted);
    CHECK(wanted->version == "night-1");
    CHECK(cancel_backfill(db, id, "somebody", 3));
    CHECK_FALSE(find_wanted_archive(db, find_project(db, "lab").value()));
    NightlyOffer offer;
    offer.version = "night-1";
    offer.revision = Revision(std::string(40, '1'));
    offer.input_kind = InputKind::archive;
    record_archive(db, *wanted, offer, 4);
    CHECK_FALSE(db.has("SELECT 1 FROM nightly WHERE backfill_id IS NOT NULL"));
    advance_backfills(db, scene.supply.config.now(), 5);
    advance_backfills(db, scene.supply.config.now(), 6);
    CHECK(scene.rows("SELECT state FROM backfill") == "cancelled\n");
}

}  // namespace
}  // namespace vigil::service
