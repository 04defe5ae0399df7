#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

// What else changed the regression's series between its two builds.

namespace vigil::service {

namespace {

constexpr std::size_t max_other_changes = 20;

std::string where(const RegressionFacts& facts, const OtherChangeFact& other) {
    if (other.first.empty()) return "commits not narrowed yet";
    if (other.first == other.last) return "commit " + commit_words(facts, other.first);
    return fmt::format(
        "commits {} to {}",
        commit_ref(facts.links, other.first),
        commit_ref(facts.links, other.last));
}

std::string what(const RegressionFacts& facts, const OtherChangeFact& other) {
    if (other.remains) {
        const std::string likely = other.remaining > 0
                                       ? fmt::format(
                                             " (chance of such a change: {})",
                                             text::share(std::min(other.remaining, 0.999), 0))
                                       : "";
        return fmt::format(
            "about {} most likely remains in {}, and was not found{}",
            text::percent(other.change_ratio),
            where(facts, other),
            likely);
    }
    const std::string size =
        other.verified ? text::percent(other.change_ratio) + ", verified, by " : "";
    if (!other.regression) {
        return fmt::format("{}{}; too small for a report of its own", size, where(facts, other));
    }
    const std::string name = fmt::format("regression {}", other.regression->value);
    return fmt::format(
        "{}{}: {}",
        size,
        where(facts, other),
        linked(name, regression_url(facts.links, *other.regression)));
}

}  // namespace

std::string others_section(const RegressionFacts& facts) {
    if (facts.others.empty()) return "";
    const auto point = [&](const OtherChangeFact& other) {
        return fmt::format("- S{}: {}.\n", other.series + 1, what(facts, other));
    };
    return "### Other changes in the range\n\nBetween the good and the bad build more than one "
           "change moved these series; the good build against the bad one shows all of them "
           "together.\n\n" +
           listed(facts.others, max_other_changes, point) + "\n";
}

}  // namespace vigil::service
