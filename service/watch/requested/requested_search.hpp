#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/improvements.hpp"
#include "service/store/findings/requests.hpp"

// The search of a range that a person named: the search of any other bisection, of one series. What
// it finds is read, and nothing is filed.

namespace vigil::service {

/// Begins it; the runs of the session of its ends are its first ones. What got better is searched
/// as if the other direction were the better one.
BisectionId begin_requested_search(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    const RequestRow& request,
    SessionId session,
    const SessionVerdict& ends,
    std::int64_t now_s);

struct EndedRequestedSearch {
    bool is_done = false;  ///< else it failed
    std::string words;
};
/// Moves it one step on. @return  nullopt: it goes on
std::optional<EndedRequestedSearch> advance_requested_search(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    BisectionId bisection,
    std::int64_t now_s);

/// What it named: a commit of the project, the innermost where it went inside of merges.
std::optional<FoundCommit> find_found(Database& db, BisectionId outermost);

/// Ends it with its jobs, if it has not ended.
void end_requested_search(
    Database& db, BisectionId outermost, const std::string& why, std::int64_t now_s);

}  // namespace vigil::service
