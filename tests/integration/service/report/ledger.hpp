#pragma once

#include <limits>
#include <string>

#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/migrate.hpp"
#include "tests/integration/service/report/ledger_rows.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {

/// "@3" as a full hash.
inline std::string full_hash(char commit) {
    return "c0ffee" + std::string(33, '0') + commit;
}

/// A ledger file that holds one night with one regression: confirmed, searched, attributed.
struct Ledger {
    Ledger() : db(Database::open_writer(folder.path() / "vigil.db")) {
        migrate(db);
        std::string rows = ledger_rows;
        for (auto at = rows.find("'@"); at != rows.npos; at = rows.find("'@", at)) {
            rows.replace(at + 1, 2, full_hash(rows[at + 2]));
        }
        db.execute_script(rows);
        write_search();
        ProjectConfig project;
        project.name = "tensorlab";
        project.source.repository = "/srv/tensorlab.git";
        BenchmarkPlan plan;
        plan.benchmark = "mlp";
        plan.variant = "train";
        plan.command = {"./bench", "mlp"};
        project.suites["daily"] = {plan};
        project.reports = {"files", "issues"};
        config.projects["tensorlab"] = project;
        ReportTarget files;
        files.name = "files";
        files.path = (folder.path() / "reports").string();
        config.report_targets["files"] = files;
        ReportTarget issues;
        issues.name = "issues";
        issues.kind = TargetKind::issues;
        issues.repository = "owner/name";
        issues.night_summaries = false;
        config.report_targets["issues"] = issues;
    }

    /// The JSON columns of the search, as the watch writes them.
    void write_search() {
        BisectionSettings settings;
        settings.series = {SeriesId{1}};
        settings.groups = {MachineClassId{1}};
        settings.specs = {search::SeriesSpec{}};
        settings.sessions = {SessionId{1}};
        BisectionConclusion conclusion;
        conclusion.summary = "1 culprit";
        search::SeriesEnding ending;
        ending.ending = search::Ending::culprit;
        ending.first = ending.last = 3;
        ending.parent = 2;
        ending.probability = 0.99;
        ending.reason = "verified";
        conclusion.endings = {ending};
        conclusion.posterior = {{0.001, 0.004, 0.99, 0.005}};
        db.execute("UPDATE bisection SET settings = ?1, conclusion = ?2", settings, conclusion);
        db.execute("UPDATE job SET plan = '{\"benchmarks\":[],\"steps\":[]}'");
        search::ProbeRequest probe;
        probe.commits = {0, 2, 2, 0};
        probe.series = {0};
        db.execute("UPDATE probe SET plan = ?1 WHERE number = 0", probe);
        probe.commits = {2, 3, 3, 2};
        probe.purpose = search::ProbePurpose::verify;
        db.execute("UPDATE probe SET plan = ?1 WHERE number = 1", probe);
    }

    /// Two bisections inside of the merge @3: what its parent 2 brought does not show the change,
    /// what its parent 3 brought could not be searched.
    void search_inside() {
        std::string rows = inside_rows;
        for (auto at = rows.find("'@"); at != rows.npos; at = rows.find("'@", at)) {
            rows.replace(at + 1, 2, full_hash(rows[at + 2]));
        }
        db.execute_script(rows);
        BisectionConclusion conclusion;
        search::SeriesEnding ending;
        ending.ending = search::Ending::not_reproduced;
        ending.reason = "the ends do not differ";
        conclusion.endings = {ending};
        db.execute(
            "UPDATE bisection SET conclusion = ?1, settings = (SELECT settings FROM bisection "
            "WHERE id = 1) WHERE id = 2",
            conclusion);
        db.execute(
            "UPDATE bisection SET conclusion = ?1, settings = (SELECT settings FROM bisection "
            "WHERE id = 1) WHERE id = 3",
            BisectionConclusion{"its end is gone", {}, {}});
    }

    int count(const std::string& table_and_condition) {
        return db.find<int>("SELECT count(*) FROM " + table_and_condition).value_or(-1);
    }

    /// When the next message is due; the largest number: none waits.
    std::int64_t next_due_s() {
        return db
            .find<std::int64_t>("SELECT min(next_attempt_at_s) FROM outbox WHERE state = 'pending'")
            .value_or(std::numeric_limits<std::int64_t>::max());
    }

    /// Until when an open circuit holds back what is due; 0: none does.
    std::int64_t held_until_s() {
        return db.find<std::int64_t>("SELECT max(until_s) FROM circuit").value_or(0);
    }

    test::ScratchFolder folder;
    Database db;
    Config config;
    std::int64_t now_s = 1'795'229'100;
};

}  // namespace vigil::service
