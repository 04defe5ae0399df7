// What the doctor finds by REST: each state is planted in a ledger of its own.

#include "service/watch/doctor.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/store/content_index.hpp"
#include "service/store/content_store.hpp"
#include "service/store/troubles.hpp"
#include "tests/integration/service/http/measured.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

namespace fs = std::filesystem;

/// A service whose ledger is new: nobody misses a backup of it yet.
struct Clinic {
    explicit Clinic(const Service::Adjust& adjust = {}) : service(adjust) {
        run_now("INSERT INTO project (id, name, created_at_s) VALUES (1, 'demo', ?1)");
    }

    template <class Work>
    void plant(Work work) {
        service.change([&](Database& db) {
            work(db);
            return 0;
        });
    }
    void run(const std::string& sql) {
        plant([&](Database& db) { db.execute_script(sql); });
    }
    /// A statement with the time now as ?1.
    void run_now(const std::string& sql) {
        plant([&](Database& db) { db.execute(sql, now_s); });
    }

    nlohmann::json ask() {
        const auto answer = service.client().send("GET", "/api/v1/doctor");
        REQUIRE(answer.status == 200);
        return wire::parse_json(answer.body, "the answer");
    }
    /// "kind of subject, badness" of each finding, and whether nothing needs a person.
    std::string kinds() {
        const auto reply = ask();
        std::string all = reply.at("healthy") ? "healthy;" : "";
        for (const auto& one : reply.at("findings")) {
            CHECK_FALSE(one.at("remedy").get<std::string>().empty());
            all += one.at("kind").get<std::string>() + " of " +
                   one.at("subject").get<std::string>() + ", " +
                   one.at("badness").get<std::string>() + ";";
        }
        return all;
    }

    Service service;
    std::int64_t now_s = SystemClock().now_s();
};

void write_file(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "x";
}

}  // namespace

TEST_CASE("The doctor finds nothing at a healthy daemon", "[service][http]") {
    Clinic clinic;
    clinic.plant([](Database& db) { add_small_job(db, 'a'); });
    const auto reply = clinic.ask();
    CAPTURE(reply.dump());
    CHECK(reply.at("healthy") == true);
    CHECK(reply.at("findings").empty());
    CHECK(reply.at("tables") > 50);
    CHECK(reply.at("tables_checked") > 0);
    CHECK(reply.at("content_parts_checked") > 0);
    CHECK(clinic.service.client().send("GET", "/api/v1/doctor?deep=1").status == 400);
}

TEST_CASE("The doctor tells open troubles, with what to do", "[service][http]") {
    Clinic clinic;
    clinic.plant([&](Database& db) {
        note_trouble(
            db,
            {.kind = "class.no_workers", .subject = "class/small", .project = {}, .message = "w"},
            clinic.now_s);
    });
    CHECK(clinic.kinds() == "class.no_workers of class/small, failing;");
}

TEST_CASE("The doctor has a page", "[service][http]") {
    Clinic clinic([](Config& config) { config.http.open_pages = OpenReads::local; });
    const auto page = [&] {
        const auto reply =
            clinic.service.client().send("GET", "/machines/doctor", "", {{"accept", "text/html"}});
        CHECK(reply.status == 200);
        return reply.body;
    };
    CHECK(page().find("<h1>The doctor finds nothing</h1>") != std::string::npos);
    clinic.plant([&](Database& db) {
        note_trouble(
            db,
            {.kind = "class.no_workers",
             .subject = "class/small",
             .project = {},
             .message = "<script>w</script>"},
            clinic.now_s - 7200);
    });
    const auto found = page();
    CHECK(found.find("<h1>The doctor has 1 finding</h1>") != std::string::npos);
    CHECK(found.find("class.no_workers") != std::string::npos);
    CHECK(found.find("&lt;script&gt;w") != std::string::npos);
    CHECK(found.find("vigil workers; start a worker of the class") != std::string::npos);
    CHECK(found.find("2 h") != std::string::npos);
    CHECK(found.find(" style=") == std::string::npos);
    const auto data = clinic.service.client().send("GET", "/machines/doctor?format=json");
    CHECK(wire::parse_json(data.body, "the page's data").at("healthy") == false);
}

