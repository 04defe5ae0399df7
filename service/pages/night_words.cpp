#include "service/pages/night_words.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"
#include "service/pages/common/render.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

std::int64_t number_in(const json& counts, const char* key) {
    const auto& value = member(counts, key);
    return value.is_number() ? value.get<std::int64_t>() : 0;
}

std::int64_t sum_of(const json& counts) {
    std::int64_t sum = 0;
    if (!counts.is_object()) return sum;
    for (const auto& [key, value] : counts.items()) sum += value.get<std::int64_t>();
    return sum;
}

/// "3 failed, 1 oom" of what is not the usual.
std::string others_in(const json& counts, std::string_view usual) {
    std::string words;
    if (!counts.is_object()) return words;
    for (const auto& [key, value] : counts.items()) {
        if (key == usual) continue;
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", value.get<std::int64_t>(), key);
    }
    return words;
}

bool is_at_work(std::string_view state) {
    return is_one<NightlyState>(state, is_open);
}

json fact(std::string_view term, std::string value, std::string more = "") {
    return {{"term", term}, {"value", std::move(value)}, {"more", std::move(more)}};
}

struct NightSpent {
    std::int64_t runs = 0;
    std::int64_t machine_s = 0;
};

NightSpent night_spent(const json& summary) {
    NightSpent spent;
    for (const auto& [purpose, work] : summary.at("spent").items()) {
        spent.runs += work.at("runs").get<std::int64_t>();
        spent.machine_s += work.at("machine_s").get<std::int64_t>();
    }
    return spent;
}

json over_view(const json& ended_at_s, std::int64_t now_s) {
    if (!ended_at_s.is_number()) return nullptr;
    return {{"ended", time_view(ended_at_s, now_s)}};
}

}  // namespace

Saying night_headline(const json& summary) {
    const auto state = summary.at("nightly").at("state").get<std::string>();
    const auto& open = summary.at("open");
    if (!open.empty()) {
        const auto fresh = std::ranges::count_if(
            open, [](const auto& one) { return one.at("new").template get<bool>(); });
        auto words = fmt::format("{} open", open.size());
        if (fresh > 0) words += fmt::format(", {} new", fresh);
        return {words, Mood::bad, "\u25B2"};
    }
    if (is_at_work(state)) {
        const auto& jobs = summary.at("jobs");
        const auto all = sum_of(jobs);
        const auto left = number_in(jobs, "queued") + number_in(jobs, "leased");
        const auto how = all == 0 ? "" : fmt::format(": {} of {} jobs ended", all - left, all);
        const auto verb = state == "measuring"    ? "Measuring"
                          : state == "confirming" ? "Measuring again"
                                                  : "Searching";
        return {verb + how, Mood::busy, "\u25B8"};
    }
    if (summary.at("all_clear").get<bool>()) return {"All clear", Mood::good, "\u2713"};
    if (state == "failed") return {"The night failed", Mood::bad, "\u25B2"};
    if (const auto& compared = summary.at("compared"); compared.is_number() && compared > 0) {
        const auto waiting = summary.at("waiting").get<std::int64_t>();
        auto words = fmt::format("Nothing worse, {} missing", summary.at("missing").size());
        if (waiting > 0) words += fmt::format(", {} undecided", waiting);
        return {words, Mood::quiet, "\u2022"};
    }
    return {"Nothing was compared", Mood::quiet, "\u2022"};
}

json night_progress(const json& summary, std::int64_t now_s) {
    const auto& night = summary.at("nightly");
    const auto& jobs = summary.at("jobs");
    const auto all = sum_of(jobs);
    if (!is_at_work(night.at("state").get<std::string>()) || all == 0) return nullptr;
    const auto left = number_in(jobs, "queued") + number_in(jobs, "leased");
    const auto ended = all - left;
    const auto taken_s = now_s - night.at("created_at_s").get<std::int64_t>();
    json view = {{"all", all}, {"ended", ended}, {"left", ""}};
    if (left > 0 && ended > 0 && taken_s > 0) {
        view["left"] = "about " + text::duration(taken_s * left / ended) + " left";
    }
    return view;
}

Saying night_mood(std::string_view state, std::int64_t regressions, JudgedNight judged) {
    if (regressions > 0) {
        return {"found " + text::counted(regressions, "regression"), Mood::bad, "\u25B2"};
    }
    if (state == "failed") return {"failed", Mood::bad, "\u00D7"};
    if (is_at_work(state)) return {std::string(state), Mood::busy, "\u25B8"};
    if (judged == JudgedNight::no) return {"history, not judged", Mood::quiet, "\u2022"};
    return {"nothing found", Mood::good, "\u2713"};
}

