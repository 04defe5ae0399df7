#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bisect/history/history.hpp"
#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// A bisection whose suspects the git lane has to list.
struct MissingSuspects {
    BisectionId bisection;
    ProjectId project;
    Revision good;
    Revision bad;
    /// `bad` came in by a merge whose first parent is `good`: the suspects are what it brought,
    /// from where it left the line.
    bool inside = false;
    std::string unreadable = {};  ///< why its row cannot be read; then there are no revisions
};
std::vector<MissingSuspects> list_missing_suspects(
    Database& db, int limit, std::optional<ProjectId> project = std::nullopt);

/// Stores the suspects and what they follow, and lets the search begin.
void record_suspects(
    Database& db, BisectionId bisection, const history::Range& range, std::int64_t now_s);

/// Moves a bisection one step on: closes probes whose jobs have ended, asks the search what to do
/// next, and plans its probes, or ends the bisection. Its state is what the ledger holds, so a
/// restart in between changes nothing.
void advance_bisection(
    Database& db, const ProjectConfig& config, BisectionId bisection, std::int64_t now_s);

}  // namespace vigil::service
