#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "service/config/config.hpp"

namespace vigil::service {

/// What a GitHub App shows to get a token: a JWT, good from a minute ago for nine minutes more. A
/// pure function. @param private_key  PEM of RSA
/// @throws Error{invalid_argument} when the key is none
std::string app_jwt(const std::string& app_id, const std::string& private_key, std::int64_t now_s);

/// The tokens that the requests of targets carry.
class TrackerTokens {
  public:
    /// Content of the target's token file, or a token of its app. A new app token is requested
    /// when the known one expires within five minutes. Blocks.
    /// @throws Error when there is no token
    std::string find(const ReportTarget& target, std::int64_t now_s);

    /// Drops a token that the tracker refused.
    void forget(const ReportTarget& target);

  private:
    struct AppToken {
        std::string text;
        std::int64_t until_s = 0;  ///< UTC
    };
    static AppToken request(const ReportTarget& target, std::int64_t now_s);

    std::map<std::string, AppToken> known_;  ///< by app and installation
};

}  // namespace vigil::service
