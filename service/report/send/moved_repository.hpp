#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "service/config/config.hpp"

// Where a repository that was renamed or transferred is now: the tracker answers its old name with
// redirects. What was learnt is kept, on each lane, for as long as the daemon runs.

namespace vigil::http {
struct BaseUrl;
struct Exchange;
}  // namespace vigil::http

namespace vigil::service {

constexpr int max_redirects = 3;

/// Where a path of the target's API is now, as far as is known.
std::string place_of(const ReportTarget& target, const std::string& path);

/// Where the answer leads on the same server; nullopt: nowhere.
std::optional<std::string> redirect_of(const ReportTarget& target, const http::Exchange& exchange);

/// From now on `path` is there, and the rest of its repository with it.
/// @return  false: it has led on too often
bool note_moved(const ReportTarget& target, const std::string& path, const std::string& there);

/// It is there: a success came. That its repository moved is logged once.
void note_arrived(const ReportTarget& target, const std::string& path);

/// GitHub's id of the repository, where it was learnt from a redirect.
std::optional<std::int64_t> find_moved_id(const ReportTarget& target);

/// Path and query of a redirect's target when it has the scheme, host and port of `base`; nullopt:
/// it leads elsewhere, or is no URL.
/// @param location  absolute, or a path
std::optional<std::string> path_on_same_server(
    const http::BaseUrl& base, std::string_view location);

}  // namespace vigil::service
