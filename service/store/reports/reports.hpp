#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// The table `report`: documents, each with its versions. What a document is about says itself that
// it waits for one: regression.unreported, nightly.summed_up, trouble.told.

namespace vigil::service {

/// What a report is about: exactly one of a regression, a night, a trouble, the thread of a
/// regression's issue, or a week of the project.
struct ReportSubject {
    ProjectId project = {};
    std::optional<RegressionId> regression = {};
    std::optional<NightlyId> nightly = {};
    std::optional<TroubleId> trouble = {};
    std::optional<RegressionId> comment_on = {};  ///< a comment below its issue
    std::int64_t part = 0;  ///< of a comment its number, of a week its day: 20261123
};

/// "regression", "night", "trouble", "comment" or "week".
std::string_view kind_of(const ReportSubject& subject);

/// "regression/7", "nightly/3", "trouble/2", "comment/7/1" or "week/1/20261123": all versions of
/// one document share it.
std::string key_of(const ReportSubject& subject);

struct Document {
    std::string title;  ///< one line, no Markdown
    std::string body;   ///< Markdown; ends with the marker line, but for a comment's
};

/// What a version of a regression's report tells, as far as others are to hear of it.
struct ToldFact {
    std::optional<RegressionState> state = {};  ///< nullopt: it could not be read
    std::optional<Revision> culprit = {};
    std::optional<double> change_ratio = {};  ///< the largest
    bool broken = false;                      ///< something no longer runs
    std::optional<RegressionEnd> ended_as = {};
};
/// Of the newest version; nullopt: there is none.
std::optional<ToldFact> find_told(Database& db, const ReportSubject& subject);
void mark_reported(Database& db, ReportId report, const ToldFact& told);

struct StoredReport {
    ReportId id;
    int version = 1;
};

/// Stores a document as the subject's next version, pending for each target, with the event
/// "report.stored". A document equal to the newest version is not stored again.
/// @return  nullopt when nothing changed
std::optional<StoredReport> add_report(
    Database& db,
    const ReportSubject& subject,
    const Document& document,
    const std::vector<std::string>& targets,
    std::int64_t now_s);

/// Something that waits for its document.
struct DueReport {
    ReportSubject subject;
    std::string project_name;
};

/// Regressions that changed since their newest report, or were never reported, and whose search is
/// over; not while they are muted.
std::vector<DueReport> list_due_regressions(Database& db, int limit);

/// Nights that ended and have no summary yet; not while what broke their build is searched.
std::vector<DueReport> list_due_nights(Database& db, int limit);

/// Troubles of projects: those that began, those that ended after they were told, and, that their
/// documents follow what changes by itself, those of nightlies that do not build and of nights of
/// many causes which were not compared since `checked_after_s`. One that comes back within an hour
/// is not among them.
std::vector<DueReport> list_due_troubles(
    Database& db, std::int64_t checked_after_s, std::int64_t now_s, int limit);

/// Writes down that the subject has its document, until it changes again.
void note_reported(Database& db, const ReportSubject& subject, std::int64_t now_s);

/// Regressions that ended before anything was reported of them wait for no report until they change
/// again, but for those that were not reproduced: their report says so.
void drop_never_reported(Database& db);

/// The nightly that showed a regression, and how many it showed, without what joined others or was
/// not reproduced.
struct NightsCauses {
    NightlyId nightly;
    int causes = 0;
    int open = 0;  ///< of them
};
NightsCauses load_causes(Database& db, RegressionId regression);
NightsCauses load_causes_of(Database& db, NightlyId nightly);

/// Whether a trouble of this kind is, or was, noted of the subject.
bool was_noted(Database& db, std::string_view kind, const std::string& subject);

/// When a summary of a week was last written for a target, UTC; nullopt: never.
std::optional<std::int64_t> find_last_week_s(
    Database& db, ProjectId project, const std::string& target);

/// The newest comment below a regression's issue.
struct NewestComment {
    std::int64_t part = 0;
    std::string body;
    bool untouched = false;  ///< nobody has tried to send it yet
};
std::optional<NewestComment> find_newest_comment(Database& db, RegressionId regression);

ProjectId load_report_project(Database& db, ReportId report);

/// The addresses of a regression's issues, as trackers gave them.
std::vector<std::string> list_filed_addresses(Database& db, RegressionId regression);

/// A trouble as its report tells it.
struct ReportedTrouble {
    TroubleId id;
    std::string kind;  ///< our own word: "source.failed"
    std::string subject;
    std::optional<ProjectId> project_id;
    std::string project;  ///< its name; empty: it is none's
    std::string message;  ///< may hold a stranger's text
    std::int64_t since_s = 0;
    std::optional<std::int64_t> ended_s;
};
ReportedTrouble load_reported_trouble(Database& db, TroubleId trouble);

}  // namespace vigil::service
