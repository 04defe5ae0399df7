#include "service/store/work/cases.hpp"

#include <nlohmann/json.hpp>

namespace vigil::service {

void add_case_failures(Database& db, RunId run, const std::vector<CaseFailure>& failures) {
    for (const auto& failure : failures) {
        db.execute(
            "INSERT INTO case_failure(run_id, case_name, message) VALUES (?1, ?2, ?3)",
            run,
            failure.case_name,
            failure.message);
    }
}

std::vector<FailedCase> list_case_failures(Database& db, JobId job) {
    return db.all<FailedCase>(
        "SELECT f.run_id, f.case_name FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt JOIN case_failure f ON f.run_id = r.id WHERE j.id = ?1",
        job);
}

void remove_case_failures(Database& db, JobId job) {
    db.execute(
        "DELETE FROM case_failure WHERE run_id IN (SELECT id FROM run WHERE job_id = ?1)", job);
}

bool note_whole_case(Database& db, const UnprintedCase& unprinted) {
    if (is_whole_case(db, unprinted)) return false;
    db.execute(
        "INSERT INTO whole_case(project_id, benchmark, variant, case_name, arguments) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
        unprinted.project,
        unprinted.benchmark,
        unprinted.variant,
        unprinted.case_name,
        nlohmann::json(unprinted.arguments).dump());
    return true;
}

bool is_whole_case(Database& db, const UnprintedCase& asked) {
    const auto arguments = db.find<std::string>(
        "SELECT arguments FROM whole_case WHERE project_id = ?1 AND benchmark = ?2 "
        "AND variant = ?3 AND case_name = ?4",
        asked.project,
        asked.benchmark,
        asked.variant,
        asked.case_name);
    if (!arguments) return false;
    if (*arguments == nlohmann::json(asked.arguments).dump()) return true;
    db.execute(
        "DELETE FROM whole_case WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
        "AND case_name = ?4",
        asked.project,
        asked.benchmark,
        asked.variant,
        asked.case_name);
    return false;
}

bool has_whole_case(Database& db, const SeriesRow& series) {
    return db.has(
        "SELECT 1 FROM whole_case WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
        "AND case_name = ?4",
        series.project,
        series.benchmark,
        series.variant,
        series.case_name);
}

std::vector<SilentCase> list_silent_cases(Database& db, NightlyId nightly) {
    return db.all<SilentCase>(
        "SELECT r.benchmark, r.variant, r.machine_class_id, f.case_name, MAX(f.message) "
        "FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN case_failure f ON f.run_id = r.id WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' "
        "AND NOT EXISTS (SELECT 1 FROM left_out o WHERE o.nightly_id = ?1 "
        "AND o.worker_id IN (0, r.worker_id)) GROUP BY 1, 2, 3, 4 "
        "HAVING NOT EXISTS (SELECT 1 FROM series s JOIN night_value v ON v.series_id = s.id "
        "AND v.nightly_id = ?1 WHERE s.project_id = j.project_id AND s.benchmark = r.benchmark "
        "AND s.variant = r.variant AND s.machine_class_id = r.machine_class_id "
        "AND s.case_name = f.case_name)",
        nightly);
}

}  // namespace vigil::service
