#include "service/report/send/notice_sender.hpp"

#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/text/escape.hpp"
#include "schema/wire/json.hpp"
#include "service/report/send/tracker_answer.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr int notice_page = 100;
constexpr int max_notice_pages = 25;

/// Where it is made, listed and changed, and what is written there.
struct NoticePlace {
    std::string doing;
    std::string make;
    std::string list;    ///< with a query
    std::string change;  ///< before its id
    json body;
};

bool is_check(const DueNotice& notice) {
    return !notice.row.words.revision.empty();
}

NoticePlace comment_place(const DueNotice& notice) {
    const auto& words = notice.row.words;
    const auto issues = repository_path(notice.target) + "/issues/";
    const auto own = fmt::format("{}{}/comments", issues, words.number);
    return {
        fmt::format("the comment below {}", words.number),
        own,
        own + "?",
        issues + "comments/",
        {{"body", words.body + "\n" + notice.marker.line + "\n"}}};
}

NoticePlace check_place(const DueNotice& notice) {
    const auto& words = notice.row.words;
    const auto repository = repository_path(notice.target);
    const bool goes_on = words.status == "queued" || words.status == "in_progress";
    json body = {
        {"name", check_name},
        {"head_sha", words.revision},
        {"external_id", external_id(notice.marker)},
        {"status", goes_on ? words.status : "completed"},
        {"output", {{"title", words.title}, {"summary", words.body}}}};
    if (!goes_on) body["conclusion"] = words.status;
    return {
        "the check run of " + words.revision.substr(0, 10),
        repository + "/check-runs",
        fmt::format(
            "{}/commits/{}/check-runs?check_name={}&filter=all&",
            repository,
            words.revision,
            check_name),
        repository + "/check-runs/",
        std::move(body)};
}

/// GitHub's id of a comment or a check run; "" where the answer has none.
std::string id_in(const json& value) {
    if (!value.is_object()) return "";
    const auto found = value.find("id");
    return found != value.end() && found->is_number_integer() ? found->dump() : "";
}

bool is_ours(const json& value, const DueNotice& notice) {
    return is_check(notice) ? text_at(value, "external_id") == external_id(notice.marker)
                            : has_marker_line(text_at(value, "body"), notice.marker.line);
}

json parse_listed(const http::Exchange& exchange, const DueNotice& notice) {
    auto all = wire::parse_json(exchange.response.body, "the tracker's answer");
    if (is_check(notice) && all.is_object() && all.contains("check_runs")) {
        return all.at("check_runs");
    }
    return all;
}

/// Its id; "" where there is none; what failed else.
std::variant<std::string, SendReply> find_notice(
    const DueNotice& notice, const NoticePlace& place, std::int64_t now_s) {
    const auto doing = "looking for " + place.doing;
    for (int page = 1; page <= max_notice_pages; ++page) {
        const auto path = fmt::format("{}per_page={}&page={}", place.list, notice_page, page);
        const auto exchange = call_tracker(notice.target, "GET", path, "");
        if (!is_answered(exchange) || !exchange.response.ok()) {
            return tracker_reply(exchange, doing, now_s);
        }
        const auto all = parse_listed(exchange, notice);
        if (!all.is_array()) return later(doing + ": the answer is not a list");
        for (const auto& one : all) {
            if (is_ours(one, notice) && !id_in(one).empty()) return id_in(one);
        }
        if (all.size() < std::size_t(notice_page)) break;
    }
    return std::string();
}

/// It ends here, and that is as it should be.
SendReply never(std::string why) {
    auto reply = later(std::move(why));
    reply.outcome = SendOutcome::refused;
    reply.unwanted = true;
    return reply;
}

/// What an answer means that is no success.
SendReply failed_reply(
    const http::Exchange& exchange,
    const DueNotice& notice,
    const std::string& doing,
    std::int64_t now_s) {
    if (is_check(notice) && is_answered(exchange) && exchange.response.status == 403) {
        const auto why = http::failure_text(exchange.response);
        const bool app = why.find("GitHub App") != why.npos;
        if (app || why.find("not accessible") != why.npos) {
            return never(
                doing + ": " + text::harmless(why, 300) +
                "; check runs take the token of a GitHub App with the permission Checks: write. "
                "The comment says the same");
        }
    }
    return tracker_reply(exchange, doing, now_s);
}

SendReply make_notice(const DueNotice& notice, const NoticePlace& place, std::int64_t now_s) {
    const auto doing = "making " + place.doing;
    const auto exchange =
        call_tracker(notice.target, "POST", place.make, wire::write_json(place.body));
    if (!is_answered(exchange) || !exchange.response.ok()) {
        return failed_reply(exchange, notice, doing, now_s);
    }
    SendReply reply = later(doing + ": the answer does not name it");
    reply.may_exist = true;
    try {
        auto id = id_in(wire::parse_json(exchange.response.body, "the tracker's answer"));
        if (!id.empty()) reply = sent(std::move(id));
    } catch (const Error& error) {
        reply.message = doing + ": " + error.what();
    }
    return reply;
}

SendReply change_notice(
    const DueNotice& notice, const NoticePlace& place, const std::string& id, std::int64_t now_s) {
    json body = place.body;
    body.erase("head_sha");
    const auto exchange =
        call_tracker(notice.target, "PATCH", place.change + id, wire::write_json(body));
    if (is_answered(exchange) && exchange.response.ok()) return sent(id);
    const auto doing = "changing " + place.doing;
    const int status = is_answered(exchange) ? exchange.response.status : 0;
    auto reply = status == 404 || status == 410
                     ? never(doing + ": somebody removed it, so it is not made again")
                     : failed_reply(exchange, notice, doing, now_s);
    reply.may_exist = false;  // it is known to be there; writing it twice is harmless
    reply.external_ref = id;
    return reply;
}

}  // namespace

std::string external_id(const Marker& marker) {
    static constexpr std::string_view before = "<!-- ";
    static constexpr std::string_view after = " -->";
    return marker.line.substr(before.size(), marker.line.size() - before.size() - after.size());
}

SendReply send_notice(const DueNotice& notice, std::int64_t now_s) {
    auto id = notice.row.external_ref;
    const bool look_first = id.empty() && notice.row.ambiguous;
    try {
        const auto place = is_check(notice) ? check_place(notice) : comment_place(notice);
        if (look_first) {
            auto found = find_notice(notice, place, now_s);
            if (auto* failed = std::get_if<SendReply>(&found)) {
                failed->may_exist = true;
                return *failed;
            }
            id = std::get<std::string>(found);
        }
        auto reply = id.empty() ? make_notice(notice, place, now_s)
                                : change_notice(notice, place, id, now_s);
        reply.wrote = true;
        return reply;
    } catch (const Error& error) {
        auto reply = later(std::string("writing a notice: ") + error.what());
        reply.may_exist = look_first;
        return reply;
    }
}

}  // namespace vigil::service
