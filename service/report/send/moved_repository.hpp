#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "service/config/config.hpp"

// Where a repository that was renamed or transferred is now: the tracker answers its old name with
// redirects.

namespace vigil::http {
struct BaseUrl;
struct Exchange;
}  // namespace vigil::http

namespace vigil::service {

constexpr int max_redirects = 3;

/// Where the answer leads on the same server; nullopt: nowhere.
std::optional<std::string> redirect_of(const ReportTarget& target, const http::Exchange& exchange);

/// The new paths of repositories that moved, as redirects told them.
class MovedRepositories {
  public:
    /// The present path for `path` of the target's API: itself when no redirect is known.
    std::string path_now(const ReportTarget& target, const std::string& path) const;

    /// Records a redirect from `path` to `there`, and with it that of the whole repository.
    /// @return  false when the path was redirected too often
    bool note_moved(const ReportTarget& target, const std::string& path, const std::string& there);

    /// Records a success at `path`. Logs once that its repository moved.
    void note_arrived(const ReportTarget& target, const std::string& path);

    /// GitHub's id of the repository, where a redirect named it.
    std::optional<std::int64_t> find_id(const ReportTarget& target) const;

  private:
    struct NewPlace {
        std::string path;
        int hops = 0;  ///< redirects since the last success
        bool told = false;
    };
    const NewPlace* find_place(const ReportTarget& target, const std::string& path) const;

    std::map<std::string, NewPlace> known_;  ///< by target and path
};

/// Path and query of a redirect's target when it has the scheme, host and port of `base`; nullopt:
/// it leads elsewhere, or is no URL.
/// @param location  absolute, or a path
std::optional<std::string> path_on_same_server(
    const http::BaseUrl& base, std::string_view location);

}  // namespace vigil::service
