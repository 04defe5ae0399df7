#include "service/store/work/builds.hpp"

#include "service/store/events.hpp"
#include "service/store/work/jobs.hpp"

namespace vigil::service {

std::optional<BuildId> find_source_build(
    Database& db, ProjectId project, const Revision& revision) {
    return db.find<BuildId>(
        "SELECT id FROM build WHERE project_id = ?1 AND revision = ?2 "
        "AND input_kind = 'source_tree'",
        project,
        revision);
}

BuildId ensure_source_build(
    Database& db, ProjectId project, const Revision& revision, std::int64_t now_s) {
    if (const auto found = find_source_build(db, project, revision)) return *found;
    return db.insert<BuildId>(
        "INSERT INTO build(project_id, revision, input_kind, created_at_s) "
        "VALUES (?1, ?2, 'source_tree', ?3)",
        project,
        revision,
        now_s);
}

BuildId ensure_archive_build(
    Database& db,
    ProjectId project,
    const Revision& revision,
    const Digest& archive,
    std::int64_t now_s) {
    const auto found = db.find<BuildId>(
        "SELECT id FROM build WHERE project_id = ?1 AND revision = ?2 "
        "AND input_kind = 'archive' AND input_digest = ?3",
        project,
        revision,
        archive);
    if (found) return *found;
    return db.insert<BuildId>(
        "INSERT INTO build(project_id, revision, input_kind, input_digest, created_at_s) "
        "VALUES (?1, ?2, 'archive', ?3, ?4)",
        project,
        revision,
        archive,
        now_s);
}

BuildId build_of(Database& db, NightlyId nightly) {
    return *db.find<BuildId>("SELECT build_id FROM nightly WHERE id = ?1", nightly);
}

Revision load_revision(Database& db, BuildId build) {
    return db.load<Revision>("build", "SELECT revision FROM build WHERE id = ?1", build);
}

bool same_product(Database& db, BuildId a, BuildId b) {
    return a == b || db.has(
                         "SELECT 1 FROM product p JOIN product q ON q.toolchain = p.toolchain "
                         "AND q.recipe_digest = p.recipe_digest AND q.digest = p.digest "
                         "WHERE p.build_id = ?1 AND q.build_id = ?2 LIMIT 1",
                         a,
                         b);
}

BuildFacts load_build_facts(Database& db, BuildId build) {
    auto facts = db.first<BuildFacts>(
        "SELECT COALESCE(MAX(p.state = 'built'), 0), COALESCE(SUM(p.failures), 0), "
        "COALESCE(b.input_error <> '', 0) FROM build b LEFT JOIN product p ON p.build_id = b.id "
        "WHERE b.id = ?1",
        build);
    if (facts->built) facts->failures = 0;
    return *facts;
}

std::optional<std::string> find_build_failure(Database& db, BuildId build) {
    return db.find<std::string>(
        "SELECT message FROM product WHERE build_id = ?1 AND state = 'failed' "
        "ORDER BY id DESC LIMIT 1",
        build);
}

std::optional<Digest> find_product(Database& db, const ProductKey& key) {
    return db.find<Digest>(
        "SELECT digest FROM product WHERE build_id = ?1 AND recipe_digest = ?2 "
        "AND toolchain = ?3 AND state = 'built'",
        key);
}

void note_product(
    Database& db, const ProductKey& key, const BuildOutcome& built, std::int64_t now_s) {
    db.execute(
        "INSERT INTO product(build_id, recipe_digest, toolchain, state, digest, log_digest, "
        "duration_ns, created_at_s) VALUES (?1, ?2, ?3, 'built', ?4, ?5, ?6, ?7) "
        "ON CONFLICT(build_id, recipe_digest, toolchain) DO UPDATE SET state = 'built', "
        "digest = ?4, log_digest = ?5, message = '', duration_ns = ?6, created_at_s = ?7",
        key,
        built.product,
        built.log,
        built.duration_ns,
        now_s);
}

void note_failed_product(
    Database& db, const ProductKey& key, const BuildOutcome& failed, std::int64_t now_s) {
    db.execute(
        "INSERT INTO product(build_id, recipe_digest, toolchain, state, failures, log_digest, "
        "message, duration_ns, created_at_s) VALUES (?1, ?2, ?3, 'failed', 1, ?4, ?5, ?6, ?7) "
        "ON CONFLICT(build_id, recipe_digest, toolchain) DO UPDATE SET "
        "failures = failures + 1, log_digest = ?4, message = ?5 WHERE state = 'failed'",
        key,
        failed.log,
        failed.message,
        failed.duration_ns,
        now_s);
}

std::optional<std::string> find_product_name(Database& db, BuildId build) {
    return db.find<std::string>(
        "SELECT toolchain || digest FROM product WHERE build_id = ?1 AND state = 'built' "
        "ORDER BY toolchain LIMIT 1",
        build);
}

std::optional<double> find_usual_build_ns(Database& db, ProjectId project) {
    return db.find<double>(
        "SELECT AVG(duration_ns) FROM (SELECT p.duration_ns FROM product p "
        "CROSS JOIN build b ON b.id = p.build_id WHERE b.project_id = ?1 AND p.state = 'built' "
        "ORDER BY p.id DESC LIMIT 20)",
        project);
}

std::optional<BuildId> find_built_before(Database& db, NightlyId nightly) {
    return db.find<BuildId>(
        "SELECT o.build_id FROM nightly n JOIN night o ON o.project_id = n.project_id "
        "AND o.id < n.id AND o.revision <> n.revision WHERE n.id = ?1 AND EXISTS (SELECT 1 "
        "FROM product p WHERE p.build_id = o.build_id AND p.state = 'built') "
        "ORDER BY o.id DESC LIMIT 1",
        nightly);
}

std::vector<MissingSource> list_missing_sources(Database& db, int limit, ProjectId project) {
    std::vector<MissingSource> missing;
    auto rows = db.query(
        "SELECT b.id, b.revision FROM build b WHERE b.project_id = ?2 "
        "AND b.input_kind = 'source_tree' AND b.input_digest IS NULL AND b.input_error = '' "
        "AND EXISTS (SELECT 1 FROM job_build jb CROSS JOIN job j ON j.id = jb.job_id "
        "WHERE jb.build_id = b.id AND j.state = 'queued') ORDER BY b.id LIMIT ?1",
        limit,
        project);
    while (rows.next()) {
        MissingSource source{rows.get<BuildId>(0), {}};
        try {
            source.revision = rows.get<Revision>(1);
        } catch (const Error& error) {
            source.unreadable = error.what();
        }
        missing.push_back(std::move(source));
    }
    return missing;
}

void record_source(Database& db, BuildId build, const NewSource& source) {
    db.execute(
        "UPDATE build SET input_digest = ?2 WHERE id = ?1 AND input_digest IS NULL",
        build,
        source.tree);
    db.execute(
        "INSERT INTO source_facts(build_id, describe, committed_at_s, notes) "
        "VALUES (?1, ?2, ?3, ?4) ON CONFLICT(build_id) DO UPDATE SET notes = ?4",
        build,
        source.describe,
        source.committed_at_s,
        source.notes);
}

std::string find_source_notes(Database& db, BuildId build) {
    return db.find<std::string>("SELECT notes FROM source_facts WHERE build_id = ?1", build)
        .value_or("");
}

void record_source_failure(
    Database& db, BuildId build, const std::string& why, std::int64_t now_s) {
    db.execute("UPDATE build SET input_error = ?2 WHERE id = ?1", build, why);
    const auto project = db.find<ProjectId>("SELECT project_id FROM build WHERE id = ?1", build);
    const auto words = "its source cannot be had: " + why;
    record_event(db, now_s, "build.no_input", project, "build/" + to_string(build), words);
    // Nobody can do a job whose source is gone.
    const auto message = "the source of build " + to_string(build) + " cannot be had: " + why;
    for (const auto& job : list_queued_for(db, build)) {
        move_job(db, job, {.to = JobState::failed, .message = message, .ended_at_s = now_s});
    }
}

}  // namespace vigil::service
