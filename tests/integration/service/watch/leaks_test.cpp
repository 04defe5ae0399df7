#include <catch2/catch.hpp>

#include "service/store/migrate.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/watch/night/judge.hpp"

// The verdict `leak` of a night.

using namespace vigil;
using namespace vigil::service;

namespace {

// Two nights of two runs each, one series of memory.
constexpr const char* leaking_nights = R"sql(
INSERT INTO project VALUES (1, 'tensorlab', 1000);
INSERT INTO machine_class VALUES (1, 'small');
INSERT INTO worker(id, name, machine_class_id, state, fingerprint, toolchain, first_seen_at_s,
    last_seen_at_s) VALUES (1, 'one', 1, 'active', '{}', '', 1, 1);
INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric, definition, unit,
    direction) VALUES (1, 1, 'sum', 'train', 1, 'peak_process_bytes', 1, 'bytes',
    'lower_is_better');
INSERT INTO build(id, project_id, revision, input_kind, created_at_s) VALUES
    (1, 1, 'a', 'source_tree', 1000), (2, 1, 'b', 'source_tree', 1000);
INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, created_at_s) VALUES
    (1, 1, 1, 'n1', '2026-11-19', 'a', 'done', 1),
    (2, 1, 2, 'n2', '2026-11-20', 'b', 'measuring', 1);
INSERT INTO job(id, project_id, machine_class_id, purpose, state, priority, nightly_id, plan,
    attempt, created_at_s) VALUES (1, 1, 1, 'nightly', 'done', 1, 1, '{}', 1, 1),
    (2, 1, 1, 'nightly', 'done', 1, 2, '{}', 1, 1);
INSERT INTO run(id, job_id, attempt, step, build_id, benchmark, variant, machine_class_id,
    worker_id, outcome, started_at_ns, duration_ns) VALUES
    (1, 1, 1, 0, 1, 'sum', 'train', 1, 1, 'passed', 1, 1),
    (2, 1, 1, 1, 1, 'sum', 'train', 1, 1, 'passed', 1, 1),
    (3, 2, 1, 0, 2, 'sum', 'train', 1, 1, 'passed', 1, 1),
    (4, 2, 1, 1, 2, 'sum', 'train', 1, 1, 'passed', 1, 1);
INSERT INTO measurement VALUES (1, 1, 100, 0, 1, x'00'), (2, 1, 100, 0, 1, x'00'),
    (3, 1, 100, 0, 1, x'00'), (4, 1, 100, 0, 1, x'00');
)sql";

struct LeakScene {
    Database db = Database::open_writer(":memory:");
    ProjectConfig config;

    LeakScene() {
        migrate(db);
        db.execute_script(leaking_nights);
        config.name = "tensorlab";
    }
    void leak(int run, const std::string& verdict = "leak", double low = 4000) {
        db.execute(
            "INSERT INTO run_fact VALUES (?1, 'leak', 4096, ?2, 4200, 'bytes/iteration', ?3)",
            run,
            low,
            verdict);
    }
    int judge() { return judge_leaks(db, config, load_nightly(db, NightlyId{2}), 5000); }
};

}  // namespace

TEST_CASE("A leak that is new is a verdict and an event", "[service][watch]") {
    LeakScene scene;
    scene.leak(3);
    scene.leak(4);
    CHECK(scene.judge() == 1);
    CHECK(scene.db.has(
        "SELECT 1 FROM suspicion WHERE nightly_id = 2 AND state = 'ended' AND verdict = 'leak' "
        "AND good_nightly_id = 1 AND reason LIKE 'it leaks: %4000 to 4200 bytes%all 2 runs%'"));
    CHECK(scene.db.has("SELECT 1 FROM event WHERE kind = 'suspicion.leak'"));
    CHECK(scene.judge() == 0);  // of this series the night has spoken
}

TEST_CASE("One run, an unclear interval or an old leak is no verdict", "[service][watch]") {
    LeakScene scene;
    scene.leak(3);
    const std::string now =
        GENERATE("one of two", "the other is unclear", "it leaked before", "it did not run before");
    CAPTURE(now);
    if (now == "the other is unclear") scene.leak(4, "unclear", -10);
    if (now == "it leaked before" || now == "it did not run before") scene.leak(4);
    if (now == "it leaked before") scene.leak(1);
    if (now == "it did not run before") {
        scene.db.execute("UPDATE run SET outcome = 'failed' WHERE id IN (1, 2)");
        scene.db.execute("DELETE FROM measurement WHERE run_id IN (1, 2)");
    }
    CHECK(scene.judge() == 0);
    CHECK_FALSE(scene.db.has("SELECT 1 FROM suspicion"));
}
