#include "service/pages/fleet/machine_words.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

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

constexpr std::size_t most_of_a_reason = 500;

constexpr const char* no_reason = "no reason is known";

std::string reason_of(const std::string& text) {
    return shown_text(text, most_of_a_reason);
}

std::string why_given_up(const ListedPost& post) {
    return post.message.empty() ? no_reason : reason_of(post.message);
}

/// What is sent again by a form at /KIND/ID/retry.
json sent_again(const char* kind, const char* what, std::int64_t id) {
    return {
        {"action", fmt::format("/{}/{}/retry", kind, id)},
        {"scope", "triage"},
        {"verb", "Send again"},
        {"label", fmt::format("Send {} {} again", what, id)}};
}

/// "comment on #7", or "check of c0ffee00".
std::string notice_words(const ListedNotice& notice) {
    return notice.revision ? "check of " + short_revision(*notice.revision)
                           : fmt::format("comment on #{}", notice.number);
}

/// The worker that a trouble says gets no jobs: both are one thing, and the trouble has the remedy.
const ListedWorker* find_held(const StuckThings& stuck, const ListedTrouble& trouble) {
    if (trouble.kind != "worker.quarantined") return nullptr;
    const auto found = std::ranges::find_if(stuck.workers, [&](const ListedWorker& one) {
        return one.is_held() && trouble.subject == "worker/" + std::to_string(one.id);
    });
    return found == stuck.workers.end() ? nullptr : &*found;
}

}  // namespace

json stuck_rows(const StuckThings& stuck, std::int64_t now_s) {
    auto rows = json::array();
    const auto add = [&](const char* what,
                         std::string name,
                         const std::string& why,
                         std::int64_t since_s) -> json& {
        return rows.emplace_back(json{
            {"what", what},
            {"name", std::move(name)},
            {"why", why.empty() ? no_reason : why},
            {"since", time_view(since_s, now_s)},
            {"again", nullptr}});
    };
    std::set<std::int64_t> told;
    for (const auto& one : stuck.troubles) {
        const auto* held = find_held(stuck, one);
        if (held != nullptr) told.insert(held->id);
        add(held == nullptr ? "trouble" : "worker",
            name_words(held == nullptr ? one.subject : held->name),
            reason_of(one.message),
            one.since_s);
    }
    for (const auto& one : stuck.workers) {
        if ((!one.is_held() && !one.is_silent()) || told.contains(one.id)) continue;
        const auto why = one.is_held() ? reason_of(one.reason)
                                       : "it was not heard of for " + text::duration(*one.unseen_s);
        add("worker", name_words(one.name), why, one.last_seen_at_s);
    }
    for (const auto& one : stuck.jobs) {
        const auto id = std::to_string(one.id);
        add("job", id, reason_of(one.message), one.created_at_s)["again"] = {
            {"action", "/jobs/" + id + "/retry"},
            {"scope", "trigger"},
            {"verb", "Try again"},
            {"label", "Try job " + id + " again"}};
    }
    for (const auto& one : stuck.messages) {
        add("message",
            std::to_string(one.id),
            "to " + name_words(one.target) + ": " + why_given_up(one),
            one.created_at_s)["again"] = sent_again("outbox", "message", one.id);
    }
    for (const auto& one : stuck.notices) {
        add("notice",
            std::to_string(one.id),
            fmt::format(
                "{} for {}: {}", notice_words(one), name_words(one.target), why_given_up(one)),
            one.changed_at_s)["again"] = sent_again("notices", "notice", one.id);
    }
    return rows;
}

std::string stuck_title(const json& stuck, std::size_t workers) {
    if (workers == 0) return "No worker yet";
    const auto count = static_cast<std::int64_t>(stuck.size());
    return count == 0 ? "Nothing is stuck"
                      : text::counted(count, "thing is", "things are") + " stuck";
}

json environment_rows(const std::vector<ListedEnvironment>& environments, std::int64_t now_s) {
    auto rows = json::array();
    for (const auto& one : environments) {
        for (const auto& changed : one.changed) {
            rows.push_back(
                {{"at", time_view(one.at_s, now_s)},
                 {"fact", name_words(changed.fact)},
                 {"before", name_words(changed.before.text)},
                 {"after", name_words(changed.after.text)}});
        }
    }
    return rows;
}

json canary_view(const std::vector<ListedCanary>& canaries, std::int64_t now_s) {
    if (canaries.empty()) return nullptr;
    const auto shown = std::span(canaries).first(std::min(canaries.size(), most_canaries));
    double scale = least_scale;
    for (const auto& one : shown) scale = std::max(scale, std::abs(one.moved_ratio.value_or(0)));
    auto bars = json::array();
    auto rows = json::array();
    const double step = canary_width / static_cast<double>(most_canaries);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto& one = shown[i];
        const auto moved = one.moved_ratio;
        rows.push_back(
            {{"nightly", one.nightly},
             {"night", name_words(one.night)},
             {"state", state_view(one.state)},
             {"moved", percent_words(moved)},
             {"at", time_view(one.created_at_s, now_s)},
             {"message", name_words(one.message)}});
        if (!moved) continue;
        const double height = std::abs(*moved) / scale * canary_height / 2;
        const double top = *moved > 0 ? canary_height / 2 - height : canary_height / 2;
        bars.push_back(
            {{"x", fmt::format("{:.1f}", canary_width - step * (static_cast<double>(i) + .9))},
             {"y", fmt::format("{:.1f}", top)},
             {"width", fmt::format("{:.1f}", step * .8)},
             {"height", fmt::format("{:.1f}", std::max(height, .5))}});
    }
    const auto newest = percent_words(shown.front().moved_ratio);
    return {
        {"template", "canaries.html"},
        {"says",
         fmt::format(
             "Its reference build in {}: {}. The highest bar is {}.",
             text::counted(std::ssize(shown), "night"),
             newest.empty() ? "not measured in the newest" : newest + " in the newest",
             text::share(scale))},
        {"bars", std::move(bars)},
        {"rows", std::move(rows)}};
}

}  // namespace vigil::service
