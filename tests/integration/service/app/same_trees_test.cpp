#include <catch2/catch.hpp>

#include "schema/archive/archive.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/jobs.hpp"
#include "supply_scene.hpp"

namespace vigil::service {
namespace {

/// A project of archives whose revisions are built by the archives' recipe, or by another one.
struct SameTreeScene {
    SupplyScene scene;
    ProductKey of_archive{{}, {}, "gcc"};
    BuildId source;

    SameTreeScene(const std::string& archived, const std::string& source_command) {
        Config changed = scene.config.now();
        auto& project = changed.projects["demo"];
        project.name = "demo";
        project.source.kind = SourceKind::directory;
        project.source.path = (scene.scratch / "drop").string();
        project.source.repository = scene.origin.folder().string();
        project.recipe.commands = {{"make"}};
        project.recipe.outputs = {"out"};
        project.source_recipe = project.recipe;
        project.source_recipe->commands = {{source_command}};
        of_archive.recipe = wire::digest_of(project.recipe);
        scene.config.replace(std::move(changed));
        scene.add_supply("demo");
        const auto archive = put(archived);
        auto db = Database::open_writer(scene.ledger());
        const auto id = *db.find<ProjectId>("SELECT id FROM project");
        const auto revision = scene.origin.revision("HEAD");
        of_archive.build = ensure_archive_build(db, id, revision, archive, 1);
        BuildOutcome built;
        built.product = wire::sha256("product");
        note_product(db, of_archive, built, 1);
        source = ensure_source_build(db, id, revision, 1);
        NewJob job;
        job.project = id;
        job.machine_class = ensure_machine_class(db, "small");
        job.builds = {source};
        add_job(db, job, 1);
    }

    Digest put(const std::string& text) {
        const auto tree = scene.scratch / "tree";
        std::filesystem::create_directories(tree);
        std::ofstream(tree / "a") << text;
        ContentStore content(scene.scratch / "state/content");
        const auto file = content.temporary_path();
        archive::pack_folder(tree, {"a"}, file);
        const auto digest = wire::sha256_file(file);
        content.adopt(file, digest);
        return digest;
    }

    std::optional<Digest> product() {
        scene.play_until([&](Database& db) {
            return db.has("SELECT 1 FROM build WHERE id = ?1 AND input_digest IS NOT NULL", source);
        });
        auto db = Database::open_reader(scene.ledger());
        return find_product(db, {source, of_archive.recipe, "gcc"});
    }
};

TEST_CASE("A source that equals its archive is not built again", "[service][app]") {
    SameTreeScene same("1", "make");
    CHECK(same.product() == wire::sha256("product"));
}

TEST_CASE("A source that differs from its archive is built", "[service][app]") {
    SameTreeScene other_tree("2", "make");
    CHECK_FALSE(other_tree.product());
    SameTreeScene other_recipe("1", "make all");
    CHECK_FALSE(other_recipe.product());
}

TEST_CASE("A source whose archive is not kept is built", "[service][app]") {
    SameTreeScene same("1", "make");
    ContentStore content(same.scene.scratch / "state/content");
    for (const auto& one : content.list()) content.remove(one);
    CHECK_FALSE(same.product());
}

}  // namespace
}  // namespace vigil::service
