#include "service/watch/requested/request_words.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace vigil::service {

namespace {

constexpr std::array verdict_names{
    std::pair{Verdict::regression, "worse"},
    std::pair{Verdict::drift, "worse, not beyond the threshold"},
    std::pair{Verdict::improvement, "better"},
    std::pair{Verdict::noise, "the same"},
    std::pair{Verdict::watch, "undecided"}};

Verdict verdict_of(const SessionVerdict& said) {
    return said.verdict.value_or(Verdict::watch);
}

}  // namespace

bool is_apart(const SessionVerdict& ends) {
    return verdict_of(ends) == Verdict::regression || verdict_of(ends) == Verdict::improvement;
}

std::string verdict_words(const std::vector<SessionVerdict>& verdicts) {
    std::string words;
    for (const auto& [verdict, name] : verdict_names) {
        int count = 0;
        for (const auto& one : verdicts) count += verdict_of(one) == verdict;
        if (count == 0) continue;
        words += fmt::format("{}{} {}", words.empty() ? "" : "; ", count, name);
    }
    return words;
}

std::string ends_words(const SessionVerdict& ends) {
    const auto& c = ends.comparison;
    return fmt::format(
        "b is {:+.2f} % worse than a, from {:+.2f} % to {:+.2f} %; {}",
        100 * c.change_ratio,
        100 * c.low,
        100 * c.high,
        ends.reason);
}

}  // namespace vigil::service
