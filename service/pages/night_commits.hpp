#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "service/api/results/night_summary.hpp"

namespace vigil::service {

/// The commits that a night brought, for the template night_commits.html. A pure function.
nlohmann::json night_commits_view(const NightCommitRange& range, std::int64_t now_s);

/// How many there are and on which page, as a part of the view of a series' night; null where they
/// are not listed.
nlohmann::json brought_view(const NightCommitRange& range);

}  // namespace vigil::service
