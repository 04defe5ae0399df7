#include "service/pages/findings/search_view.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr double drawn_width = 1000;
constexpr double drawn_chance = 0.05;  // of the second commit, from which chances are drawn
constexpr double posterior_height = 120;
constexpr double least_width = 3;
constexpr double shown_chance = 0.001;
constexpr std::size_t most_likely_rows = 12;
constexpr std::size_t most_series = 4;

std::string at(double value) {
    return fmt::format("{:.1f}", value);
}

/// The commit at a position of the range; null where it is not listed.
const json& suspect_at(const json& bisection, std::int64_t position) {
    static const json none;
    for (const auto& one : bisection.at("suspects")) {
        if (one.at("position") == position) return one;
    }
    return none;
}

// A dependency's commit by its own name.
const json& revision_of(const json& suspect) {
    const auto& stands_for = member(suspect, "stands_for");
    return stands_for.is_string() ? stands_for : member(suspect, "revision");
}

json commit_view(const json& suspect, std::int64_t position) {
    return {
        {"position", position},
        {"revision", short_revision(revision_of(suspect))},
        {"subject", name_words(member(suspect, "subject"))},
        {"author", name_words(member(suspect, "author"))}};
}

/// Rounded down to a tenth of a percent.
std::string share_words(double chance) {
    if (chance > 0 && chance < shown_chance) return "below 0.1 %";
    return text::share(std::floor(chance * 1000 + 1e-9) / 1000);
}

/// Neighbours among positions, from the first to the last of each stretch.
std::vector<std::pair<int, int>> stretches_of(const std::set<int>& positions) {
    std::vector<std::pair<int, int>> all;
    for (const int position : positions) {
        if (!all.empty() && all.back().second + 1 == position) {
            all.back().second = position;
        } else {
            all.emplace_back(position, position);
        }
    }
    return all;
}

std::set<int> credible_of(const json& standing) {
    std::set<int> all;
    for (const auto& one : standing.at("series")) {
        for (const auto& position : one.at("credible")) all.insert(position.get<int>());
    }
    return all;
}

/// The positions that were measured so far, and those that are being measured.
std::set<int> planned_in(const json& bisection) {
    std::set<int> all;
    for (const auto& probe : bisection.at("probes")) {
        const auto& commits = member(probe.at("plan"), "commits");
        if (!commits.is_array()) continue;
        for (const auto& one : commits) all.insert(one.get<int>());
    }
    return all;
}

}  // namespace

std::set<std::int64_t> named_commits(const json& bisection) {
    std::set<std::int64_t> named;
    const auto& endings = member(member(bisection, "conclusion"), "endings");
    if (!endings.is_array()) return named;
    for (const auto& one : endings) {
        if (member(one, "ending") != "culprit") continue;
        named.insert(one.at("first").get<std::int64_t>());
    }
    return named;
}

json range_view(const json& bisection, const json& standing) {
    const auto commits = standing.at("commits").get<std::int64_t>();
    if (commits < 1) return nullptr;
    const double step = drawn_width / static_cast<double>(commits);
    const auto& left = standing.at("left");
    const auto count = left.at("count").get<std::int64_t>();
    auto parts = json::array();
    auto kept = credible_of(standing);
    if (kept.empty()) {
        for (int i = 1; i <= commits; ++i) kept.insert(i);
    }
    for (const auto& [first, last] : stretches_of(kept)) {
        const double width = std::max(least_width, step * (last - first + 1));
        const double x = std::min(step * (first - 1), drawn_width - width);
        parts.push_back({{"x", at(x)}, {"width", at(width)}});
    }
    auto ticks = json::array();
    for (const int position : planned_in(bisection)) {
        ticks.push_back({{"x", at(std::clamp(step * (position - .5), 0.0, drawn_width))}});
    }
    const auto hash_at = [&](int position) {
        return short_revision(member(suspect_at(bisection, position), "revision"));
    };
    // Where it is named what did it, what is left may have moved it a little more.
    const bool is_named = !named_commits(bisection).empty();
    return {
        {"template", "range.html"},
        {"says",
         fmt::format(
             "{} of {} may {}: {} to {}",
             count,
             text::counted(commits, "commit"),
             is_named ? "hold a change" : "have done it",
             hash_at(left.at("first").get<int>()),
             hash_at(left.at("last").get<int>()))},
        {"good", short_revision(bisection.at("good_revision"))},
        {"bad", short_revision(bisection.at("bad_revision"))},
        {"left", std::move(parts)},
        {"measured", std::move(ticks)}};
}

