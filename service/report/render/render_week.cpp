#include "service/report/render/render_week.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/night_sections.hpp"
#include "service/report/render/sections.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t most_of_a_kind = 50;

using WeekList = std::vector<WeeksRegression>;

template <class Is>
WeekList those(const WeekFacts& facts, const Is& is) {
    WeekList out;
    std::copy_if(facts.regressions.begin(), facts.regressions.end(), std::back_inserter(out), is);
    return out;
}

std::string week_section(const WeekFacts& facts, std::string_view heading, const WeekList& list) {
    if (list.empty()) return "";
    const auto line = [&](const WeeksRegression& one) {
        const auto name = fmt::format("regression {}", one.id.value);
        std::string out = "- " + linked(name, regression_url(facts.links, one.id));
        if (is_plain_url(one.issue)) out += ", " + linked("issue", one.issue);
        return out + fmt::format(
                         ", {} since {}: {}\n",
                         standing_words(one.state, one.ended_as),
                         text::utc(one.found_s).substr(0, 10),
                         text::code_span(one.title, 120));
    };
    return fmt::format("### {}\n\n", heading) + listed(list, most_of_a_kind, line) + "\n";
}

}  // namespace

Document render_week(const WeekFacts& facts) {
    using S = RegressionState;
    const auto open = those(facts, [](const auto& one) { return is_open(one.state); });
    const auto found = those(facts, [&](const auto& one) {
        const bool is_real = one.ended_as != RegressionEnd::not_reproduced;
        return is_real && one.found_s >= facts.since_s;
    });
    const auto back = those(facts, [&](const auto& one) {
        return one.ended_as == RegressionEnd::recovered && one.changed_s >= facts.since_s;
    });
    const auto late = std::count_if(open.begin(), open.end(), [&](const auto& one) {
        return facts.answer_due_s > 0 && one.state != S::acknowledged &&
               one.found_s + facts.answer_due_s < facts.until_s;
    });
    Document document;
    const auto counts =
        fmt::format("{} found, {} recovered, {} open", found.size(), back.size(), open.size());
    document.title = fmt::format(
        "[perf] {}: the week to {}: {}",
        text::harmless(facts.project, 40),
        text::utc(facts.until_s).substr(0, 10),
        counts);
    document.body = fmt::format(
        "**Regressions of the week to {} UTC: {}.**{}\n\n",
        text::utc(facts.until_s),
        counts,
        late > 0 ? fmt::format(" {} of the open ones should have an answer by now.", late) : "");
    document.body += week_section(facts, "Open", open);
    document.body += week_section(facts, "Found this week", found);
    document.body += week_section(facts, "Recovered this week", back);
    document.body += precision_section(facts.precision) + facts.marker + "\n";
    return document;
}

}  // namespace vigil::service
