#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/config/config.hpp"
#include "service/report/send/app_token.hpp"
#include "service/report/send/moved_repository.hpp"

namespace vigil::http {
struct Exchange;
}  // namespace vigil::http

namespace vigil::service {

/// Requests to the APIs of trackers, and what is to be remembered between them: tokens of apps, and
/// repositories that moved. Owned by the lane of one receiver and used on its thread only.
class TrackerSession {
  public:
    /// One request to a target's API, with its token, which is read each time. Blocks. An error
    /// stands in the exchange. A redirect on the same server is followed: at once for GET; else by
    /// the next request, and the exchange's message says so.
    /// @param path  with the prefix of base_url
    http::Exchange call(
        const ReportTarget& target,
        const std::string& method,
        const std::string& path,
        const std::string& body = "",
        int timeout_ms = 30'000);

    /// GitHub's id of the target's repository, where a redirect named it.
    std::optional<std::int64_t> moved_id(const ReportTarget& target) const {
        return moved_.find_id(target);
    }

  private:
    http::Exchange call_once(
        const ReportTarget& target,
        const std::string& method,
        const std::string& path,
        const std::string& body,
        int timeout_ms);

    TrackerTokens tokens_;
    MovedRepositories moved_;
};

}  // namespace vigil::service
