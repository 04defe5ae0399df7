#include "service/store/json_columns.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "service/store/json_column.hpp"

namespace vigil::service {

template <>
constexpr const char* column_of<std::vector<Revision>> = "a list of revisions";
template struct JsonColumn<std::vector<Revision>>;

template <>
constexpr const char* column_of<std::vector<NightlyId>> = "session.old_nights";
template struct JsonColumn<std::vector<NightlyId>>;

template <>
constexpr const char* column_of<std::vector<std::string>> = "token.projects";
template struct JsonColumn<std::vector<std::string>>;

void with_column(
    std::string_view text,
    const char* column,
    const std::function<void(const nlohmann::json&)>& read) {
    const auto value = wire::parse_json(text, column);
    try {
        read(value);
    } catch (const nlohmann::json::exception& error) {
        throw Error(
            Errc::invalid_argument,
            "reading " + std::string(column) +
                ": it does not hold what was written: " + error.what());
    }
}

std::string TextColumn<Comparison>::text(const Comparison& comparison) {
    const bool is_measured = comparison.runs_before > 0 || comparison.runs_after > 0;
    if (!is_measured && comparison.before == 0 && comparison.after == 0) return "{}";
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