namespace {

/// A named commit was verified by more than what these chances are of.
std::string chance_words(const std::set<std::int64_t>& named, int position, double chance) {
    const bool is_reported = named.contains(position) && chance > .5;
    return is_reported ? "verified" : share_words(chance);
}

json posterior_rows(const json& bisection, const std::vector<std::pair<double, int>>& likely) {
    const auto named = named_commits(bisection);
    auto rows = json::array();
    double told = 0;
    for (const auto& [chance, position] : likely) {
        if (chance < shown_chance || rows.size() == most_likely_rows) break;
        auto row = commit_view(suspect_at(bisection, position), position);
        row["share"] = chance_words(named, position, chance);
        rows.push_back(std::move(row));
        told += chance;
    }
    // A series may have changed more than once, and then its chances are more than one together.
    double all = 0;
    for (const auto& [chance, position] : likely) all += chance;
    if (told <= 1) all = std::min(all, 1.0);
    const auto others = static_cast<std::int64_t>(likely.size() - rows.size());
    if (others > 0 && !rows.empty()) {
        rows.push_back(
            {{"others", {{"words", text::counted(others, "other commit")}}},
             {"share", share_words(std::max(0.0, all - told))}});
    }
    return rows;
}

json posterior_of(const json& bisection, const json& series, const std::string& name) {
    const auto chances = series.at("probabilities").get<std::vector<double>>();
    if (chances.empty()) return nullptr;
    std::vector<std::pair<double, int>> likely;
    for (std::size_t i = 0; i < chances.size(); ++i) {
        likely.emplace_back(chances[i], static_cast<int>(i) + 1);
    }
    std::ranges::stable_sort(
        likely, [](const auto& a, const auto& b) { return a.first > b.first; });
    const double highest = std::max(likely.front().first, 1e-9);
    const double step = drawn_width / static_cast<double>(chances.size());
    const auto named = named_commits(bisection);
    auto bars = json::array();
    for (std::size_t i = 0; i < chances.size(); ++i) {
        if (chances[i] < shown_chance) continue;
        const int position = static_cast<int>(i) + 1;
        const double height = posterior_height * chances[i] / highest;
        const double width = std::max(least_width, step * .8);
        const double x = step * (static_cast<double>(i) + .5) - width / 2;
        bars.push_back(
            {{"x", at(std::clamp(x, 0.0, drawn_width - width))},
             {"y", at(posterior_height - height)},
             {"width", at(width)},
             {"height", at(height)},
             {"label",
              short_revision(member(suspect_at(bisection, position), "revision")) + ": " +
                  chance_words(named, position, chances[i])}});
    }
    const auto& [chance, position] = likely.front();
    const auto best = short_revision(member(suspect_at(bisection, position), "revision"));
    const auto words = chance_words(named, position, chance);
    const bool is_verified = words == "verified";
    const auto says =
        is_verified ? fmt::format("Of {} commits {} holds a change: verified", chances.size(), best)
                    : fmt::format(
                          "Of {} commits {} holds a change most likely, with {}",
                          chances.size(),
                          best,
                          words);
    json view = {
        {"template", "posterior.html"},
        {"series", name},
        {"says", says},
        {"chart", nullptr},
        {"rows", posterior_rows(bisection, likely)}};
    // One bar in an empty chart shows nothing that the words do not.
    const bool has_rivals = likely.size() > 1 && likely[1].first >= drawn_chance;
    if (has_rivals) view["chart"] = {{"label", says}, {"bars", std::move(bars)}};
    return view;
}

}  // namespace

