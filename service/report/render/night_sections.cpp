#include "service/report/render/night_sections.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_rows = 60;
// Of what was open before: the summaries of years would else grow with what nobody answers.
constexpr std::size_t most_of_before = 20;

std::string_view found_by(std::string_view kind) {
    if (kind == "measured") return "an A/B session";
    if (kind == "creep") return "an A/B session, as a sum of small changes";
    return "its history, not measured again";
}

std::string_view machine_words(StormState state) {
    switch (state) {
        case StormState::environment: return "the machine moved, not the code";
        case StormState::code: return "the code moved, not the machine";
        case StormState::mixed: return "neither machine nor code alone";
        case StormState::given_up: return "could not be told";
        case StormState::checking: break;
    }
    return "still being checked";
}

std::string fixed_words(const NightFacts& facts, const NightRegressionFact& regression) {
    std::string out;
    for (const auto& fact : regression.fixes) out += ": " + fix_words(facts.links, fact);
    return out;
}

std::string by_commit(const Links& links, const NightImprovement& one) {
    const auto& size = one.verified;
    return fmt::format(
        "by {} {}{}",
        commit_ref(links, one.culprit),
        text::code_span(one.subject, 100),
        size.runs_after == 0 ? ""
                             : ", " + text::percent_within(size.change_ratio, size.low, size.high) +
                                   " against its parent");
}

/// One line of a list: what it is, how it stands, and what moved tonight.
std::string regression_point(const NightFacts& facts, const NightRegressionFact& regression) {
    std::string note = standing_words(regression.state, regression.ended_as);
    if (regression.tonight) {
        note += ", new";
    } else if (regression.recovered) {
        note += " tonight" + fixed_words(facts, regression);
    } else if (regression.back > 0) {
        note += fmt::format(
            ", {} of {} series back tonight{}",
            regression.back,
            regression.series,
            fixed_words(facts, regression));
    } else {
        note += ", since the nightly of " + plain_words(regression.found_night, 20);
    }
    return fmt::format(
        "- {}: {} ({}{}{})\n",
        linked(to_string(regression.id), regression_url(facts.links, regression.id)),
        plain_words(regression.title, 200),
        note,
        regression.culprit ? ", culprit " + commit_ref(facts.links, *regression.culprit) : "",
        is_plain_url(regression.issue) ? ", " + linked("issue", regression.issue) : "");
}

/// Machine time by class, and the days of the project's budget.
std::string machine_time_lines(const NightFacts& facts) {
    std::string out;
    std::string classes;
    for (const auto& hours : hours_by_class(facts.machine_time)) {
        classes += fmt::format(
            "{}{} {} ({})",
            classes.empty() ? "" : "; ",
            text::code_span(hours.machine_class, 60),
            hours_words(hours.total_s()),
            class_hours_words(hours));
    }
    if (!classes.empty()) out += fmt::format("\nMachine time by class: {}.\n", classes);
    const auto budget = budget_words(facts.budget_days);
    if (!budget.empty()) {
        out += fmt::format("\nMachine hours of the project by day (UTC): {}.\n", budget);
    }
    return out;
}

}  // namespace

std::string regressions_section(const NightFacts& facts) {
    if (facts.regressions.empty()) return "";
    std::vector<const NightRegressionFact*> moved;
    std::vector<const NightRegressionFact*> before;
    for (const auto& one : facts.regressions) {
        const bool is_news = one.tonight || one.recovered || one.back > 0;
        (is_news ? moved : before).push_back(&one);
    }
    const auto point = [&](const NightRegressionFact* one) {
        return regression_point(facts, *one);
    };
    std::string out = "### Regressions\n\n" + listed(moved, max_rows, point);
    const auto shown = std::min(before.size(), most_of_before);
    out += listed(std::span(before).first(shown), shown, point);
    if (before.size() > shown) {
        const auto more = fmt::format("{} more", before.size() - shown);
        const auto url = open_regressions_url(facts.links);
        out += "- and " + linked(more, url) + " that were open before this night\n";
    }
    return out + "\n";
}

