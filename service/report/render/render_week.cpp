#include "service/report/render/render_week.hpp"

#include <algorithm>
#include <array>
#include <utility>

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

/// What is known of who did it.
std::string by_words(const WeeksRegression& one) {
    if (one.ended_as == RegressionEnd::recovered) {
        const auto after = ", back after " + text::duration(one.changed_s - one.found_s);
        const bool is_known = one.fixed && !one.fixed->author.empty();
        return (is_known ? ", fixed by " + plain_words(one.fixed->author, 60) : "") + after;
    }
    return one.author.empty() ? "" : ", by " + plain_words(one.author, 60);
}

std::string week_section(const WeekFacts& facts, std::string_view heading, const WeekList& list) {
    if (list.empty()) return "";
    const auto line = [&](const WeeksRegression& one) {
        const auto name = fmt::format("regression {}", one.id.value);
        std::string out = "- " + linked(name, regression_url(facts.links, one.id));
        if (is_plain_url(one.issue)) out += ", " + linked("issue", one.issue);
        return out + fmt::format(
                         ", {} since {}{}: {}\n",
                         standing_words(one.state, one.ended_as),
                         text::utc(one.found_s).substr(0, 10),
                         by_words(one),
                         text::code_span(one.title, 120));
    };
    return fmt::format("### {}\n\n", heading) + listed(list, most_of_a_kind, line) + "\n";
}

std::string improvement_words(const ImprovementFact& one) {
    const auto& [count, authors, subject] = one.commits;
    std::string by;
    if (one.culprit) {
        by = fmt::format(
            ", by `{}` {}", one.culprit->brief(), text::code_span(one.culprit_subject, 80));
    } else if (count == 1 && !subject.empty()) {
        by = fmt::format(", by {} of {}", text::code_span(subject, 80), author_words(authors));
    } else if (count > 0) {
        by = fmt::format(", {} by {}", text::counted(count, "commit"), author_words(authors));
    }
    std::string much = "runs again in night " + text::code_span(one.night_name, 60);
    if (one.verdict == Verdict::improvement) {
        much = fmt::format(
            "{:.1f} % better ({:.1f} to {:.1f}) in night {} than in {}",
            -100 * one.confirmed.change_ratio,
            -100 * one.confirmed.high,
            -100 * one.confirmed.low,
            text::code_span(one.night_name, 60),
            text::code_span(one.before_name, 60));
    }
    return fmt::format("- {}, {}: {}{}\n", series_words(one), metric_words(one.metric), much, by);
}

std::string improvements_section(const WeekFacts& facts) {
    if (facts.improvements.empty()) return "";
    return "### Became better this week\n\n" +
           listed(facts.improvements, most_of_a_kind, improvement_words) + "\n";
}

std::string machine_time_section(const WeekFacts& facts) {
    const auto words = machine_time_words(facts.machine_s);
    return words.empty() ? "" : "Time of the machines: " + words + ".\n\n";
}

std::string decisions_section(const WeekFacts& facts) {
    const auto decisions = decisions_of(facts);
    if (decisions.empty()) return "";
    return "### To decide\n\n" +
           listed(
               decisions,
               most_of_a_kind,
               [](const WeekDecision& one) {
                   return fmt::format("- {}: {}\n", one.subject, plain_words(one.words, 400));
               }) +
           "\n";
}

}  // namespace

bool is_answer_late(const WeekFacts& facts, const WeeksRegression& one) {
    return facts.answer_due_s > 0 && is_open(one.state) &&
           one.state != RegressionState::acknowledged &&
           one.found_s + facts.answer_due_s < facts.until_s;
}

std::vector<WeekDecision> decisions_of(const WeekFacts& facts) {
    std::vector<WeekDecision> decisions;
    for (const auto& one : facts.regressions) {
        if (!is_answer_late(facts, one)) continue;
        decisions.push_back(
            {fmt::format("regression/{}", one.id.value),
             fmt::format(
                 "it has had no answer for {}: fix it, accept it, or refute it",
                 text::duration(facts.until_s - one.found_s))});
    }
    for (const auto& mute : facts.mutes) {
        decisions.push_back(
            {mute.what,
             fmt::format(
                 "the mute of {} ends at {} UTC: mend it by then, or mute it anew",
                 mute.owner,
                 text::utc(mute.until_s))});
    }
    for (const auto& trouble : facts.troubles) {
        decisions.push_back({trouble.subject, trouble.message});
    }
    return decisions;
}

std::string author_words(const std::vector<std::string>& authors) {
    constexpr std::size_t most = 3;
    std::string words;
    for (std::size_t i = 0; i < std::min(most, authors.size()); ++i) {
        const bool is_last = i + 1 == authors.size();
        words += i == 0 ? "" : is_last ? " and " : ", ";
        words += plain_words(authors[i], 60);
    }
    if (authors.size() > most) words += fmt::format(" and {} more", authors.size() - most);
    return words;
}

std::string machine_time_words(const std::map<Purpose, std::int64_t>& machine_s) {
    constexpr std::array kinds{
        std::pair{Purpose::nightly, "for nights"},
        std::pair{Purpose::confirm, "to confirm"},
        std::pair{Purpose::probe, "to search"},
        std::pair{Purpose::verify, "to verify culprits"},
        std::pair{Purpose::request, "for what people asked"}};
    std::int64_t whole = 0;
    std::string parts;
    for (const auto& [purpose, words] : kinds) {
        const auto found = machine_s.find(purpose);
        if (found == machine_s.end() || found->second == 0) continue;
        whole += found->second;
        parts +=
            fmt::format("{}{} {}", parts.empty() ? "" : ", ", hours_words(found->second), words);
    }
    return whole == 0 ? "" : fmt::format("{} ({})", hours_words(whole), parts);
}

Document render_week(const WeekFacts& facts) {
    const auto open = those(facts, [](const auto& one) { return is_open(one.state); });
    const auto found = those(facts, [&](const auto& one) {
        const bool is_real = one.ended_as != RegressionEnd::not_reproduced;
        return is_real && one.found_s >= facts.since_s;
    });
    const auto back = those(facts, [&](const auto& one) {
        return one.ended_as == RegressionEnd::recovered && one.changed_s >= facts.since_s &&
               one.changed_s < facts.until_s;
    });
    const auto late = std::count_if(
        open.begin(), open.end(), [&](const auto& one) { return is_answer_late(facts, one); });
    Document document;
    const auto counts = fmt::format(
        "{} found, {} recovered, {} open, {} better",
        found.size(),
        back.size(),
        open.size(),
        facts.improvements.size());
    document.title = fmt::format(
        "[perf] {}: the week to {}: {}",
        text::harmless(facts.project, 40),
        text::utc(facts.until_s).substr(0, 10),
        counts);
    document.body = fmt::format(
        "**The week to {} UTC: {}.**{}\n\n",
        text::utc(facts.until_s),
        counts,
        late > 0 ? fmt::format(" {} of the open ones should have an answer by now.", late) : "");
    document.body += decisions_section(facts);
    document.body += week_section(facts, "Open", open);
    document.body += week_section(facts, "Found this week", found);
    document.body += week_section(facts, "Recovered this week", back);
    document.body += improvements_section(facts) + precision_section(facts.precision) +
                     machine_time_section(facts);
    if (!facts.marker.empty()) document.body += facts.marker + "\n";
    return document;
}

}  // namespace vigil::service
