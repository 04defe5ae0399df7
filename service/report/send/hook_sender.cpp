#include "service/report/send/hook_sender.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/redact.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "service/config/links.hpp"
#include "service/config/secret.hpp"
#include "service/config/text_rules.hpp"
#include "service/report/send/message_text.hpp"
#include "service/report/send/tracker_answer.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t max_slack_text = 2900;  // of a block: 3,000 characters
constexpr std::size_t max_slack_parts = 20;   // a message has at most 50 blocks

http::Exchange post_to(
    const ReportTarget& target,
    const std::string& url,
    const std::string& body,
    http::Headers headers,
    std::vector<std::string> secrets = {}) {
    const auto base = http::parse_base_url(url);
    const http::Client client((base.secure ? "https://" : "http://") + base.authority());
    http::CallOptions options;
    options.timeout = std::chrono::seconds(30);
    options.max_response_bytes = std::int64_t{1} << 20;
    options.proxy = target.proxy;
    options.secrets = std::move(secrets);
    headers["user-agent"] = "vigil";
    return client.try_send("POST", base.prefix.empty() ? "/" : base.prefix, body, headers, options);
}

json facts_of(const Envelope& envelope) {
    const auto& told = envelope.about.told;
    json facts = {
        {"state", nullptr},
        {"ended_as", nullptr},
        {"culprit", nullptr},
        {"change_ratio", nullptr},
        {"broken", false}};
    if (told.state) facts["state"] = to_string(*told.state);
    if (told.ended_as) facts["ended_as"] = to_string(*told.ended_as);
    if (told.culprit) facts["culprit"] = told.culprit->str();
    if (told.change_ratio) facts["change_ratio"] = *told.change_ratio;
    facts["broken"] = told.broken;
    return facts;
}

/// Slack's own three; what is left of them makes no link and no mention.
std::string slack_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else {
            out += c;
        }
    }
    return out;
}

json section(const std::string& text) {
    return {
        {"type", "section"},
        {"text",
         {{"type", "plain_text"},
          {"text", text::lines(text::first_bytes(text, max_slack_text))},
          {"emoji", false}}}};
}

/// A link of our own, from the config and numbers.
json link_to(const std::string& url) {
    return {
        {"type", "context"},
        {"elements", {{{"type", "mrkdwn"}, {"text", fmt::format("<{}|The whole report>", url)}}}}};
}

SendReply send_slack(const ReportTarget& target, const Envelope& envelope, std::int64_t now_s) {
    const auto url = read_secret_file(target.url_file, "the address of Slack's webhook");
    if (const auto problem = index_problem(url); !problem.empty()) {
        return later("the address in " + target.url_file + " " + problem);
    }
    // Whoever knows the path of the address writes into the channel.
    const auto path = url.substr(std::min(url.find('/', url.find("//") + 2), url.size()));
    try {
        return hook_reply(post_to(target, url, slack_body(envelope), {}, {path}), now_s);
    } catch (const Error& error) {
        return later(text::redact(error.what(), {path}));
    }
}

SendReply send_webhook(const ReportTarget& target, const Envelope& envelope, std::int64_t now_s) {
    const auto secret = read_secret_file(target.secret_file, "the webhook's secret");
    const auto body = webhook_body(envelope);
    const http::Headers headers{
        {"x-vigil-event", envelope.about.kind},
        {"x-vigil-delivery",
         fmt::format("{}-{}", to_string(envelope.about.report), envelope.target)},
        {"x-vigil-signature-256", "sha256=" + wire::hmac_sha256_hex(secret, body)}};
    return hook_reply(post_to(target, target.url, body, headers), now_s);
}

}  // namespace

std::string webhook_body(const Envelope& envelope) {
    const auto& about = envelope.about;
    json body = facts_of(envelope);
    body["format"] = 1;
    body["kind"] = about.kind;
    body["subject"] = about.subject;
    body["project"] = about.project;
    body["report"] = about.report.value;
    body["version"] = about.version;
    body["title"] = envelope.title;
    body["body"] = envelope.body;
    body["closed"] = envelope.state == IssueState::closed;
    body["url"] = about.url.empty() ? json(nullptr) : json(about.url);
    return wire::write_json(body);
}

std::string slack_body(const Envelope& envelope) {
    json blocks = json::array();
    const auto parts = parts_of(envelope);
    for (std::size_t i = 0; i < std::min(parts.size(), max_slack_parts); ++i) {
        const auto& part = parts[i];
        blocks.push_back(section(part.title + "\n" + first_paragraph(part.body, max_slack_text)));
        if (is_plain_url(part.about.url)) blocks.push_back(link_to(part.about.url));
    }
    if (parts.size() > max_slack_parts) {
        blocks.push_back(section(fmt::format("And {} more.", parts.size() - max_slack_parts)));
    }
    const json body = {
        {"text", slack_escaped(headline(envelope))},
        {"blocks", std::move(blocks)},
        {"parse", "none"},
        {"link_names", false},
        {"unfurl_links", false}};
    return wire::write_json(body);
}

SendReply send_hook(const ReportTarget& target, const Envelope& envelope, std::int64_t now_s) {
    try {
        return target.kind == TargetKind::slack ? send_slack(target, envelope, now_s)
                                                : send_webhook(target, envelope, now_s);
    } catch (const Error& error) {
        return later(error.what());
    }
}

SendReply hook_reply(const http::Exchange& exchange, std::int64_t now_s) {
    if (exchange.progress != http::SendProgress::answered) return unanswered(exchange.message);
    const int status = exchange.response.status;
    if (exchange.response.ok()) return sent("");
    auto reply = later(fmt::format(
        "it answered {} {}", status, text::harmless(http::failure_text(exchange.response), 300)));
    reply.not_before_s = requested_wait(exchange, now_s);
    if (status == 429 && reply.not_before_s) reply.outcome = SendOutcome::wait;
    // Addresses and secrets are fixed; what is not understood is not understood again.
    if (status == 400 || status == 410 || status == 413 || status == 415 || status == 422) {
        reply.outcome = SendOutcome::refused;
    }
    return reply;
}

}  // namespace vigil::service
