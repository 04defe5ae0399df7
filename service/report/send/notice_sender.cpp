#include "service/report/send/notice_sender.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/text/escape.hpp"
#include "schema/wire/json.hpp"
#include "service/config/links.hpp"
#include "service/report/send/tracker_answer.hpp"
#include "service/report/send/tracker_session.hpp"

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

/// Where people find a comment.
std::string address_in(const json& comment) {
    auto url = text_at(comment, "html_url");
    return is_plain_url(url) ? url : "the thread";
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

/// All that carry its marker, in GitHub's order; what failed else.
std::variant<std::vector<json>, SendReply> list_ours(
    TrackerSession& session,
    const DueNotice& notice,
    const NoticePlace& place,
    std::int64_t now_s) {
    std::vector<json> ours;
    const auto doing = "looking for " + place.doing;
    for (int page = 1; page <= max_notice_pages; ++page) {
        const auto path = fmt::format("{}per_page={}&page={}", place.list, notice_page, page);
        const auto exchange = session.call(notice.target, "GET", path);
        if (!is_answered(exchange) || !exchange.response.ok()) {
            return tracker_reply(exchange, doing, now_s);
        }
        const auto all = parse_listed(exchange, notice);
        if (!all.is_array()) return later(doing + ": the answer is not a list");
        for (const auto& one : all) {
            if (is_ours(one, notice) && !id_in(one).empty()) ours.push_back(one);
        }
        if (all.size() < std::size_t(notice_page)) break;
    }
    return ours;
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

SendReply make_notice(
    TrackerSession& session,
    const DueNotice& notice,
    const NoticePlace& place,
    std::int64_t now_s) {
    const auto doing = "making " + place.doing;
    const auto exchange =
        session.call(notice.target, "POST", place.make, wire::write_json(place.body));
    if (!is_answered(exchange) || !exchange.response.ok()) {
        auto reply = failed_reply(exchange, notice, doing, now_s);
        reply.filed = reply.may_exist;
        return reply;
    }
    SendReply reply = later(doing + ": the answer does not name it");
    reply.may_exist = reply.filed = true;
    try {
        const auto made = wire::parse_json(exchange.response.body, "the tracker's answer");
        auto id = id_in(made);
        if (!id.empty()) reply = sent(std::move(id));
        reply.filed = true;
        reply.address = address_in(made);
    } catch (const Error& error) {
        reply.message = doing + ": " + error.what();
    }
    return reply;
}

SendReply change_notice(
    TrackerSession& session,
    const DueNotice& notice,
    const NoticePlace& place,
    const std::string& id,
    std::int64_t now_s) {
    json body = place.body;
    body.erase("head_sha");
    const auto exchange =
        session.call(notice.target, "PATCH", place.change + id, wire::write_json(body));
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

/// Who wrote it: an account, of check runs an app.
json author_of(const json& value, const DueNotice& notice) {
    const char* key = is_check(notice) ? "app" : "user";
    const auto who = value.find(key);
    return who != value.end() && who->is_object() && who->contains("id") ? who->at("id") : json();
}

/// A comment that is there twice is removed; whoever did that before did the same.
SendReply remove_twin(
    TrackerSession& session,
    const DueNotice& notice,
    const NoticePlace& place,
    const std::string& id,
    std::int64_t now_s) {
    const auto doing = "removing the twin of " + place.doing;
    const auto exchange = session.call(notice.target, "DELETE", place.change + id);
    const int status = is_answered(exchange) ? exchange.response.status : 0;
    const bool gone =
        status == 404 || status == 410 || (is_answered(exchange) && exchange.response.ok());
    auto reply = gone ? look_again(now_s + 1, doing) : tracker_reply(exchange, doing, now_s);
    if (!gone && reply.outcome == SendOutcome::wait) reply.outcome = SendOutcome::later;
    reply.wrote = true;
    return reply;
}

/// The one of them that counts for GitHub, which shows the newest check run of a name.
std::string newest_of(const std::vector<json>& twins, std::string newest) {
    const auto is_newer = [](const std::string& a, const std::string& b) {
        return a.size() == b.size() ? a > b : a.size() > b.size();
    };
    for (const auto& one : twins) {
        if (is_newer(id_in(one), newest)) newest = id_in(one);
    }
    return newest;
}

}  // namespace

std::string external_id(const Marker& marker) {
    static constexpr std::string_view before = "<!-- ";
    static constexpr std::string_view after = " -->";
    return marker.line.substr(before.size(), marker.line.size() - before.size() - after.size());
}

SendReply send_notice(TrackerSession& session, const DueNotice& notice, std::int64_t now_s) {
    auto id = notice.row.external_ref;
    std::string address;
    const bool look_first = id.empty() && notice.row.ambiguous;
    try {
        const auto place = is_check(notice) ? check_place(notice) : comment_place(notice);
        if (look_first) {
            auto found = list_ours(session, notice, place, now_s);
            if (auto* failed = std::get_if<SendReply>(&found)) {
                failed->may_exist = true;
                return *failed;
            }
            const auto& ours = std::get<std::vector<json>>(found);
            if (!ours.empty()) id = id_in(ours.front());
            if (!ours.empty()) address = address_in(ours.front());
            if (id.empty() && now_s < notice.settled_at_s) {
                return look_again(
                    notice.settled_at_s, "looking for " + place.doing + ": it may still come");
            }
        }
        auto reply = id.empty() ? make_notice(session, notice, place, now_s)
                                : change_notice(session, notice, place, id, now_s);
        if (reply.address.empty()) reply.address = address;
        reply.wrote = true;
        return reply;
    } catch (const Error& error) {
        auto reply = later(std::string("writing a notice: ") + error.what());
        reply.may_exist = look_first;
        return reply;
    }
}

SendReply end_notice_twin(TrackerSession& session, const DueNotice& notice, std::int64_t now_s) {
    const auto& known = notice.row.external_ref;
    try {
        const auto place = is_check(notice) ? check_place(notice) : comment_place(notice);
        auto found = list_ours(session, notice, place, now_s);
        if (const auto* failed = std::get_if<SendReply>(&found)) return *failed;
        auto& ours = std::get<std::vector<json>>(found);
        const auto own = std::find_if(
            ours.begin(), ours.end(), [&](const json& one) { return id_in(one) == known; });
        if (own == ours.end()) return sent(known);  // somebody removed it
        const auto author = author_of(*own, notice);
        if (author.is_null()) return sent(known);  // whose the others are nobody can tell
        std::erase_if(ours, [&](const json& one) {
            return id_in(one) == known || author_of(one, notice) != author;
        });
        if (ours.empty()) return sent(known);
        if (is_check(notice)) return sent(newest_of(ours, known));
        return remove_twin(session, notice, place, id_in(ours.back()), now_s);
    } catch (const Error& error) {
        return later(std::string("looking for twins: ") + error.what());
    }
}

}  // namespace vigil::service
