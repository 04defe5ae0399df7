#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

// What else was considered: nothing that was ruled out is left unsaid.

namespace vigil::service {

namespace {

constexpr std::size_t max_others = 6;
constexpr std::size_t max_reasons = 5;
constexpr double least_probability = 0.001;

/// " of S2"; empty where there is one series.
std::string of_series(const RegressionFacts& facts, int series) {
    return facts.series.size() < 2 ? "" : fmt::format(" of S{}", series + 1);
}

std::string other_suspects(const RegressionFacts& facts, const EndingFact& ending) {
    std::vector<std::pair<double, int>> suspects;  // largest first: negated
    for (std::size_t i = 0; i < ending.posterior.size(); ++i) {
        const int position = int(i) + 1;
        const bool named = ending.culprit && position >= ending.first && position <= ending.last;
        if (named || ending.posterior[i] < least_probability) continue;
        suspects.push_back({-ending.posterior[i], position});
    }
    std::sort(suspects.begin(), suspects.end());
    const auto one = [&](const auto& suspect) {
        return end_or_commit(facts, suspect.second) + ", " + text::share(-suspect.first) +
               " likely";
    };
    const std::string list = listed(suspects, max_others, one, "; and {} more", "; ");
    return fmt::format(
        "- {}{}: {}.\n",
        ending.culprit ? "Chances that a commit holds a further change" : "Suspects",
        of_series(facts, ending.series),
        list.empty() ? "none is 0.1 % likely" : list);
}

std::string unmoved(const RegressionFacts& facts) {
    if (facts.measured_series == 0) return "";
    std::string names;
    for (std::size_t i = 0; i < std::min(facts.unmoved_names.size(), max_others); ++i) {
        names +=
            (names.empty() ? ", among them " : ", ") + text::code_span(facts.unmoved_names[i], 120);
    }
    return fmt::format(
        "- Did not move that night: {} of {} judged series{}.\n",
        facts.unmoved_series,
        facts.measured_series,
        names);
}

std::string sentence(const std::string& text, std::size_t limit) {
    std::string words = plain_words(text, limit);
    if (!words.empty() && words.back() != '.') words += '.';
    return words;
}

}  // namespace

std::string considered_section(const RegressionFacts& facts) {
    std::string out;
    for (const auto& ending : facts.endings) {
        if (ending.posterior.empty()) continue;
        out += other_suspects(facts, ending);
        if (facts.series.size() > 3) break;  // one stands for all: they were found to be one cause
    }
    std::size_t reasons = 0;
    for (const auto& ending : facts.endings) {
        if (ending.reason.empty() || ++reasons > max_reasons) continue;
        out += fmt::format(
            "- How the search ended{}: {}\n",
            facts.series.size() < 2 ? "" : fmt::format(" for S{}", ending.series + 1),
            sentence(ending.reason, 300));
    }
    out += unmoved(facts);
    std::string verdicts;
    for (const auto& [verdict, count] : facts.verdicts) {
        verdicts += fmt::format("{}{} {}", verdicts.empty() ? "" : ", ", count, to_string(verdict));
    }
    if (!verdicts.empty()) {
        out += fmt::format("- That night's suspicions ended as: {}.\n", verdicts);
    }
    for (const auto& series : facts.series) {
        if (series.rule.empty()) continue;
        out += fmt::format("- What raised the suspicion: {}\n", sentence(series.rule, 400));
        break;
    }
    return out.empty() ? "" : out + "\n";
}

}  // namespace vigil::service