TEST_CASE("The doctor finds leases that do not end", "[service][http]") {
    Clinic clinic;
    clinic.plant([](Database& db) { add_small_job(db, 'a'); });
    clinic.run(
        "INSERT INTO worker (id, name, machine_class_id, state, fingerprint, toolchain, "
        "first_seen_at_s, last_seen_at_s) SELECT 9, 'worker-one', id, 'active', '{}', '', 1, 1 "
        "FROM machine_class; INSERT INTO attempt (job_id, number, worker_id, recipe_digest, "
        "claimed_at_s) SELECT id, 1, 9, '', unixepoch() - 90000 FROM job; UPDATE job SET "
        "state = 'leased', attempt = 1, worker_id = 9, "
        "lease_expires_at_s = (SELECT steady_s FROM clock) + 100000");
    CHECK(clinic.kinds() == "lease.endless of job/1, will_fail;");
    clinic.run("UPDATE job SET lease_expires_at_s = -100000");  // the test's clock begins at 0
    CHECK(clinic.kinds() == "lease.overdue of job/1, failing;");
}

TEST_CASE("The doctor finds messages that were given up", "[service][http]") {
    Clinic clinic;
    clinic.run(
        "INSERT INTO report (kind, project_id, part, version, title, body, created_at_s) "
        "VALUES ('week', 1, 20261123, 1, 't', 'b', 100), ('week', 1, 20261130, 1, 't', 'b', 200);"
        "INSERT INTO outbox (report_id, target, state, next_attempt_at_s) "
        "VALUES (1, 'desk', 'dead', 0), (2, 'desk', 'sent', 0)");
    CHECK(clinic.kinds() == "outbox.dead of target/desk, failing;");
    clinic.run(  // a newer version of the same report is sent instead
        "INSERT INTO report (kind, project_id, part, version, title, body, created_at_s) "
        "VALUES ('week', 1, 20261123, 2, 't', 'b', 300);"
        "INSERT INTO outbox (report_id, target, state, next_attempt_at_s) "
        "VALUES (3, 'desk', 'sent', 0)");
    CHECK(clinic.kinds() == "healthy;");
}

TEST_CASE("The doctor finds a clock that went back", "[service][http]") {
    Clinic clinic;
    clinic.run_now(
        "INSERT INTO event (at_s, kind, subject, message) VALUES (?1 + 86400, 'a.b', 'c', 'd')");
    CHECK(clinic.kinds() == "clock.behind of clock, failing;");
}

TEST_CASE("The doctor finds silent sources, series and old nights", "[service][http]") {
    Clinic clinic([](Config& config) {
        config.projects.at("demo").schedule.emplace();
        config.projects.at("demo").source.kind = SourceKind::directory;
        config.ledger.raw_nights = 30;
    });
    std::vector<double> gone(50, 1.0);
    std::fill(gone.end() - silent_nights, gone.end(), -1.0);
    clinic.plant([&](Database& db) {
        add_measured_nights(
            db, {{"mlp", "infer", std::vector<double>(50, 1.0)}, {"vgg", "infer", gone}});
        db.execute("UPDATE nightly SET created_at_s = unixepoch() - (50 - id) * 86400");
        db.execute("UPDATE worker SET last_seen_at_s = unixepoch()");
    });
    const std::string both =
        "retention.behind of project/demo, will_fail;series.silent of project/demo, note;";
    CHECK(clinic.kinds() == both);
    clinic.run("UPDATE nightly SET created_at_s = created_at_s - 4 * 86400");
    CHECK(clinic.kinds() == "source.silent of project/demo, will_fail;" + both);
}

TEST_CASE("The doctor finds workers that are gone, and tokens that end", "[service][http]") {
    Clinic clinic;
    clinic.run(
        "INSERT INTO machine_class (id, name) VALUES (1, 'small'); "
        "INSERT INTO worker (name, machine_class_id, state, fingerprint, toolchain, "
        "first_seen_at_s, last_seen_at_s) VALUES "
        "('worker-one', 1, 'active', '{}', '', 1, unixepoch() - 4000), "
        "('worker-two', 1, 'draining', '{}', '', 1, 1), ('stranger', 1, 'active', '{}', '', 1, 1);"
        "INSERT INTO token (name, scope, hash, created_at_s, expires_at_s) VALUES "
        "('soon', 'read', 'h1', 1, unixepoch() + 86400), ('late', 'read', 'h2', 1, unixepoch() + "
        "8640000), ('over', 'read', 'h3', 1, 5)");
    CHECK(
        clinic.kinds() ==
        "worker.gone of worker/worker-one, will_fail;token.ends of token/soon, will_fail;");
}