std::string missing_section(const NightFacts& facts) {
    if (facts.missing.empty()) {
        return "### Missing\n\nNothing: every job ended, every planned run gave its values.\n\n";
    }
    const auto point = [](const MissingFact& missing) {
        // No reader has a path of the daemon's or a worker's machine.
        const std::string why = missing.in_sandbox ? missing.why : without_paths(missing.why);
        return "- " + plain_words(missing.what, 120) + ": " + text::code_span(why, 200) + "\n";
    };
    return "### Missing\n\n" + listed(facts.missing, max_rows, point) + "\n";
}

std::string series_section(const NightFacts& facts) {
    if (facts.series_notes.empty()) return "";
    const auto point = [](const std::string& note) { return "- " + plain_words(note, 500) + "\n"; };
    return "### Series\n\n" + listed(facts.series_notes, max_rows, point) + "\n";
}

std::string values_section(const NightFacts& facts) {
    if (facts.values.empty()) return "";
    const auto row = [](const NightValueFact& one) {
        return fmt::format(
            "| {} | {} | {} | {} |\n",
            series_words(one),
            metric_words(one.metric),
            text::quantity(one.value, unit_of(one.metric)),
            one.runs);
    };
    return "### Measured\n\n| Series | Metric | Value | Runs |\n|---|---|---:|---:|\n" +
           listed(facts.values, max_rows, row, more_rows) + "\n";
}

std::string changes_section(const NightFacts& facts) {
    if (!facts.beside.empty()) return "";
    if (facts.changes.empty()) {
        const bool nothing = facts.compared_series.value_or(facts.measured_series) == 0;
        return fmt::format(
            "### Suspicions\n\nNone: {}.\n\n",
            nothing ? "nothing was compared"
                    : "no series looked worse or better than its baseline");
    }
    const auto size = [](const NightChangeFact& change) {
        const auto& again = change.confirmed;
        const auto unit = unit_of(change.metric);
        if (std::isinf(again.change_ratio)) {
            return text::change(again.change_ratio, again.before, again.after, unit);
        }
        return again.runs_before > 0
                   ? text::percent_within(again.change_ratio, again.low, again.high)
                   : text::percent(change.change_ratio) + " by the night alone";
    };
    const auto row = [&](const NightChangeFact& change) {
        return fmt::format(
            "| {} | {} | {} | {} |\n",
            series_words(change),
            metric_words(change.metric),
            size(change),
            !change.waits.empty() ? "waits"
            : change.verdict      ? to_string(*change.verdict)
                                  : "undecided");
    };
    std::string out =
        "### Suspicions\n\n| Series | Metric | Change | Became |\n|---|---|---:|---|\n" +
        listed(facts.changes, max_rows, row, more_rows);
    const auto first =
        std::find_if(facts.changes.begin(), facts.changes.end(), [](const auto& one) {
            return !one.waits.empty();
        });
    if (first != facts.changes.end()) {
        out += fmt::format("\nWhat waits: {}.\n", plain_words(first->waits, 300));
    }
    return out + "\n";
}

std::string better_section(const NightFacts& facts) {
    if (facts.improvements.empty()) return "";
    const auto end = [&](const NightImprovement& one) -> std::string {
        if (one.is_searched) return "its commit is being searched";
        if (!one.culprit.empty()) return by_commit(facts.links, one);
        return "its commit is not known: " + plain_words(without_paths(one.message), 300);
    };
    const auto point = [&](const NightImprovement& one) {
        const auto& size = one.confirmed;
        const auto moved = text::counted(one.others, "more series moved", "more series moved");
        return fmt::format(
            "- {}, {}, {} in the night of {}{}: {}{}\n",
            series_words(one),
            metric_words(one.metric),
            text::percent_within(size.change_ratio, size.low, size.high),
            text::code_span(one.night, 20),
            one.others == 0 ? "" : fmt::format(" ({} with it)", moved),
            end(one),
            one.request ? fmt::format(
                              " ({})",
                              linked(
                                  "request " + to_string(*one.request),
                                  request_url(facts.links, *one.request)))
                        : "");
    };
    return "### Improvements\n\n" + listed(facts.improvements, max_rows, point) + "\n";
}

