#include "service/report/send/callback_sender.hpp"

#include <chrono>

#include "schema/http/client.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "service/config/secret.hpp"
#include "service/report/send/hook_sender.hpp"

namespace vigil::service {

namespace {

http::Exchange call(
    const std::string& address,
    const std::string& token,
    const std::string& tail,
    const std::string& body,
    http::Headers headers) {
    const auto base = http::parse_base_url(address);
    const std::string origin = (base.secure ? "https://" : "http://") + base.authority();
    const http::Client client(origin, token);
    http::CallOptions options;
    options.timeout = std::chrono::seconds(30);
    options.max_response_bytes = std::int64_t{1} << 20;
    headers["user-agent"] = "vigil";
    const auto path = base.prefix + tail;
    return client.try_send("POST", path.empty() ? "/" : path, body, headers, options);
}

http::Exchange ask(const CallbackConfig& to, const std::string& body) {
    if (to.kind == CallbackKind::webhook) {
        const auto secret = read_secret_file(to.secret_file, "the callback's secret");
        const auto signature = "sha256=" + wire::hmac_sha256_hex(secret, body);
        return call(to.url, "", "", body, {{"x-vigil-signature-256", signature}});
    }
    return call(
        to.base_url,
        read_secret_file(to.token_file, "the callback's token"),
        "/repos/" + to.repository + "/dispatches",
        R"({"event_type":"vigil-measure","client_payload":)" + body + "}",
        {{"accept", "application/vnd.github+json"}, {"x-github-api-version", "2022-11-28"}});
}

}  // namespace

SendReply send_callback(const CallbackConfig& to, const std::string& body, std::int64_t now_s) {
    try {
        return hook_reply(ask(to, body), now_s);
    } catch (const Error& error) {
        return later(error.what());
    }
}

}  // namespace vigil::service