TEST_CASE("The doctor finds a worker whose clock is wrong", "[service][http]") {
    Clinic clinic;
    clinic.plant([](Database& db) { add_measured_nights(db, {{"mlp", "infer", {1.0, 1.0}}}); });
    clinic.run(
        "UPDATE worker SET name = 'worker-one', last_seen_at_s = unixepoch();"
        "INSERT INTO attempt (job_id, number, worker_id, recipe_digest, claimed_at_s, ended_at_s) "
        "SELECT id, 1, 70, '', 1000000, 1000100 FROM job;"
        "UPDATE run SET started_at_ns = 1000200 * 1000000000");
    const auto reply = clinic.ask();
    REQUIRE(reply.at("findings").size() == 1);
    CHECK(reply.at("findings").at(0).at("kind") == "worker.clock");
    CHECK_THAT(
        reply.at("findings").at(0).at("message").get<std::string>(),
        Catch::Contains("is 100 s or more ahead of"));
    clinic.run("UPDATE run SET started_at_ns = 1000050 * 1000000000 WHERE id = 2");
    CHECK(clinic.kinds() == "healthy;");  // the newest run tells
}

TEST_CASE("The doctor finds nights and searches that do not end", "[service][http]") {
    Clinic clinic;
    clinic.plant([](Database& db) {
        const auto build = add_build(db, ProjectId{1}, 'a');
        db.execute(
            "INSERT INTO nightly (project_id, build_id, version, day, revision, state, "
            "created_at_s) VALUES (1, ?1, 'v', '2026-01-01', 'r', 'measuring', unixepoch() - "
            "300000)",
            build);
        db.execute(
            "INSERT INTO bisection (project_id, good_revision, bad_revision, state, planner, "
            "settings, created_at_s) VALUES (1, 'a', 'b', 'searching', 1, '{}', unixepoch() - "
            "700000)");
    });
    CHECK(
        clinic.kinds() ==
        "night.endless of nightly/1, will_fail;search.endless of bisection/1, will_fail;");
}

TEST_CASE("The doctor finds rows that refer to nothing", "[service][http]") {
    Clinic clinic;
    const auto file = clinic.service.folder().path / "ledger.db";
    clinic.plant([](Database& db) { add_small_job(db, 'a'); });
    {
        // As a program would that knows no foreign keys.
        auto other = Database::open_writer(file);
        other.execute_script(
            "PRAGMA foreign_keys = OFF; UPDATE job SET machine_class_id = 99 WHERE id = 1;");
    }
    const auto reply = clinic.ask();
    const auto& first = reply.at("findings").at(0);
    CHECK(first.at("kind") == "ledger.damaged");
    CHECK(first.at("message") == "table job: a row refers to a machine_class that is not there");
}

TEST_CASE("The doctor finds files without rows, and rows without files", "[service][http]") {
    Clinic clinic;
    const ContentStore store(clinic.service.folder().path / "content");
    const Digest lost(std::string(64, 'a'));
    const Digest unknown(std::string(64, 'b'));
    const Digest young(std::string(64, 'c'));
    clinic.plant(
        [&](Database& db) { record_content(db, lost, 5, ContentKind::log, clinic.now_s); });
    write_file(store.path(unknown));
    fs::last_write_time(
        store.path(unknown), fs::file_time_type::clock::now() - std::chrono::hours(2));
    write_file(store.path(young));
    CHECK(clinic.kinds() == "content.lost of content, failing;content.unindexed of content, note;");
    write_file(store.path(lost));
    CHECK(clinic.kinds() == "healthy;content.unindexed of content, note;");
}

TEST_CASE("The doctor finds that there is no new backup", "[service][http]") {
    const Folder backups;
    Clinic clinic([&](Config& config) { config.ledger.backup_dir = backups.path.string(); });
    const std::string missing = "backup.missing of ledger, will_fail;";
    CHECK(clinic.kinds() == missing);
    write_file(backups.path / "vigil-20990101T000000Z.partial" / "ledger.sqlite");
    fs::create_directories(backups.path / "vigil-20990101T000000Z");  // without a ledger
    CHECK(clinic.kinds() == missing);
    write_file(backups.path / "vigil-20200101T000000Z" / "ledger.sqlite");
    CHECK(clinic.kinds() == "backup.old of ledger, will_fail;");
    write_file(backups.path / "vigil-20990101T000000Z" / "ledger.sqlite");
    CHECK(clinic.kinds() == "healthy;");
    fs::remove_all(backups.path);
    CHECK(clinic.kinds() == missing);
}

TEST_CASE("The doctor finds a disk that fills", "[service][http]") {
    Clinic clinic;
    const auto free_bytes =
        static_cast<std::int64_t>(fs::space(clinic.service.folder().path).available);
    clinic.plant([&](Database& db) {
        for (int i = 0; i < 10; ++i) {  // a fifth of what is left, each day
            db.execute(
                "INSERT INTO disk_day (day, free_bytes) VALUES (?1, ?2)",
                clinic.now_s / 86'400 - i,
                free_bytes + i * (free_bytes / 5));
        }
    });
    CHECK(clinic.kinds() == "disk.filling of disk/state_dir, will_fail;");
}
