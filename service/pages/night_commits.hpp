#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

namespace vigil::service {

/// The commits that a night brought, for the template night_commits.html. A pure function.
/// @param commits  as GET /api/v1/nightlies/{id}/commits answers them
nlohmann::json night_commits_view(const nlohmann::json& commits, std::int64_t now_s);

/// How many there are and on which page, as a part of the view of a series' night; null where they
/// are not listed.
nlohmann::json brought_view(const nlohmann::json& commits);

}  // namespace vigil::service
