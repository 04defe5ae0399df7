#include "service/report/send/check_sender.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/json.hpp"
#include "service/report/send/tracker_answer.hpp"
#include "service/report/send/tracker_session.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_description_bytes = 130;  // a status has 140 characters
constexpr std::size_t max_summary_bytes = 60'000;   // a check run 65,535

/// A status knows no neutral: that nothing could be said is its error.
std::string_view status_word(CheckConclusion conclusion) {
    return conclusion == CheckConclusion::neutral ? "error" : to_string(conclusion);
}

http::Exchange set_status(
    TrackerSession& session, const ReportTarget& target, const Envelope& envelope) {
    nlohmann::json body = {
        {"state", status_word(envelope.check->conclusion)},
        {"context", check_name},
        {"description", text::one_line(envelope.title, max_description_bytes)}};
    if (!envelope.about.url.empty()) body["target_url"] = envelope.about.url;
    const auto path = repository_path(target) + "/statuses/" + envelope.check->revision.str();
    return session.call(target, "POST", path, wire::write_json(body));
}

http::Exchange set_check_run(
    TrackerSession& session, const ReportTarget& target, const Envelope& envelope) {
    nlohmann::json body = {
        {"name", check_name},
        {"head_sha", envelope.check->revision.str()},
        {"status", "completed"},
        {"conclusion", to_string(envelope.check->conclusion)},
        {"external_id", envelope.about.subject},
        {"output",
         {{"title", text::one_line(envelope.title, 200)},
          {"summary", text::first_bytes(envelope.body, max_summary_bytes)}}}};
    if (!envelope.about.url.empty()) body["details_url"] = envelope.about.url;
    auto path = repository_path(target) + "/check-runs";
    const auto known = issue_number(envelope.external_ref);
    if (known) path += "/" + std::to_string(*known);
    return session.call(target, known ? "PATCH" : "POST", path, wire::write_json(body));
}

/// Where a version after this one finds it.
std::string check_address(const ReportTarget& target, const http::Exchange& exchange) {
    try {
        const auto answer = wire::parse_json(exchange.response.body, "the tracker's answer");
        const auto id = answer.is_object() ? answer.find("id") : answer.end();
        if (!answer.is_object() || id == answer.end() || !id->is_number_integer()) return "";
        return fmt::format(
            "{}/repos/{}/check-runs/{}",
            target.base_url,
            target.repository,
            id->get<std::int64_t>());
    } catch (const Error&) {  // it is there all the same
        return "";
    }
}

}  // namespace

SendReply send_check(
    TrackerSession& session,
    const ReportTarget& target,
    const Envelope& envelope,
    std::int64_t now_s) {
    const bool app = !target.app_id.empty();
    const auto exchange =
        app ? set_check_run(session, target, envelope) : set_status(session, target, envelope);
    SendReply reply;
    if (exchange.progress == http::SendProgress::answered && exchange.response.ok()) {
        reply = sent(app ? check_address(target, exchange) : "");
    } else {
        reply = tracker_reply(exchange, "setting the check of a commit", now_s);
        reply.may_exist = false;  // twice is as good as once
        if (exchange.progress == http::SendProgress::answered && exchange.response.status == 422) {
            reply.outcome = SendOutcome::refused;
            reply.message += "; the repository may not have the nightly's commit";
        }
    }
    reply.wrote = true;
    return reply;
}

}  // namespace vigil::service
