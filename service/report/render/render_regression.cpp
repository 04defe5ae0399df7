#include "service/report/render/render_regression.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

namespace vigil::service {

namespace {

/// " +18.3 % CPU time, today +6.6 % (2 series)".
std::string what_moved(const RegressionFacts& facts) {
    const SeriesFact& first = facts.series.front();
    std::string what;
    if (first.verdict == Verdict::broken) {
        what = first.failed == Outcome::oom ? " runs out of memory" : " no longer works";
    } else if (first.verdict == Verdict::leak) {
        what = " leaks memory";
    } else {
        const auto& c = best_comparison(first);
        const auto unit = text::harmless(first.unit, 40);
        what = " " + text::change(c.change_ratio, c.before, c.after, unit);
        const bool says_what =
            std::isinf(c.change_ratio) && kind_of(first.metric) == MetricKind::other;
        if (!says_what) what += " " + std::string(metric_words(first.metric));
        if (first.today) {
            const auto& level = first.today->level;
            what += ", today " + text::change(level.change_ratio, level.before, level.after, unit);
        }
    }
    if (facts.series.size() > 1) what += fmt::format(" ({} series)", facts.series.size());
    return what;
}

std::string title_of(const RegressionFacts& facts) {
    static constexpr std::string_view begin = "[perf] ";
    static constexpr std::string_view cut = "...";
    if (facts.series.empty()) {
        return fmt::format("{}{}: a regression", begin, text::harmless(facts.project, 40));
    }
    const SeriesFact& first = facts.series.front();
    std::string where;
    if (facts.ended_as == RegressionEnd::not_reproduced) {
        where = ", not reproduced";
    } else if (is_unconfirmed(first)) {
        where = ", not confirmed";
    } else if (facts.culprit) {
        where = ": " + facts.culprit->brief();
    } else if (!facts.left.empty()) {
        where = ": one of " + text::counted(std::int64_t(facts.left.size()), "commit");
    }
    const std::string rest = fmt::format(
        "{} since {}{}", what_moved(facts), text::harmless(facts.found_night, 20), where);
    const std::size_t room = max_title_length - begin.size() - rest.size() - cut.size();
    return fmt::format(
        "{}{}{}", begin, text::harmless(first.benchmark + " " + first.variant, room), rest);
}

/// The filed pair was measured against each other, and stands by itself.
std::string withdrawn_section(const RegressionFacts& facts) {
    std::string out;
    for (const auto& words : facts.withdrawn) {
        out += fmt::format(
            "The nightly of {} raised this: {}. Nothing is judged by what it measured by itself; "
            "what was measured of the builds against each other stands.\n\n",
            plain_words(facts.found_night, 20),
            plain_words(words, 300));
    }
    return out;
}

/// Who told it. What that person believes was no part of the search.
std::string missed_section(const RegressionFacts& facts) {
    std::string out;
    for (const auto& one : facts.missed) {
        out += fmt::format(
            "{} told this as missed since {}: it was not found by itself{}.",
            text::code_span(one.by, 60),
            text::code_span(one.night, 20),
            one.reason.empty() ? "" : ", " + text::code_span(one.reason, 300));
        if (one.believed) {
            out += fmt::format(
                " As that person believes, the commit is {}; the search was not told so.",
                commit_ref(facts.links, *one.believed));
        }
        out += "\n\n";
    }
    return out;
}

std::string folded(std::string_view summary, const std::string& section) {
    if (section.empty()) return "";
    return fmt::format("<details>\n<summary>{}</summary>\n\n{}</details>\n\n", summary, section);
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
    std::string head = verdict_section(facts);
    head += revert_section(facts);
    head += withdrawn_section(facts);
    head += missed_section(facts);
    head += origin_section(facts);
    head += what_is_worse_section(facts);
    head += today_section(facts);
    head += recovered_section(facts);
    head += reverted_section(facts);
    head += explained_section(facts);
    head += why_section(facts);
    head += others_section(facts);
    head += same_night_section(facts);
    std::string tail = folded("Merges that were searched inside", inside_section(facts));
    tail += folded("What else was considered", considered_section(facts));
    tail += reproduction_section(facts);
    tail += environment_section(facts);
    tail += levels_section(facts);
    tail += answer_section(facts);
    const std::string marker = facts.marker + "\n";

    const std::size_t room = max_body_bytes - marker.size();
    const std::size_t taken = head.size() + tail.size();
    std::string body = std::move(head);
    body += trail_section(facts, taken < room ? room - taken : 0);
    body += tail;
    clip(body, room);
    return {title_of(facts), std::move(body) + marker};
}

}  // namespace vigil::service
