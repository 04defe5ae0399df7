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

std::string hash_at(const WholeSearch& search, std::int64_t position) {
    return short_revision(search.revision_at(position));
}

json commit_view(const WholeSearch& search, std::int64_t position) {
    const auto* suspect = search.suspect_at(position);
    if (suspect == nullptr) return {{"position", position}};
    return {
        {"position", position},
        {"revision", short_revision(suspect->own())},
        {"subject", name_words(suspect->subject)},
        {"author", name_words(suspect->author)}};
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

std::set<int> credible_of(const SearchStanding& standing) {
    std::set<int> all;
    for (const auto& one : standing.series) all.insert(one.credible.begin(), one.credible.end());
    return all;
}

/// The positions that were measured so far, and those that are being measured.
std::set<int> planned_in(const WholeSearch& search) {
    std::set<int> all;
    for (const auto& probe : search.probes) {
        if (probe.plan) all.insert(probe.plan->commits.begin(), probe.plan->commits.end());
    }
    return all;
}

}  // namespace

json range_view(const WholeSearch& search, const SearchStanding& standing) {
    const int commits = standing.commits;
    if (commits < 1) return nullptr;
    const double step = drawn_width / commits;
    const auto& left = standing.left;
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
    for (const int position : planned_in(search)) {
        ticks.push_back({{"x", at(std::clamp(step * (position - .5), 0.0, drawn_width))}});
    }
    // Where it is named what did it, what is left may have moved it a little more.
    const bool is_named = !search.named().empty();
    return {
        {"template", "range.html"},
        {"says",
         fmt::format(
             "{} of {} may {}: {} to {}",
             left.count,
             text::counted(commits, "commit"),
             is_named ? "hold a change" : "have done it",
             hash_at(search, left.first),
             hash_at(search, left.last))},
        {"good", short_revision(search.good_revision)},
        {"bad", short_revision(search.bad_revision)},
        {"left", std::move(parts)},
        {"measured", std::move(ticks)}};
}

namespace {

/// A named commit was verified by more than what these chances are of.
std::string chance_words(const std::set<std::int64_t>& named, int position, double chance) {
    const bool is_reported = named.contains(position) && chance > .5;
    return is_reported ? "verified" : share_words(chance);
}

json posterior_rows(const WholeSearch& search, const std::vector<std::pair<double, int>>& likely) {
    const auto named = search.named();
    auto rows = json::array();
    double told = 0;
    for (const auto& [chance, position] : likely) {
        if (chance < shown_chance || rows.size() == most_likely_rows) break;
        auto row = commit_view(search, position);
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

json posterior_of(
    const WholeSearch& search, const std::vector<double>& chances, const std::string& name) {
    if (chances.empty()) return nullptr;
    std::vector<std::pair<double, int>> likely;
    for (std::size_t i = 0; i < chances.size(); ++i) {
        likely.emplace_back(chances[i], static_cast<int>(i) + 1);
    }
    std::ranges::stable_sort(
        likely, [](const auto& a, const auto& b) { return a.first > b.first; });
    const double highest = std::max(likely.front().first, 1e-9);
    const double step = drawn_width / static_cast<double>(chances.size());
    const auto named = search.named();
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
              hash_at(search, position) + ": " + chance_words(named, position, chances[i])}});
    }
    const auto& [chance, position] = likely.front();
    const auto best = hash_at(search, position);
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
        {"rows", posterior_rows(search, likely)}};
    // One bar in an empty chart shows nothing that the words do not.
    const bool has_rivals = likely.size() > 1 && likely[1].first >= drawn_chance;
    if (has_rivals) view["chart"] = {{"label", says}, {"bars", std::move(bars)}};
    return view;
}

}  // namespace

json posterior_views(
    const WholeSearch& search, const SearchStanding& standing, const SeriesNames& names) {
    auto views = json::array();
    for (const auto& one : standing.series) {
        if (views.size() == most_series) break;
        const auto found = names.find(one.series.value);
        const auto name =
            found == names.end() ? "series " + to_string(one.series) : found->second.words;
        auto view = posterior_of(search, one.probabilities, name);
        if (!view.is_null()) views.push_back(std::move(view));
    }
    return views;
}

namespace {

/// Its runs, each once, with the value of the first series that it has.
json run_rows(const ListedProbe& probe, const SeriesNames& names) {
    auto rows = json::array();
    std::int64_t last = 0;
    for (const auto& one : probe.observations) {
        if (one.run == last) continue;
        last = one.run;
        const auto found = one.series ? names.find(*one.series) : names.end();
        const bool has_value = found != names.end() && one.value;
        rows.push_back(
            {{"revision", short_revision(one.revision)},
             {"said", has_value ? quantity_words(one.value, found->second.unit) : one.outcome},
             {"log", one.log ? json{{"digest", *one.log}} : json()}});
    }
    return rows;
}

std::string commits_words(const WholeSearch& search, const ProbePlan& plan) {
    std::string words;
    std::set<int> told;
    for (const int position : plan.commits) {
        if (!told.insert(position).second) continue;
        words += (words.empty() ? "" : ", ") + hash_at(search, position);
    }
    return words;
}

std::string took_words(const ListedProbe& probe, std::int64_t now_s) {
    if (!probe.begun_at_s) return "";
    return text::duration(probe.ended_at_s.value_or(now_s) - *probe.begun_at_s);
}

json probe_row(
    const WholeSearch& search,
    const ListedProbe& probe,
    const SeriesNames& names,
    std::int64_t now_s) {
    const auto plan = probe.plan.value_or(ProbePlan{});
    const auto state = probe.is_open() ? probe.job_state.value_or("queued") : "done";
    auto runs = run_rows(probe, names);
    json row = {
        {"number", probe.number + 1},
        {"purpose", plan.purpose == "verify" ? "verify" : "search"},
        {"commits", commits_words(search, plan)},
        {"worker", name_words(probe.worker)},
        {"machine_class", name_words(probe.machine_class)},
        {"state", state_view(state)},
        {"took", took_words(probe, now_s)},
        {"why", name_words(plan.why)},
        {"some", nullptr}};
    if (!runs.empty()) {
        const auto words = text::counted(static_cast<std::int64_t>(runs.size()), "run");
        row["some"] = {{"words", words}, {"runs", std::move(runs)}};
    }
    return row;
}

}  // namespace

json probes_view(const WholeSearch& search, const SeriesNames& names, std::int64_t now_s) {
    auto open = json::array();
    auto done = json::array();
    for (const auto& probe : search.probes) {
        auto& list = probe.is_open() ? open : done;
        list.push_back(probe_row(search, probe, names, now_s));
    }
    std::reverse(done.begin(), done.end());  // the newest says the most
    if (open.empty() && done.empty()) return nullptr;
    for (auto& one : done) open.push_back(std::move(one));
    return {{"template", "probes.html"}, {"probes", std::move(open)}};
}

}  // namespace vigil::service
