#include "service/store/json_columns.hpp"

#include "schema/wire/job_json.hpp"
#include "service/store/json_column.hpp"

namespace vigil::service {

template <>
constexpr const char* column_of<std::vector<Revision>> = "a list of revisions";
template struct JsonColumn<std::vector<Revision>>;

template <>
constexpr const char* column_of<std::vector<NightlyId>> = "session.old_nights";
template struct JsonColumn<std::vector<NightlyId>>;

std::string TextColumn<Comparison>::text(const Comparison& comparison) {
    if (comparison.runs_before == 0 && comparison.runs_after == 0) return "{}";
    return wire::to_json(comparison).dump();
}

Comparison TextColumn<Comparison>::parse(std::string_view text) {
    return wire::parse_comparison(wire::parse_json(text, "a comparison"));
}

std::string TextColumn<JobPlan>::text(const JobPlan& plan) {
    return wire::to_json(plan).dump();
}

JobPlan TextColumn<JobPlan>::parse(std::string_view text) {
    return wire::parse_job_plan(wire::parse_json(text, "job.plan"));
}

}  // namespace vigil::service
