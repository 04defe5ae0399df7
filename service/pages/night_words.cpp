#include "service/pages/night_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/state_sets.hpp"
#include "schema/text/capital.hpp"
#include "schema/text/numbers.hpp"
#include "schema/text/rolled_up.hpp"
#include "service/pages/common/render.hpp"
#include "service/report/facts/machine_hours.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

using Counts = std::map<std::string, std::int64_t>;

std::int64_t number_in(const Counts& counts, std::string_view key) {
    const auto found = counts.find(std::string(key));
    return found == counts.end() ? 0 : found->second;
}

std::int64_t sum_of(const Counts& counts) {
    std::int64_t sum = 0;
    for (const auto& [key, count] : counts) sum += count;
    return sum;
}

/// "3 failed, 1 oom" of what is not the usual.
std::string others_in(const Counts& counts, std::string_view usual) {
    std::string words;
    for (const auto& [key, count] : counts) {
        if (key == usual) continue;
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, key);
    }
    return words;
}

/// Of a night that is at work.
struct Progress {
    std::int64_t all = 0;
    std::int64_t left = 0;

    std::int64_t ended() const { return all - left; }
};

Progress progress_of(const NightSummary& summary) {
    const auto& jobs = summary.jobs;
    if (is_over(summary.facts.state)) return {};
    return {sum_of(jobs), number_in(jobs, "queued") + number_in(jobs, "leased")};
}

json fact(std::string_view term, std::string value, std::string more = "") {
    return {{"term", term}, {"value", std::move(value)}, {"more", std::move(more)}};
}

NightWorkFact night_spent(const NightFacts& facts) {
    NightWorkFact spent;
    for (const auto& [purpose, work] : facts.work) {
        spent.runs += work.runs;
        spent.machine_s += work.machine_s;
    }
    return spent;
}

/// "+12.3 %"; empty where nothing was measured, or where it comes from 0.
std::string change_words(const Comparison& size) {
    const bool is_known = size.runs_after > 0 && std::isfinite(size.change_ratio);
    return is_known ? text::percent(size.change_ratio) : "";
}

/// "Measuring: 3 of 9 jobs ended".
std::string at_work_words(const NightSummary& summary) {
    const auto state = summary.facts.state;
    const auto jobs = progress_of(summary);
    const auto how =
        jobs.all == 0 ? "" : fmt::format(": {} of {} jobs ended", jobs.ended(), jobs.all);
    const auto verb = state == NightlyState::measuring    ? "Measuring"
                      : state == NightlyState::confirming ? "Measuring again"
                                                          : "Searching";
    return verb + how;
}

}  // namespace

Saying night_headline(const NightSummary& summary) {
    const auto& headline = summary.headline;
    const auto words = text::with_capital(headline.words);
    if (headline.open > 0 || headline.standing == NightStanding::failed) {
        return {words, Mood::bad, "\u25B2"};
    }
    if (headline.standing == NightStanding::all_clear) return {words, Mood::good, "\u2713"};
    if (headline.standing != NightStanding::running) return {words, Mood::quiet, "\u2022"};
    return {at_work_words(summary), Mood::busy, "\u25B8"};
}

json night_progress(const NightSummary& summary, std::int64_t now_s) {
    const auto jobs = progress_of(summary);
    if (jobs.all == 0) return nullptr;
    const auto taken_s = now_s - summary.facts.started_at_s;
    json view = {{"all", jobs.all}, {"ended", jobs.ended()}, {"left", ""}};
    if (jobs.left > 0 && jobs.ended() > 0 && taken_s > 0) {
        view["left"] = "about " + text::duration(taken_s * jobs.left / jobs.ended()) + " left";
    }
    return view;
}

Saying night_mood(std::string_view state, std::int64_t regressions, JudgedNight judged) {
    if (regressions > 0) {
        return {"found " + text::counted(regressions, "regression"), Mood::bad, "\u25B2"};
    }
    if (state == "failed") return {"failed", Mood::bad, "\u00D7"};
    if (is_one<NightlyState>(state, is_open)) return {std::string(state), Mood::busy, "\u25B8"};
    if (judged == JudgedNight::no) return {"history, not judged", Mood::quiet, "\u2022"};
    return {"nothing found", Mood::good, "\u2713"};
}