std::string drifts_section(const NightFacts& facts) {
    if (facts.drifts.empty()) return "";
    const auto row = [](const NightDriftFact& drift) {
        return fmt::format(
            "| {} | {} | {} | {} to {} | {} | {} |\n",
            series_words(drift),
            metric_words(drift.metric),
            text::percent(drift.change_ratio),
            text::percent(drift.low),
            text::percent(drift.high),
            text::code_span(drift.since_night, 20),
            found_by(drift.kind));
    };
    return "### Drifts\n\nCertain, and not filed.\n\n"
           "| Series | Metric | Change | 90 % | Since | Found by |\n|---|---|---:|---|---|---|\n" +
           listed(facts.drifts, max_rows, row, more_rows) + "\n";
}

std::string storms_section(const NightFacts& facts) {
    if (facts.storms.empty()) return "";
    std::string out = "### Machines\n\n";
    for (const auto& storm : facts.storms) {
        out += fmt::format(
            "- Worker {}: {} of {} series moved together: {}{}{}.\n",
            text::code_span(storm.worker, 60),
            storm.suspicious,
            storm.series,
            machine_words(storm.state),
            storm.message.empty() ? "" : ". By measuring again: " + plain_words(storm.message, 300),
            storm.rebased > 0 ? fmt::format(
                                    ". It stayed so: {} a new baseline",
                                    text::counted(storm.rebased, "series starts", "series start"))
                              : "");
    }
    return out + "\n";
}

std::string work_section(const NightFacts& facts) {
    std::string out = "### What ran\n\n";
    if (facts.work.empty()) return out + "No job.\n\n";
    out += "| For | Jobs | Ended as | Runs | Machine time |\n|---|---:|---|---:|---:|\n";
    for (const auto& [purpose, work] : facts.work) {
        std::int64_t jobs = 0;
        std::string states;
        for (const auto& [state, number] : work.jobs) {
            jobs += number;
            states += fmt::format("{}{} {}", states.empty() ? "" : ", ", number, to_string(state));
        }
        out += fmt::format(
            "| {} | {} | {} | {} | {} |\n",
            to_string(purpose),
            jobs,
            states,
            work.runs,
            hours_words(work.machine_s));
    }
    out += machine_time_lines(facts);
    std::string lost;
    for (const auto& one : facts.lost) {
        lost += fmt::format(
            "{}{} on {} ({})",
            lost.empty() ? "" : ", ",
            one.attempts,
            plain_words(one.worker, 64),
            text::code_span(without_paths(one.why), 200));
    }
    if (!lost.empty()) out += fmt::format("\nAttempts that workers did not end: {}.\n", lost);
    std::string outcomes;
    const auto own = facts.work.find(Purpose::nightly);
    for (const auto& [outcome, number] :
         own == facts.work.end() ? std::map<Outcome, int>{} : own->second.outcomes) {
        outcomes +=
            fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", number, to_string(outcome));
    }
    if (!outcomes.empty()) out += fmt::format("\nThe nightly's own runs: {}.\n", outcomes);
    if (!facts.same_revision_as.empty()) {
        out += fmt::format(
            "\nThe same revision as {}: what differs between the two is noise.\n",
            text::code_span(facts.same_revision_as, 80));
    }
    const std::string began = text::utc(facts.started_at_s) + " UTC";
    out += facts.ended_at_s == 0 ? fmt::format("\nBegan {}.\n", began)
                                 : fmt::format(
                                       "\nBegan {}, took {}.\n",
                                       began,
                                       hours_words(facts.ended_at_s - facts.started_at_s));
    const std::string night = nightly_url(facts.links, facts.id);
    if (!night.empty()) out += "\n" + linked("This nightly", night) + " in the daemon.\n";
    return out + "\n";
}

}  // namespace vigil::service
