#include "service/pages/fleet/machine_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t most_canaries = 30;
constexpr double canary_width = 300;
constexpr double canary_height = 40;
constexpr double least_scale = 0.01;  // a percent fills half of the drawing

std::string words_of(const json& text) {
    return text.is_string() ? shown_text(text.get<std::string>(), 500) : "";
}

std::string why_given_up(const json& message) {
    const auto why = words_of(message.at("message"));
    return why.empty() ? "no reason is known" : why;
}

json stuck_row(
    const char* what, const json& name, std::string why, const json& since_s, std::int64_t now_s) {
    return {
        {"what", what},
        {"name", name.is_string() ? name_words(name) : name.dump()},
        {"why", why.empty() ? "no reason is known" : std::move(why)},
        {"since", time_view(since_s, now_s)},
        {"again", nullptr}};
}

/// What is sent again by a form at /KIND/ID/retry.
json sent_again(const char* kind, const char* what, const std::string& id) {
    return {
        {"action", fmt::format("/{}/{}/retry", kind, id)},
        {"scope", "triage"},
        {"verb", "Send again"},
        {"label", fmt::format("Send {} {} again", what, id)}};
}

/// "comment on #7", or "check of c0ffee00".
std::string notice_words(const json& notice) {
    const auto& revision = notice.at("revision");
    if (revision.is_null()) return "comment on #" + notice.at("number").dump();
    return "check of " + short_revision(revision);
}

}  // namespace

json stuck_rows(const StuckThings& stuck, std::int64_t now_s) {
    auto rows = json::array();
    for (const auto& one : stuck.troubles) {
        rows.push_back(stuck_row(
            "trouble", one.at("subject"), words_of(one.at("message")), one.at("since_s"), now_s));
    }
    for (const auto& one : stuck.workers) {
        if (one.at("state") == "quarantined") {
            rows.push_back(stuck_row(
                "worker",
                one.at("name"),
                words_of(one.at("reason")),
                one.at("last_seen_at_s"),
                now_s));
        } else if (one.at("unseen_s").is_number()) {
            const auto silent = text::duration(one.at("unseen_s").get<std::int64_t>());
            rows.push_back(stuck_row(
                "worker",
                one.at("name"),
                "it was not heard of for " + silent,
                one.at("last_seen_at_s"),
                now_s));
        }
    }
    for (const auto& one : stuck.jobs) {
        auto row = stuck_row(
            "job", one.at("id"), words_of(one.at("message")), one.at("created_at_s"), now_s);
        const auto id = one.at("id").dump();
        row["again"] = {
            {"action", "/jobs/" + id + "/retry"},
            {"scope", "trigger"},
            {"verb", "Try again"},
            {"label", "Try job " + id + " again"}};
        rows.push_back(std::move(row));
    }
    for (const auto& one : stuck.messages) {
        auto row = stuck_row(
            "message",
            one.at("id"),
            "to " + name_words(one.at("target")) + ": " + why_given_up(one),
            one.at("created_at_s"),
            now_s);
        row["again"] = sent_again("outbox", "message", one.at("id").dump());
        rows.push_back(std::move(row));
    }
    for (const auto& one : stuck.notices) {
        auto row = stuck_row(
            "notice",
            one.at("id"),
            fmt::format(
                "{} for {}: {}",
                notice_words(one),
                name_words(one.at("target")),
                why_given_up(one)),
            one.at("changed_at_s"),
            now_s);
        row["again"] = sent_again("notices", "notice", one.at("id").dump());
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string stuck_title(const json& stuck, std::size_t workers) {
    if (workers == 0) return "No worker yet";
    const auto count = static_cast<std::int64_t>(stuck.size());
    return count == 0 ? "Nothing is stuck"
                      : text::counted(count, "thing is", "things are") + " stuck";
}

json environment_rows(const json& environments, std::int64_t now_s) {
    auto rows = json::array();
    const auto shown = [](const json& fact) {
        return name_words(fact.is_string() || fact.is_null() ? fact : json(fact.dump()));
    };
    for (const auto& one : environments) {
        for (const auto& changed : one.at("changed")) {
            rows.push_back(
                {{"at", time_view(one.at("at_s"), now_s)},
                 {"fact", name_words(changed.at("fact"))},
                 {"before", shown(changed.at("before"))},
                 {"after", shown(changed.at("after"))}});
        }
    }
    return rows;
}

json canary_view(const json& canaries, std::int64_t now_s) {
    if (canaries.empty()) return nullptr;
    const auto count = std::min(canaries.size(), most_canaries);
    double scale = least_scale;
    for (std::size_t i = 0; i < count; ++i) {
        const auto& moved = canaries.at(i).at("moved_ratio");
        if (moved.is_number()) scale = std::max(scale, std::abs(moved.get<double>()));
    }
    auto bars = json::array();
    auto rows = json::array();
    const double step = canary_width / static_cast<double>(most_canaries);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& one = canaries.at(i);
        const auto& moved = one.at("moved_ratio");
        rows.push_back(
            {{"nightly", one.at("nightly")},
             {"night", name_words(one.at("night"))},
             {"state", state_view(one.at("state").get<std::string>())},
             {"moved", percent_words(moved)},
             {"at", time_view(one.at("created_at_s"), now_s)},
             {"message", name_words(one.at("message"))}});
        if (!moved.is_number()) continue;
        const double height = std::abs(moved.get<double>()) / scale * canary_height / 2;
        const double top = moved.get<double>() > 0 ? canary_height / 2 - height : canary_height / 2;
        bars.push_back(
            {{"x", fmt::format("{:.1f}", canary_width - step * (static_cast<double>(i) + .9))},
             {"y", fmt::format("{:.1f}", top)},
             {"width", fmt::format("{:.1f}", step * .8)},
             {"height", fmt::format("{:.1f}", std::max(height, .5))}});
    }
    const auto newest = percent_words(canaries.at(0).at("moved_ratio"));
    return {
        {"template", "canaries.html"},
        {"says",
         fmt::format(
             "Its reference build in {}: {}. The highest bar is {}.",
             text::counted(static_cast<std::int64_t>(count), "night"),
             newest.empty() ? "not measured in the newest" : newest + " in the newest",
             text::share(scale))},
        {"bars", std::move(bars)},
        {"rows", std::move(rows)}};
}

}  // namespace vigil::service