json night_view(const ReportedNight& night, std::int64_t now_s) {
    const auto version = name_words(night.version);
    const auto revision = night.revision.brief();
    json view = {
        {"id", night.id.value},
        {"name", name_words(night.name)},
        {"version", version == revision ? "" : version},
        {"revision", revision},
        {"message", name_words(night.message)},
        {"state", state_view(to_string(night.state))},
        {"begun", time_view(night.started_at_s, now_s)},
        {"over", nullptr}};
    if (night.ended_at_s != 0) view["over"] = {{"ended", time_view(night.ended_at_s, now_s)}};
    return view;
}

json night_facts(const NightSummary& summary) {
    auto facts = json::array();
    const auto runs = sum_of(summary.outcomes);
    const auto passed = number_in(summary.outcomes, "passed");
    if (runs > 0) {
        const auto rate = static_cast<double>(passed) / static_cast<double>(runs);
        auto more = fmt::format("{} of {}", passed, runs);
        if (const auto& rolled = summary.facts.rolled_up) {
            more += "; " + text::rolled_up(rolled->runs, rolled->at_s);
        }
        facts.push_back(fact("Runs passed", text::share(rate), std::move(more)));
    }
    facts.push_back(fact(
        "Series compared",
        std::to_string(summary.facts.compared_series.value_or(0)),
        fmt::format("{} measured", summary.facts.measured_series)));
    facts.push_back(fact(
        "Jobs done",
        std::to_string(number_in(summary.jobs, "done")),
        others_in(summary.jobs, "done")));
    facts.push_back(fact("Missing", std::to_string(summary.facts.missing.size())));
    return facts;
}

json night_improvements(const NightFacts& facts) {
    auto rows = json::array();
    for (const auto& one : facts.improvements) {
        json row = {
            {"series", series_words(names_of(one))},
            {"change", change_words(one.confirmed)},
            {"others", one.others == 0 ? "" : fmt::format("and {} more series", one.others)},
            {"said", ""}};
        if (!one.culprit.empty()) {
            row["by"] = {
                {"revision", one.culprit.brief()},
                {"subject", shown_text(one.subject, 100)},
                {"size", change_words(one.verified)}};
        } else {
            row["said"] = one.is_searched
                              ? "its commit is being searched"
                              : "its commit is not known: " + shown_text(one.message, 300);
        }
        rows.push_back(std::move(row));
    }
    if (rows.empty()) return nullptr;
    return {{"one", std::move(rows)}};
}

json night_budget(const NightSummary& summary, std::int64_t now_s) {
    const auto spent = night_spent(summary.facts);
    const auto jobs = progress_of(summary);
    const auto& again = summary.again;
    auto view = night_view(summary.facts, now_s);
    view["project"] = name_words(summary.facts.project);
    view["jobs"] = jobs.all == 0 ? "" : fmt::format("{} of {}", jobs.ended(), jobs.all);
    view["left"] = jobs.all == 0 ? json("") : night_progress(summary, now_s).at("left");
    view["runs"] = spent.runs;
    view["machine_time"] = text::duration(spent.machine_s);
    view["again"] = again ? fmt::format("{} of {}", again->taken(), again->limit()) : "";
    view["again_left"] = again ? std::to_string(std::max(0, again->limit() - again->taken())) : "";
    return view;
}

json night_costs(const NightSummary& summary) {
    auto costs = json::array();
    const auto spent = night_spent(summary.facts);
    if (spent.machine_s > 0) {
        costs.push_back(fact(
            "Machine time", text::duration(spent.machine_s), text::counted(spent.runs, "run")));
    }
    for (const auto& hours : hours_by_class(summary.facts.machine_time)) {
        costs.push_back(fact(
            "On " + name_words(hours.machine_class),
            text::duration(hours.total_s()),
            class_hours_words(hours)));
    }
    for (const auto& day : summary.facts.budget_days) {
        costs.push_back(fact(
            "Project on " + day.day,
            text::duration(day.used_s),
            fmt::format(
                "of {} machine hours a day{}",
                day.limit_s / 3600,
                day.is_spent() ? ": spent, work waited for the next day" : "")));
    }
    if (const auto& again = summary.again) {
        costs.push_back(fact(
            "Measured again",
            std::to_string(again->taken()),
            fmt::format("of {} runs", again->limit())));
    }
    return costs;
}

}  // namespace vigil::service
