#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/job_json.hpp"
#include "service/local/cases/cases.hpp"
#include "service/local/reading/value_text.hpp"

namespace vigil::local {

namespace {

using nlohmann::json;

constexpr std::size_t longest_name = 200;
constexpr std::size_t most_named = 3;

std::string interval_text(const Comparison& c) {
    if (!std::isfinite(c.low) || !std::isfinite(c.high)) return "";
    return percent_text(c.low) + " to " + percent_text(c.high);
}

int judged(const CaseCounts& counts) {
    return counts.cases - counts.only_good - counts.only_bad - counts.no_value;
}

/// The first few of a verdict by name: "BM_a, BM_b and 3 more".
std::string named(const ComparedCases& compared, Comparing verdict) {
    std::string text;
    std::size_t count = 0;
    for (const auto& one : compared.cases) {
        if (one.verdict != verdict || ++count > most_named) continue;
        text += (text.empty() ? "" : ", ") + text::one_line(one.printed.name, longest_name);
    }
    return count > most_named ? text + fmt::format(" and {} more", count - most_named) : text;
}

/// "BM_a -12.0 % (90 % interval -13.1 % to -10.9 %)"
std::string first_of(const ComparedCases& compared, Comparing verdict) {
    const auto found = std::ranges::find(compared.cases, verdict, &ComparedCase::verdict);
    if (found == compared.cases.end()) return "";
    const auto& c = found->judgement.comparison;
    const auto interval = interval_text(c);
    std::string text = text::one_line(found->printed.name, longest_name);
    if (c.runs_before > 0) text += " " + text::percent(c.change_ratio);
    return interval.empty() || c.runs_before == 0 ? text
                                                  : text + " (90 % interval " + interval + ")";
}

}  // namespace

std::string verdict_line(Comparing outcome) {
    switch (outcome) {
        case Comparing::stopped: return "stopped before a verdict";
        case Comparing::drift: return "worse, not beyond the threshold";
        case Comparing::same: return "no change beyond the threshold";
        case Comparing::only_good: return "only in the good build";
        case Comparing::only_bad: return "only in the bad build";
        case Comparing::no_value: return "without a value";
        default: return std::string(to_string(outcome));
    }
}

CaseLine line_of(const ComparedCase& one) {
    return {one.printed.name, one.printed.unit, one.verdict, one.judgement.comparison};
}

std::string cases_verdict(const CaseCounts& counts, bool better) {
    const auto all = text::counted(judged(counts), "case");
    const char* const what = better ? "better" : "worse";
    const int found = better ? counts.better : counts.worse;
    if (found > 0) return fmt::format("{}: {} of {}", what, found, all);
    if (counts.unsure > 0) {
        return fmt::format("unsure: {} of {}; of the others none is {}", counts.unsure, all, what);
    }
    return fmt::format("none of {} is {} beyond the threshold", all, what);
}

std::string counts_text(const CaseCounts& counts) {
    std::vector<std::string> parts;
    const auto tell = [&](std::int64_t count, const char* what) {
        if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
    };
    tell(counts.better, "better");
    tell(counts.drift, "worse, not beyond the threshold");
    tell(counts.same, "without a change beyond the threshold");
    tell(counts.unsure, "undecided");
    tell(counts.only_good, "only in the good build");
    tell(counts.only_bad, "only in the bad build");
    tell(counts.no_value, "without a value");
    tell(counts.left_out, "left out, beyond the first 5000");
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string case_rows(std::span<const CaseLine> lines) {
    const auto row = [](auto before, auto after, auto change, auto interval, auto name) {
        return fmt::format(
            "  {:>10}  {:>10}  {:>8}  {:<20}  {}\n", before, after, change, interval, name);
    };
    std::string text = row("before", "after", "change", "90 % interval", "case");
    for (const auto& one : lines) {
        const auto& c = one.comparison;
        text +=
            row(value_text(c.before, one.unit),
                value_text(c.after, one.unit),
                text::percent(c.change_ratio),
                interval_text(c),
                text::one_line(one.name, longest_name));
    }
    return text;
}

std::string cases_text(const ComparedCases& compared) {
    std::vector<CaseLine> worst;
    for (const auto& one : compared.cases) {
        if (one.verdict != Comparing::worse || worst.size() == most_case_lines) continue;
        worst.push_back(line_of(one));
    }
    std::string text = worst.empty() ? "" : case_rows(worst);
    const CaseCounts& counts = compared.counts;
    const auto more = counts.worse - static_cast<int>(worst.size());
    std::string rest = counts_text(counts);
    if (more > 0) rest = fmt::format("and {} more{}{}", more, rest.empty() ? "" : "; ", rest);
    if (!rest.empty()) text += "  " + rest + "\n";
    if (counts.better > 0) {
        text += "  best      " + first_of(compared, Comparing::better) + "\n";
    }
    for (const auto verdict : {Comparing::drift, Comparing::unsure, Comparing::stopped}) {
        const auto first = first_of(compared, verdict);
        if (first.empty()) continue;
        const char* const what = verdict == Comparing::drift ? "a little" : "undecided";
        text += fmt::format("  {:<9} {}\n", what, first);
    }
    for (const auto verdict : {Comparing::only_good, Comparing::only_bad, Comparing::no_value}) {
        const auto names = named(compared, verdict);
        if (names.empty()) continue;
        const char* const what = verdict == Comparing::only_good  ? "only good"
                                 : verdict == Comparing::only_bad ? "only bad"
                                                                  : "no value";
        text += fmt::format("  {:<9} {}\n", what, names);
    }
    return text;
}

json cases_json(const ComparedCases& compared) {
    json cases = json::array();
    for (const auto& one : compared.cases) {
        cases.push_back(
            {{"case", one.printed.name},
             {"verdict", to_string(one.verdict)},
             {"reason", one.judgement.reason},
             {"quantity", one.printed.quantity},
             {"unit", one.printed.unit},
             {"comparison", wire::to_json(one.judgement.comparison)}});
    }
    return cases;
}

}  // namespace vigil::local
