#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "schema/wire/traceparent.hpp"
#include "service/store/database.hpp"
#include "service/store/row.hpp"

// The tables `request`, what a person asks to be measured, and `request_verdict`, what the runs of
// its sessions say of one series. A run's session is of one build, which is both of its sides.

namespace vigil::service {

enum class Priority;

struct RequestedVariant {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    friend bool operator==(const RequestedVariant&, const RequestedVariant&) = default;
};

/// request.asked: what is measured, frozen when it was asked for.
struct RequestedMeasurement {
    std::vector<RequestedVariant> variants;
    std::optional<Metric> metric = {};     ///< only this one is judged
    std::optional<SeriesId> series = {};   ///< the same
    std::string case_name = {};            ///< the same, of a program with cases; empty: all
    int runs = 0;                          ///< of each build and variant; 0: until it is decided
    std::optional<double> threshold = {};  ///< instead of the config's
    /// Of its search, where nobody asked for it but the daemon: its jobs come after all others.
    std::optional<int> max_probes = {};
    bool in_background = false;  ///< the same of a comparison

    Priority priority() const;  ///< of its jobs
};
template <>
struct TextColumn<RequestedMeasurement> : JsonColumn<RequestedMeasurement> {};
extern template struct JsonColumn<RequestedMeasurement>;

struct NewRequest {
    ProjectId project;
    RequestKind kind = RequestKind::run;
    std::string a;  ///< as it was named
    std::string b;  ///< of a run: what `a` is
    std::optional<BuildId> a_build = {};
    std::optional<BuildId> b_build = {};
    RequestedMeasurement asked;
    std::string token;                                  ///< name of the caller's
    std::string traceparent = wire::new_traceparent();  ///< of the trace that its work belongs to
};
/// In state `naming`. Event "request.naming".
RequestId add_request(Database& db, const NewRequest& request, std::int64_t now_s);

struct RequestRow {
    RequestId id;
    ProjectId project;
    RequestKind kind = RequestKind::run;
    RequestState state = RequestState::naming;
    std::optional<BuildId> a_build;  ///< nullopt: not known yet
    std::optional<BuildId> b_build;
    RequestedMeasurement asked;
    std::optional<BisectionId> bisection;
};
/// @throws Error{not_found}; Error{invalid_argument} when what was asked cannot be read
RequestRow load_request(Database& db, RequestId request);

/// Those that are not over, oldest first.
std::vector<RequestId> list_open_requests(Database& db, int limit);

/// The request that a bisection is for.
std::optional<RequestId> find_request_of(Database& db, BisectionId bisection);

/// Moves it with a message, without a look at what was asked, and tells of it by the event
/// "request.STATE".
/// @throws Error{not_found}; Error{conflict} where the state machine has no such arrow
void move_request(
    Database& db, RequestId request, RequestState to, std::string_view message, std::int64_t now_s);

/// What came of it; may be empty.
std::string find_request_message(Database& db, RequestId request);

/// Tries of its step since one has worked. @return  how many there were before this one
int add_try(Database& db, RequestId request);
void end_tries(Database& db, RequestId request);

void note_bisection(Database& db, RequestId request, BisectionId bisection);
std::optional<BisectionId> find_bisection_of(Database& db, RequestId request);

/// A name that the project's source is asked for.
struct MissingName {
    RequestId request;
    std::string name;
};
/// Of every request the first one that is not known.
std::vector<MissingName> list_missing_names(
    Database& db, int limit, std::optional<ProjectId> project = std::nullopt);

/// What a name of the request means, on whichever side it stands.
void note_build(Database& db, RequestId request, const std::string& name, BuildId build);

/// A build that a name may mean.
struct NamedBuild {
    BuildId build;
    Revision revision;
};
/// Of one project: by the number of the build ("build/12"), by the version or the name of a nightly
/// (2026-11-22, 2026-11-22.2), or by the beginning of a revision; the newest build of each
/// revision.
std::vector<NamedBuild> list_builds_named(
    Database& db, ProjectId project, const std::string& name, int limit);

/// @param variant    as asked
/// @param case_name  that runs alone; empty: the whole program runs
SessionId add_request_session(
    Database& db,
    const RequestRow& request,
    const RequestedVariant& variant,
    MachineClassId machine_class,
    const std::string& case_name,
    std::int64_t now_s);

struct RequestSession {
    SessionId id;
    bool is_open = false;
    std::string message;  ///< how it ended, where no verdict says so
};
std::vector<RequestSession> list_request_sessions(Database& db, RequestId request);

/// What became of the newest of its jobs that has something to say.
std::optional<std::string> find_session_message(Database& db, SessionId session);

void end_request_session(Database& db, SessionId session, const std::string& message);

/// Jobs of its sessions, or of the probes of a bisection, that have not ended.
std::vector<JobId> list_open_jobs(Database& db, RequestId request);
std::vector<JobId> list_open_jobs(Database& db, BisectionId bisection);

/// Runs that its sessions have made; those of its search are not among them.
std::int64_t count_runs(Database& db, RequestId request);

struct SessionVerdict {
    SeriesId series;
    std::optional<Verdict> verdict;  ///< nullopt: undecided so far
    Comparison comparison;
    std::string reason;  ///< one line, for a person
};
void note_verdict(Database& db, SessionId session, const SessionVerdict& verdict);
std::vector<SessionVerdict> list_session_verdicts(Database& db, SessionId session);

}  // namespace vigil::service