json posterior_views(const json& bisection, const json& standing, const SeriesNames& names) {
    auto views = json::array();
    for (const auto& one : standing.at("series")) {
        if (views.size() == most_series) break;
        const auto found = names.find(one.at("series").get<std::int64_t>());
        const auto name =
            found == names.end() ? "series " + one.at("series").dump() : found->second.words;
        auto view = posterior_of(bisection, one, name);
        if (!view.is_null()) views.push_back(std::move(view));
    }
    return views;
}

namespace {

/// Its runs, each once, with the value of the first series that it has.
json run_rows(const json& probe, const SeriesNames& names) {
    auto rows = json::array();
    std::int64_t last = 0;
    for (const auto& one : probe.at("observations")) {
        const auto run = one.at("run").get<std::int64_t>();
        if (run == last) continue;
        last = run;
        const auto& series = one.at("series");
        const auto found =
            series.is_number() ? names.find(series.get<std::int64_t>()) : names.end();
        const auto outcome = one.at("outcome").get<std::string>();
        json row = {
            {"revision", short_revision(one.at("revision"))},
            {"said",
             found == names.end() || !one.at("value").is_number()
                 ? outcome
                 : quantity_words(one.at("value").get<double>(), found->second.unit)},
            {"log", nullptr}};
        if (const auto& log = one.at("log"); log.is_string()) row["log"] = {{"digest", log}};
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string commits_words(const json& bisection, const json& plan) {
    const auto& commits = member(plan, "commits");
    std::string words;
    std::set<int> told;
    if (!commits.is_array()) return words;
    for (const auto& one : commits) {
        const int position = one.get<int>();
        if (!told.insert(position).second) continue;
        const auto revision = short_revision(member(suspect_at(bisection, position), "revision"));
        words += (words.empty() ? "" : ", ") + revision;
    }
    return words;
}

std::string took_words(const json& probe, std::int64_t now_s) {
    const auto& begun = probe.at("begun_at_s");
    if (!begun.is_number()) return "";
    const auto& ended = probe.at("ended_at_s");
    const auto until_s = ended.is_number() ? ended.get<std::int64_t>() : now_s;
    return text::duration(until_s - begun.get<std::int64_t>());
}

json probe_row(
    const json& bisection, const json& probe, const SeriesNames& names, std::int64_t now_s) {
    const auto& plan = probe.at("plan");
    const bool is_open = probe.at("state") == "open";
    const auto& job = probe.at("job_state");
    const auto state = is_open ? (job.is_string() ? job.get<std::string>() : "queued") : "done";
    const auto& purpose = member(plan, "purpose");
    const auto& why = member(plan, "why");
    auto runs = run_rows(probe, names);
    json row = {
        {"number", probe.at("number").get<int>() + 1},
        {"purpose", purpose == "verify" ? "verify" : "search"},
        {"commits", commits_words(bisection, plan)},
        {"worker", name_words(probe.at("worker"))},
        {"machine_class", name_words(probe.at("machine_class"))},
        {"state", state_view(state)},
        {"took", took_words(probe, now_s)},
        {"why", name_words(why)},
        {"some", nullptr}};
    if (!runs.empty()) {
        const auto words = text::counted(static_cast<std::int64_t>(runs.size()), "run");
        row["some"] = {{"words", words}, {"runs", std::move(runs)}};
    }
    return row;
}

}  // namespace

json probes_view(const json& bisection, const SeriesNames& names, std::int64_t now_s) {
    auto open = json::array();
    auto done = json::array();
    for (const auto& probe : bisection.at("probes")) {
        auto& list = probe.at("state") == "open" ? open : done;
        list.push_back(probe_row(bisection, probe, names, now_s));
    }
    std::reverse(done.begin(), done.end());  // the newest says the most
    if (open.empty() && done.empty()) return nullptr;
    for (auto& one : done) open.push_back(std::move(one));
    return {{"template", "probes.html"}, {"probes", std::move(open)}};
}

}  // namespace vigil::service
