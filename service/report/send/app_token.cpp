#include "service/report/send/app_token.hpp"

#include <chrono>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/model/error.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/base64.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/signature.hpp"
#include "service/config/secret.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::int64_t behind_s = 60;         // the tracker's clock may be behind ours
constexpr std::int64_t jwt_lasts_s = 9 * 60;  // it takes ten minutes at most
constexpr std::int64_t renewed_before_s = 300;
constexpr std::int64_t token_lasts_s = 3600;

std::string key_of_app(const ReportTarget& target) {
    return fmt::format("{} {} {}", target.base_url, target.app_id, target.installation_id);
}

}  // namespace

TrackerTokens::AppToken TrackerTokens::request(const ReportTarget& target, std::int64_t now_s) {
    const auto key = read_secret_file(target.private_key_file, "the app's private key");
    const auto base = http::parse_base_url(target.base_url);
    const http::Client client(
        (base.secure ? "https://" : "http://") + base.authority(),
        app_jwt(target.app_id, key, now_s));
    http::CallOptions options;
    options.timeout = std::chrono::seconds(30);
    options.max_response_bytes = std::int64_t{1} << 20;
    options.proxy = target.proxy;
    const auto path =
        fmt::format("{}/app/installations/{}/access_tokens", base.prefix, target.installation_id);
    const http::Headers headers{
        {"accept", "application/vnd.github+json"},
        {"user-agent", "vigil"},
        {"x-github-api-version", "2022-11-28"}};
    const auto response = client.send("POST", path, "", headers, options);
    const std::string doing = "asking for a token of app " + target.app_id;
    if (!response.ok()) {
        throw Error(
            Errc::unavailable,
            fmt::format(
                "{}: the tracker answered {} {}; see app_id, installation_id and the key",
                doing,
                response.status,
                text::harmless(http::failure_text(response), 300)));
    }
    const auto answer = wire::parse_json(response.body, "the tracker's answer");
    if (!answer.is_object() || !answer.contains("token") || !answer.at("token").is_string()) {
        throw Error(Errc::unavailable, doing + ": the answer holds none");
    }
    AppToken token{answer.at("token").get<std::string>(), now_s + token_lasts_s};
    const auto ends = answer.find("expires_at");
    if (ends != answer.end() && ends->is_string()) {
        token.until_s = text::parse_time(ends->get<std::string>()).value_or(token.until_s);
    }
    return token;
}

std::string app_jwt(const std::string& app_id, const std::string& private_key, std::int64_t now_s) {
    const json head = {{"alg", "RS256"}, {"typ", "JWT"}};
    const json claims = {{"iat", now_s - behind_s}, {"exp", now_s + jwt_lasts_s}, {"iss", app_id}};
    const auto text =
        wire::base64_url(wire::write_json(head)) + "." + wire::base64_url(wire::write_json(claims));
    return text + "." + wire::base64_url(wire::sign_rs256(private_key, text));
}

std::string TrackerTokens::find(const ReportTarget& target, std::int64_t now_s) {
    if (target.app_id.empty()) return read_secret_file(target.token_file, "the tracker's token");
    auto& known = known_[key_of_app(target)];
    if (known.text.empty() || known.until_s - renewed_before_s <= now_s) {
        known = {};
        known = request(target, now_s);
    }
    return known.text;
}

void TrackerTokens::forget(const ReportTarget& target) {
    known_.erase(key_of_app(target));
}

}  // namespace vigil::service
