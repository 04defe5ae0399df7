#include "service/store/content_index.hpp"

#include <catch2/catch.hpp>

#include "schema/model/states.hpp"
#include "schema/wire/digest.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"

namespace vigil::service {
namespace {

struct Scene {
    Database db = Database::open_writer(":memory:");
    ProjectId project;
    MachineClassId machine_class;

    Scene() {
        migrate(db);
        project = ensure_project(db, "toy", 1);
        machine_class = ensure_machine_class(db, "cpu");
    }

    Digest add(const std::string& name, ContentKind kind, std::int64_t used_at_s) {
        const Digest digest = wire::sha256(name);
        record_content(db, digest, 100, kind, used_at_s);
        return digest;
    }

    // A build whose tree or archive is `input`, with a product when one is given.
    BuildId build(const Digest& input, InputKind kind, const Digest& product = Digest()) {
        db.execute(
            "INSERT INTO build(project_id, revision, input_kind, input_digest, created_at_s) "
            "VALUES (?1, ?2, ?3, ?4, 1)",
            project,
            Revision(input.str().substr(0, 40)),
            kind,
            input);
        const BuildId id{db.last_insert_id()};
        if (product.empty()) return id;
        db.execute(
            "INSERT INTO product(build_id, recipe_digest, toolchain, state, digest, duration_ns, "
            "created_at_s) VALUES (?1, 'r', 't', 'built', ?2, 1, 1)",
            id,
            product);
        return id;
    }