json night_view(const json& summary, std::int64_t now_s) {
    const auto& night = summary.at("nightly");
    const auto version = name_words(night.at("version"));
    const auto revision = short_revision(night.at("revision"));
    return {
        {"id", night.at("id")},
        {"name", name_words(night.at("name"))},
        {"version", version == revision ? "" : version},
        {"revision", revision},
        {"message", name_words(night.at("message"))},
        {"state", state_view(night.at("state").get<std::string>())},
        {"begun", time_view(night.at("created_at_s"), now_s)},
        {"over", over_view(night.at("ended_at_s"), now_s)}};
}

json night_facts(const json& summary) {
    auto facts = json::array();
    const auto& runs = summary.at("runs");
    const auto all_runs = sum_of(runs);
    const auto passed = number_in(runs, "passed");
    if (all_runs > 0) {
        const auto rate = static_cast<double>(passed) / static_cast<double>(all_runs);
        facts.push_back(
            fact("Runs passed", text::share(rate), fmt::format("{} of {}", passed, all_runs)));
    }
    const auto& compared = summary.at("compared");
    facts.push_back(fact(
        "Series compared",
        compared.is_number() ? compared.dump() : "0",
        fmt::format("{} measured", summary.at("measured").get<std::int64_t>())));
    facts.push_back(fact(
        "Jobs done",
        std::to_string(number_in(summary.at("jobs"), "done")),
        others_in(summary.at("jobs"), "done")));
    facts.push_back(fact("Missing", std::to_string(summary.at("missing").size())));
    return facts;
}

json night_improvements(const json& summary) {
    auto rows = json::array();
    for (const auto& one : summary.at("improvements")) {
        const auto others = one.at("others").get<std::int64_t>();
        json row = {
            {"series", series_words(one)},
            {"change", percent_words(one.at("change_ratio"))},
            {"others", others == 0 ? "" : fmt::format("and {} more series", others)},
            {"said", ""}};
        if (one.at("culprit").is_string()) {
            row["by"] = {
                {"revision", short_revision(one.at("culprit"))},
                {"subject", shown_text(one.at("subject").get<std::string>(), 100)},
                {"size", percent_words(one.at("culprit_ratio"))}};
        } else if (one.at("state") == "searching") {
            row["said"] = "its commit is being searched";
        } else {
            const auto why = shown_text(one.at("message").get<std::string>(), 300);
            row["said"] = "its commit is not known: " + why;
        }
        rows.push_back(std::move(row));
    }
    if (rows.empty()) return nullptr;
    return {{"one", std::move(rows)}};
}

json night_budget(const json& summary, std::int64_t now_s) {
    const auto spent = night_spent(summary);
    const auto progress = night_progress(summary, now_s);
    const auto& again = summary.at("confirm_runs");
    const auto count = [&](const char* key) { return again.at(key).get<std::int64_t>(); };
    auto view = night_view(summary, now_s);
    view["project"] = name_words(summary.at("nightly").at("project"));
    view["jobs"] =
        progress.is_null()
            ? ""
            : fmt::format("{} of {}", progress.at("ended").dump(), progress.at("all").dump());
    view["left"] = progress.is_null() ? "" : progress.at("left").get<std::string>();
    view["runs"] = spent.runs;
    view["machine_time"] = text::duration(spent.machine_s);
    view["again"] = again.is_null() ? "" : fmt::format("{} of {}", count("taken"), count("limit"));
    view["again_left"] =
        again.is_null()
            ? ""
            : std::to_string(std::max<std::int64_t>(0, count("limit") - count("taken")));
    return view;
}

json night_costs(const json& summary) {
    auto costs = json::array();
    const auto spent = night_spent(summary);
    if (spent.machine_s > 0) {
        costs.push_back(fact(
            "Machine time", text::duration(spent.machine_s), text::counted(spent.runs, "run")));
    }
    if (const auto& again = summary.at("confirm_runs"); again.is_object()) {
        costs.push_back(fact(
            "Measured again",
            again.at("taken").dump(),
            "of " + again.at("limit").dump() + " runs"));
    }
    return costs;
}

}  // namespace vigil::service
