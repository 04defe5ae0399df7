#include "service/report/render/render_regression.hpp"

#include <string_view>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

namespace vigil::service {

namespace {

std::string title_of(const RegressionFacts& facts) {
    if (facts.series.empty())
        return fmt::format("{}: a regression", text::harmless(facts.project, 40));
    const SeriesFact& first = facts.series.front();
    const std::string more =
        facts.series.size() > 1 ? fmt::format(" (and {} more)", facts.series.size() - 1) : "";
    std::string what = fmt::format(
        "{}/{}{} {} {}",
        text::harmless(first.benchmark, 40),
        text::harmless(first.variant, 40),
        more,
        metric_words(first.metric),
        text::percent(best_comparison(first).change_ratio));
    if (first.verdict == Verdict::broken) {
        what = fmt::format(
            "{}/{}{} no longer works",
            text::harmless(first.benchmark, 40),
            text::harmless(first.variant, 40),
            more);
    }
    std::string since;
    if (facts.state == RegressionState::not_reproduced) {
        since = ", not reproduced";
    } else if (first.verdict == Verdict::unconfirmed) {
        since = ", not confirmed";
    } else if (facts.culprit) {
        since = " since " + facts.culprit->brief();
    } else if (!facts.left.empty()) {
        since = ", " + text::counted(std::int64_t(facts.left.size()), "suspect");
    }
    return fmt::format("{}: {}{}", text::harmless(facts.project, 40), what, since);
}

/// The filed pair was measured against each other, and stands by itself.
std::string withdrawn_section(const RegressionFacts& facts) {
    std::string out;
    for (const auto& words : facts.withdrawn) {
        out += fmt::format(
            "The nightly of {} raised this: {}. Nothing is judged by what it measured by itself; "
            "what was measured of the builds against each other stands.\n\n",
            text::harmless(facts.found_night, 20),
            text::harmless(words, 300));
    }
    return out;
}

std::string footer(const RegressionFacts& facts) {
    const std::string here = regression_url(facts.links, facts.id);
    return fmt::format(
        "---\n{1}Answer it: `vigil regression acknowledge {0}`, or with a reason `vigil regression "
        "accept {0} --reason '...'` (the new level is fine) or `vigil regression refute {0} "
        "--reason '...'` (not a regression). This text is kept up to date: Vigil closes it when "
        "every series has recovered. Figures are the middle of several fresh processes; change is "
        "how much worse, whatever the direction.\n",
        facts.id.value,
        here.empty() ? "" : linked("This regression", here) + " in the daemon. ");
}

/// Cuts at a line's end, so that no code point, row or span is torn.
void clip(std::string& body, std::size_t limit) {
    static constexpr std::string_view notice =
        "\n\nThe rest does not fit into one issue and was left out here.\n";
    if (body.size() <= limit) return;
    const auto end = body.rfind('\n', limit - notice.size());
    body.resize(end == body.npos ? 0 : end);
    body += notice;
}

}  // namespace

Document render_regression(const RegressionFacts& facts) {
    std::string head = fmt::format("**{}**\n\n", verdict_sentence(facts));
    head += withdrawn_section(facts);
    head += origin_section(facts);
    head += recovered_section(facts);
    head += before_after_section(facts);
    head += verification_section(facts);
    head += inside_section(facts);
    head += others_section(facts);
    head += reproduction_section(facts);
    head += levels_section(facts);
    std::string tail = environment_section(facts) + considered_section(facts) + footer(facts);
    const std::string marker = "\n" + facts.marker + "\n";

    const std::size_t room = max_body_bytes - marker.size();
    const std::size_t taken = head.size() + tail.size();
    std::string body = std::move(head);
    body += trail_section(facts, taken < room ? room - taken : 0);
    body += tail;
    clip(body, room);
    std::string title = title_of(facts);
    VIGIL_ASSERT(title.size() <= 2 * max_title_bytes);
    if (title.size() > max_title_bytes) title = text::harmless(title, max_title_bytes / 4);
    return {std::move(title), std::move(body) + marker};
}

}  // namespace vigil::service