    void nightly(BuildId build, const std::string& version) {
        db.execute(
            "INSERT INTO nightly(project_id, build_id, version, day, revision, state, "
            "created_at_s) VALUES (?1, ?2, ?3, '2026-01-01', 'x', 'done', 1)",
            project,
            build,
            version);
    }
};

TEST_CASE("Nothing goes while there is room", "[service][store]") {
    Scene scene;
    scene.add("a", ContentKind::source, 1);
    CHECK(list_evictable(scene.db, 100).empty());
    CHECK(list_evictable(scene.db, 99).size() == 1);
}

TEST_CASE("What can be had again goes first, then the longest unused", "[service][store]") {
    Scene scene;
    const Digest archive = scene.add("archive", ContentKind::artifact, 1);
    const Digest log = scene.add("log", ContentKind::log, 2);
    const Digest product = scene.add("product", ContentKind::product, 3);
    const Digest newer = scene.add("newer", ContentKind::source, 5);
    const Digest older = scene.add("older", ContentKind::source, 4);
    CHECK(list_evictable(scene.db, 0) == std::vector{older, newer, product, log, archive});
    CHECK(list_evictable(scene.db, 300) == std::vector{older, newer});
    CHECK(list_evictable(scene.db, 0, 1) == std::vector{older});
    touch_content(scene.db, older, 9);
    CHECK(list_evictable(scene.db, 400) == std::vector{newer});
}

TEST_CASE("Content that open work needs stays, however full it is", "[service][store]") {
    Scene scene;
    const Digest tree = scene.add("tree", ContentKind::source, 1);
    const Digest product = scene.add("product", ContentKind::product, 1);
    const BuildId build = scene.build(tree, InputKind::source_tree, product);
    scene.db.execute(
        "INSERT INTO job(project_id, machine_class_id, purpose, state, priority, plan, "
        "created_at_s) VALUES (?1, ?2, 'request', 'queued', 1, '{}', 1)",
        scene.project,
        scene.machine_class);
    const JobId job{scene.db.last_insert_id()};
    scene.db.execute("INSERT INTO job_build VALUES (?1, 0, ?2)", job, build);
    CHECK(list_evictable(scene.db, 0).empty());
    scene.db.execute("UPDATE job SET state = 'leased' WHERE id = ?1", job);
    CHECK(list_evictable(scene.db, 0).empty());
    scene.db.execute("UPDATE job SET state = 'done' WHERE id = ?1", job);
    CHECK(list_evictable(scene.db, 0) == std::vector{tree, product});
}

TEST_CASE("Content of the latest nights and of baselines stays", "[service][store]") {
    Scene scene;
    std::vector<Digest> archives;
    for (int night = 0; night < nights_kept + 2; ++night) {
        const auto name = "night " + std::to_string(night);
        archives.push_back(scene.add(name, ContentKind::artifact, 1 + night));
        scene.nightly(scene.build(archives.back(), InputKind::archive), name);
    }
    CHECK(list_evictable(scene.db, 0) == std::vector{archives[0], archives[1]});
    scene.db.execute(
        "INSERT INTO series(project_id, benchmark, variant, machine_class_id, metric, definition, "
        "unit, direction) VALUES (?1, 'b', 'v', ?2, 'cpu_time_ns', 1, 'ns', 'lower_is_better')",
        scene.project,
        scene.machine_class);
    scene.db.execute(
        "INSERT INTO baseline(series_id, kind, nightly_id, reason, created_at_s) "
        "VALUES (?1, 'pinned', 1, '', 1)",
        scene.db.last_insert_id());
    CHECK(list_evictable(scene.db, 0) == std::vector{archives[1]});
}

TEST_CASE("Builds of an open session and of an open regression stay", "[service][store]") {
    Scene scene;
    const Digest a = scene.add("a", ContentKind::source, 1);
    const Digest b = scene.add("b", ContentKind::source, 2);
    const BuildId good = scene.build(a, InputKind::source_tree);
    const BuildId bad = scene.build(b, InputKind::source_tree);
    scene.nightly(bad, "n");
    for (int i = 0; i < nights_kept; ++i) {
        const auto name = "later " + std::to_string(i);
        scene.nightly(scene.build(wire::sha256(name), InputKind::archive), name);
    }
    CHECK(list_evictable(scene.db, 0) == std::vector{a, b});
    scene.db.execute(
        "INSERT INTO session(project_id, a_build_id, b_build_id, benchmark, variant, "
        "machine_class_id, nightly_id, state, created_at_s) "
        "VALUES (?1, ?2, ?3, 'b', 'v', ?4, 1, 'open', 1)",
        scene.project,
        good,
        bad,
        scene.machine_class);
    CHECK(list_evictable(scene.db, 0).empty());
    scene.db.execute("UPDATE session SET state = 'done'");
    CHECK(list_evictable(scene.db, 0).size() == 2);
    scene.db.execute(
        "INSERT INTO regression(project_id, nightly_id, state, good_build_id, bad_build_id, "
        "created_at_s, changed_at_s) VALUES (?1, 1, 'searching', ?2, ?3, 1, 1)",
        scene.project,
        good,
        bad);
    CHECK(list_evictable(scene.db, 0).empty());
    scene.db.execute("UPDATE regression SET state = 'closed'");
    CHECK(list_evictable(scene.db, 0).size() == 2);
}

TEST_CASE("Forgotten content is exported or built again when needed", "[service][store]") {
    Scene scene;
    const Digest tree = scene.add("tree", ContentKind::source, 1);
    const Digest product = scene.add("product", ContentKind::product, 1);
    const Digest archive = scene.add("archive", ContentKind::artifact, 1);
    scene.build(tree, InputKind::source_tree, product);
    const BuildId fetched = scene.build(archive, InputKind::archive);
    for (const auto& digest : list_evictable(scene.db, 0)) forget_content(scene.db, digest);
    CHECK(scene.db.find<int>("SELECT count(*) FROM content") == 0);
    CHECK(scene.db.find<int>("SELECT count(*) FROM product") == 0);
    CHECK(scene.db.find<int>("SELECT count(*) FROM build WHERE input_digest IS NULL") == 1);
    CHECK_THAT(
        *scene.db.find<std::string>("SELECT input_error FROM build WHERE id = ?1", fetched),
        Catch::Contains("removed"));
    record_content(scene.db, archive, 100, ContentKind::artifact, 9);  // offered once more
    CHECK(scene.db.find<std::string>("SELECT input_error FROM build WHERE id = ?1", fetched) == "");
}

TEST_CASE("A file that was never acknowledged is unknown", "[service][store]") {
    Scene scene;
    const Digest known = scene.add("known", ContentKind::log, 1);
    const Digest cut = wire::sha256("cut");
    CHECK(list_unknown(scene.db, {known, cut}) == std::vector{cut});
}

/// Jobs with a run each, whose logs these are.
std::vector<JobId> add_runs(Scene& scene, const std::vector<Digest>& logs) {
    std::vector<JobId> jobs;
    scene.db.execute_script("PRAGMA foreign_keys = OFF");
    for (const auto& log : logs) {
        jobs.push_back(scene.db.insert<JobId>(
            "INSERT INTO job(project_id, machine_class_id, purpose, state, priority, plan, "
            "created_at_s) VALUES (?1, ?2, 'probe', 'done', 1, '{}', 1)",
            scene.project,
            scene.machine_class));
        scene.db.execute(
            "INSERT INTO run(job_id, attempt, step, build_id, benchmark, variant, "
            "machine_class_id, worker_id, outcome, log_digest, started_at_ns, duration_ns) "
            "VALUES (?1, 1, 0, 1, 'b', 'v', 1, 1, 'passed', ?2, 1, 1)",
            jobs.back(),
            log);
    }
    return jobs;
}

TEST_CASE("What nothing has used for long goes, but for what is needed", "[service][store]") {
    constexpr std::int64_t day_s = 86'400;
    constexpr std::int64_t much_room = 1'000'000;
    Scene scene;
    const auto now_s = 100 * day_s;
    const Digest old = scene.add("old", ContentKind::product, 89 * day_s);
    const Digest newer = scene.add("newer", ContentKind::product, 91 * day_s);
    const Digest needed = scene.add("needed", ContentKind::product, day_s);
    const Digest archive = scene.add("archive", ContentKind::artifact, 2 * day_s);
    const Digest log = scene.add("log", ContentKind::log, 3 * day_s);
    const Digest evidence = scene.add("evidence", ContentKind::log, 3 * day_s);
    scene.nightly(
        scene.build(scene.add("tree", ContentKind::source, 1), InputKind::source_tree, needed),
        "v");
    const auto jobs = add_runs(scene, {log, evidence});
    scene.db.execute("UPDATE job SET probe_id = 1 WHERE id = ?1", jobs[1]);
    CHECK(drop_content(scene.db, {much_room}, now_s).empty());
    CHECK(list_unused(scene.db, ContentKind::product, 90 * day_s) == std::vector{old});
    const ContentLimits limits{
        much_room,
        {{ContentKind::artifact, 10 * day_s},
         {ContentKind::product, 10 * day_s},
         {ContentKind::log, 10 * day_s}}};
    CHECK(drop_content(scene.db, limits, now_s) == std::vector{archive, old, log});
    CHECK(drop_content(scene.db, limits, now_s).empty());
    CHECK(find_content_kind(scene.db, newer));
    CHECK(find_content_kind(scene.db, needed));
    CHECK(find_content_kind(scene.db, evidence));
}

TEST_CASE("How much went is noted by day, kind and reason", "[service][store]") {
    constexpr std::int64_t day_s = 86'400;
    Scene scene;
    const auto dropped = [&] {
        return scene.db.find<std::string>(
            "SELECT group_concat(day || ' ' || kind || ' ' || reason || ' ' || files || ' ' || "
            "bytes, '; ') FROM (SELECT * FROM dropped_content ORDER BY id)");
    };
    scene.add("a", ContentKind::product, 1);
    scene.add("b", ContentKind::product, 1);
    drop_content(scene.db, {1000, {{ContentKind::product, day_s}}}, 9 * day_s);
    scene.add("c", ContentKind::product, 1);
    drop_content(scene.db, {1000, {{ContentKind::product, day_s}}}, 9 * day_s + 5);
    scene.add("d", ContentKind::artifact, 10 * day_s);
    drop_content(scene.db, {0}, 10 * day_s);
    const Digest log = scene.add("log", ContentKind::log, 10 * day_s);
    release_logs(scene.db, add_runs(scene, {log})[0]);
    drop_content(scene.db, {1000}, 11 * day_s);
    CHECK(dropped() == "9 product unused 3 300; 10 artifact no_room 1 100; 11 log run_gone 1 100");
}

TEST_CASE("A log goes with its run, unless another run has the same", "[service][store]") {
    constexpr std::int64_t much_room = 1'000'000;
    Scene scene;
    const Digest own = scene.add("own", ContentKind::log, 1);
    const Digest shared = scene.add("shared", ContentKind::log, 1);
    const auto jobs = add_runs(scene, {own, shared, shared});
    release_logs(scene.db, jobs[0]);
    release_logs(scene.db, jobs[1]);
    CHECK(list_evictable(scene.db, much_room) == std::vector{own});
    scene.add("own", ContentKind::log, 9);  // it came again meanwhile
    CHECK(list_evictable(scene.db, much_room).empty());
}

TEST_CASE("Logs on which a regression stands stay, however full it is", "[service][store]") {
    Scene scene;
    const Digest search = scene.add("search", ContentKind::log, 1);
    const Digest night = scene.add("night", ContentKind::log, 2);
    const Digest archive = scene.add("archive", ContentKind::artifact, 3);
    const auto jobs = add_runs(scene, {search, night});
    scene.db.execute("UPDATE job SET probe_id = 1 WHERE id = ?1", jobs[0]);
    CHECK(list_evictable(scene.db, 0, 1).empty());
    CHECK(list_evictable(scene.db, 0, 1) == std::vector{night});
    CHECK(list_evictable(scene.db, 0) == std::vector{night, archive});
}

}  // namespace
}  // namespace vigil::service
