#pragma once

#include <string>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/job.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/row.hpp"

// Types of the model that are kept as JSON.

namespace vigil::service {

/// In order: `suspect.brought`, `regression.suspects`.
template <>
struct TextColumn<std::vector<Revision>> : JsonColumn<std::vector<Revision>> {};
extern template struct JsonColumn<std::vector<Revision>>;

/// `session.old_nights`
template <>
struct TextColumn<std::vector<NightlyId>> : JsonColumn<std::vector<NightlyId>> {};
extern template struct JsonColumn<std::vector<NightlyId>>;

/// `token.projects`
template <>
struct TextColumn<std::vector<std::string>> : JsonColumn<std::vector<std::string>> {};
extern template struct JsonColumn<std::vector<std::string>>;

/// `suspicion.confirmed`, `regression_series.verified`; "{}" without a run.
template <>
struct TextColumn<Comparison> {
    static std::string text(const Comparison& comparison);
    static Comparison parse(std::string_view text);
};

/// `job.plan`
template <>
struct TextColumn<JobPlan> {
    static std::string text(const JobPlan& plan);
    static JobPlan parse(std::string_view text);
};

}  // namespace vigil::service
