#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// What people asked to be measured, as they are told of it: the rows of `request`, `session` and
// `request_verdict` with the names of what they point at.

namespace vigil::service {

struct ReportedRequest {
    RequestId id;
    std::string project;  ///< its name
    RequestKind kind = RequestKind::comparison;
    RequestState state = RequestState::naming;
    std::string message;  ///< what came of it; may hold a stranger's text
    Revision a;           ///< empty: not known
    Revision b;
};
ReportedRequest load_reported_request(Database& db, RequestId request);

/// What was judged.
struct JudgedSeries {
    SeriesId id;
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    std::string unit;
    std::optional<Verdict> verdict;  ///< nullopt: undecided
    Comparison comparison;
};
std::vector<JudgedSeries> list_judged_series(Database& db, RequestId request);

/// A variant of which no series was judged.
struct UnjudgedVariant {
    SessionId session;
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    std::string why;  ///< may be empty; a stranger's text
};
std::vector<UnjudgedVariant> list_unjudged_variants(Database& db, RequestId request);

}  // namespace vigil::service
