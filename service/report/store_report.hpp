#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/report/render_regression.hpp"

namespace vigil::service {

class Database;

/// What a report is about: exactly one of the three.
struct ReportSubject {
    ProjectId project;
    std::optional<RegressionId> regression = {};
    std::optional<NightlyId> nightly = {};
    std::optional<TroubleId> trouble = {};
};

/// Stores a document as the subject's next version, with one outbox row for each target, in the
/// caller's transaction. A document equal to the newest version is not stored again.
/// @return  the new report; nullopt when nothing changed
std::optional<ReportId> store_report(
    Database& db,
    const ReportSubject& subject,
    const Document& document,
    const std::vector<std::string>& targets,
    std::int64_t now_s);

/// Writes what is due, in the caller's transaction:
/// a regression whose search ended (`attributed`, `range`) is reported and becomes `reported`; one
/// that was reported is rendered again when it changed since; a night that ended gets its summary,
/// once; a trouble of a project is reported when it begins and when it ends, that of a nightly
/// which does not build also as it changes.
/// @return  how many reports were stored
int report_step(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
