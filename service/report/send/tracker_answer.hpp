#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/config/config.hpp"
#include "service/report/send/attempt_rules.hpp"

namespace vigil::http {
struct Exchange;
}  // namespace vigil::http

namespace vigil::service {

/// What Vigil's checks are called, of a nightly's commit as of a pull request.
inline constexpr const char* check_name = "vigil";

/// The path of a target's repository, with the prefix of base_url.
std::string repository_path(const ReportTarget& target);

bool is_answered(const http::Exchange& exchange);

/// A member's text; empty: it has none, or is no object.
std::string text_at(const nlohmann::json& value, const char* key);

/// What an answer of the issues API means for the message, when it is not the success expected.
/// @param doing  "filing the issue", for the message
SendReply tracker_reply(
    const http::Exchange& exchange, const std::string& doing, std::int64_t now_s);

/// Until when (UTC) the server wants us quiet, at most as long as anybody is waited for; nullopt:
/// it does not say.
std::optional<std::int64_t> requested_wait(const http::Exchange& exchange, std::int64_t now_s);

/// The issue's number at the end of a reference such as ".../issues/12"; nullopt when there is
/// none.
std::optional<std::int64_t> issue_number(const std::string& ref);

}  // namespace vigil::service
