#include "service/report/render_night.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "service/report/sections.hpp"
#include "service/report/text.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_rows = 60;

struct Counts {
    std::int64_t open = 0;
    std::int64_t tonight = 0;
    std::int64_t recovered = 0;
    std::int64_t undecided = 0;
    std::int64_t waiting = 0;  ///< for runs to be measured again
    std::int64_t runs = 0;
};

Counts count(const NightFacts& facts) {
    Counts counts;
    for (const auto& regression : facts.regressions) {
        counts.open += is_open(regression.state) ? 1 : 0;
        counts.tonight += regression.tonight ? 1 : 0;
        counts.recovered += regression.recovered ? 1 : 0;
    }
    for (const auto& change : facts.changes) {
        const bool open = !change.verdict || *change.verdict == Verdict::watch;
        const bool waits = !change.waits.empty();
        counts.waiting += waits ? 1 : 0;
        counts.undecided += open && !waits ? 1 : 0;
    }
    for (const auto& [purpose, work] : facts.work) counts.runs += work.runs;
    return counts;
}

bool nothing_asks(const NightFacts& facts, const Counts& counts) {
    return counts.open == 0 && facts.missing.empty() && counts.waiting == 0;
}

std::string measured(const NightFacts& facts, const Counts& counts) {
    return fmt::format(
        "{} measured in {}",
        counted(facts.measured_series, "series", "series"),
        counted(counts.runs, "run"));
}

/// The commit that broke the build; empty where none is named.
std::string broken_since(const NightFacts& facts) {
    const bool named = facts.breakage && facts.breakage->culprit;
    return named ? facts.breakage->culprit->brief() : "";
}

/// One line: what asks for a person, or that nothing does.
std::string verdict(const NightFacts& facts, const Counts& counts) {
    const std::string which = fmt::format(
        "{}, nightly of {} ({})",
        harmless(facts.project, 40),
        harmless(facts.day, 20),
        facts.revision.brief());
    const auto missing = std::int64_t(facts.missing.size());
    if (facts.state == NightlyState::failed) {
        const std::string why = harmless(facts.message, 300);
        const std::string since = broken_since(facts);
        return fmt::format(
            "{}: {}{}{}.",
            which,
            facts.measured_series > 0 ? "it was not judged" : "nothing could be measured",
            why.empty() ? "" : ": " + why,
            since.empty() ? "" : "; it does not build since `" + since + "`");
    }
    if (facts.measured_series == 0 && facts.ended_at_s != 0) {
        return fmt::format(
            "{}: no judged series was measured; {} missing.",
            which,
            counted(missing, "thing is", "things are"));
    }
    std::string out = which + ": ";
    if (facts.ended_at_s == 0) out += "still running; ";
    const std::string waiting =
        counts.waiting == 0 ? ""
                            : fmt::format(
                                  "{} for the next night's runs",
                                  counted(counts.waiting, "suspicion waits", "suspicions wait"));
    if (nothing_asks(facts, counts)) {
        out += fmt::format("all clear, {}", measured(facts, counts));
        if (counts.undecided > 0) {
            out += fmt::format(
                ", {} watched", counted(counts.undecided, "undecided series", "undecided series"));
        }
        return out + ".";
    }
    if (counts.open == 0) {
        out += "nothing is open, but ";
        if (missing > 0) out += counted(missing, "thing is missing", "things are missing");
        if (!waiting.empty()) out += (missing > 0 ? " and " : "") + waiting;
    } else {
        out += fmt::format("{} open", counted(counts.open, "regression"));
        if (counts.tonight > 0) out += fmt::format(", {} new", counts.tonight);
        if (missing > 0)
            out +=
                fmt::format(", and {}", counted(missing, "thing is missing", "things are missing"));
        if (!waiting.empty()) out += ", and " + waiting;
    }
    return out + fmt::format("; {}.", measured(facts, counts));
}

std::string regressions_section(const NightFacts& facts) {
    if (facts.regressions.empty()) return "";
    std::string out = "### Regressions\n\n";
    std::size_t shown = 0;
    for (const auto& regression : facts.regressions) {
        if (++shown > max_rows) break;
        std::string note = std::string(to_string(regression.state));
        if (regression.tonight) {
            note += ", new";
        } else if (regression.recovered) {
            note += ", recovered tonight";
        } else {
            note += ", since the nightly of " + harmless(regression.found_day, 20);
        }
        out += fmt::format(
            "- {}: {} ({}{}{})\n",
            linked(to_string(regression.id), regression_url(facts.links, regression.id)),
            harmless(regression.title, 200),
            note,
            regression.culprit ? ", culprit " + commit_ref(facts.links, *regression.culprit) : "",
            is_plain_url(regression.issue) ? ", " + linked("issue", regression.issue) : "");
    }
    if (facts.regressions.size() > max_rows) {
        out += fmt::format("- and {} more\n", facts.regressions.size() - max_rows);
    }
    return out + "\n";
}

std::string missing_section(const NightFacts& facts) {
    std::string out = "### Missing\n\n";
    if (facts.missing.empty()) {
        return out + "Nothing: every job ended, every planned run gave its values.\n\n";
    }
    std::size_t shown = 0;
    for (const auto& missing : facts.missing) {
        if (++shown > max_rows) break;
        out += fmt::format("- {}: {}\n", harmless(missing.what, 120), code(missing.why, 200));
    }
    if (facts.missing.size() > max_rows) {
        out += fmt::format("- and {} more\n", facts.missing.size() - max_rows);
    }
    return out + "\n";
}

std::string series_section(const NightFacts& facts) {
    if (facts.series_notes.empty()) return "";
    std::string out = "### Series\n\n";
    std::size_t shown = 0;
    for (const auto& note : facts.series_notes) {
        if (++shown > max_rows) break;
        out += fmt::format("- {}\n", harmless(note, 500));
    }
    if (facts.series_notes.size() > max_rows) {
        out += fmt::format("- and {} more\n", facts.series_notes.size() - max_rows);
    }
    return out + "\n";
}

std::string changes_section(const NightFacts& facts) {
    if (facts.changes.empty()) {
        return "### Suspicions\n\nNone: no series looked worse or better than its baseline.\n\n";
    }
    std::string out =
        "### Suspicions\n\n| Series | Metric | Change | Became |\n|---|---|---:|---|\n";
    std::size_t shown = 0;
    for (const auto& change : facts.changes) {
        if (++shown > max_rows) break;
        out += fmt::format(
            "| {} ({}) on {} | {} | {} | {} |\n",
            code(change.benchmark, 60),
            code(change.variant, 60),
            code(change.machine_class, 40),
            metric_words(change.metric),
            percent(change.change_ratio),
            !change.waits.empty() ? "waits"
            : change.verdict      ? to_string(*change.verdict)
                                  : "undecided");
    }
    if (facts.changes.size() > max_rows) {
        out += fmt::format("\nAnd {} more.\n", facts.changes.size() - max_rows);
    }
    const auto first =
        std::find_if(facts.changes.begin(), facts.changes.end(), [](const auto& one) {
            return !one.waits.empty();
        });
    if (first != facts.changes.end()) {
        out += fmt::format("\nWhat waits: {}.\n", harmless(first->waits, 300));
    }
    return out + "\n";
}

std::string_view found_by(std::string_view kind) {
    if (kind == "measured") return "an A/B session";
    if (kind == "creep") return "an A/B session, as a sum of small changes";
    return "its history, not measured again";
}

std::string drifts_section(const NightFacts& facts) {
    if (facts.drifts.empty()) return "";
    std::string out =
        "### Drifts\n\nCertain, and not filed.\n\n"
        "| Series | Metric | Change | 90 % | Since | Found by |\n|---|---|---:|---|---|---|\n";
    std::size_t shown = 0;
    for (const auto& drift : facts.drifts) {
        if (++shown > max_rows) break;
        out += fmt::format(
            "| {} ({}) on {} | {} | {} | {} to {} | {} | {} |\n",
            code(drift.benchmark, 60),
            code(drift.variant, 60),
            code(drift.machine_class, 40),
            metric_words(drift.metric),
            percent(drift.change_ratio),
            percent(drift.low),
            percent(drift.high),
            code(drift.since_day, 20),
            found_by(drift.kind));
    }
    if (facts.drifts.size() > max_rows) {
        out += fmt::format("\nAnd {} more.\n", facts.drifts.size() - max_rows);
    }
    return out + "\n";
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

std::string storms_section(const NightFacts& facts) {
    if (facts.storms.empty()) return "";
    std::string out = "### Machines\n\n";
    for (const auto& storm : facts.storms) {
        out += fmt::format(
            "- Worker {}: {} of {} series moved together: {}{}{}.\n",
            code(storm.worker, 60),
            storm.suspicious,
            storm.series,
            machine_words(storm.state),
            storm.message.empty() ? "" : ". By measuring again: " + harmless(storm.message, 300),
            storm.rebased > 0 ? fmt::format(
                                    ". It stayed so: {} a new baseline",
                                    counted(storm.rebased, "series starts", "series start"))
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
            duration(work.machine_s));
    }
    std::string lost;
    for (const auto& one : facts.lost) {
        lost += fmt::format(
            "{}{} on {} ({})",
            lost.empty() ? "" : ", ",
            one.attempts,
            harmless(one.worker, 64),
            code(one.why, 200));
    }
    if (!lost.empty()) out += fmt::format("\nAttempts that workers did not end: {}.\n", lost);
    std::string outcomes;
    for (const auto& [outcome, number] : facts.outcomes) {
        outcomes +=
            fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", number, to_string(outcome));
    }
    if (!outcomes.empty()) out += fmt::format("\nThe nightly's own runs: {}.\n", outcomes);
    if (!facts.same_revision_as.empty()) {
        out += fmt::format(
            "\nThe same revision as {}: what differs between the two is noise.\n",
            code(facts.same_revision_as, 80));
    }
    const std::string began = utc(facts.started_at_s);
    out +=
        facts.ended_at_s == 0
            ? fmt::format("\nBegan {}.\n", began)
            : fmt::format(
                  "\nBegan {}, took {}.\n", began, duration(facts.ended_at_s - facts.started_at_s));
    const std::string night = nightly_url(facts.links, facts.id);
    if (!night.empty()) out += "\n" + linked("This nightly", night) + " in the daemon.\n";
    return out + "\n";
}

std::string title_of(const NightFacts& facts, const Counts& counts) {
    std::string out =
        fmt::format("{} night {}: ", harmless(facts.project, 40), harmless(facts.day, 20));
    const bool empty = facts.measured_series == 0 && facts.ended_at_s != 0;
    const std::string since = broken_since(facts);
    if (!since.empty()) return out + "does not build since " + since;
    if (facts.state == NightlyState::failed && facts.measured_series > 0) {
        return out + "not judged";
    }
    if (facts.state == NightlyState::failed || empty) return out + "nothing measured";
    if (nothing_asks(facts, counts)) return out + "all clear";
    auto add = [&, first = true](const std::string& words) mutable {
        out += (first ? "" : ", ") + words;
        first = false;
    };
    if (counts.open > 0) add(fmt::format("{} open", counts.open));
    if (counts.tonight > 0) add(fmt::format("{} new", counts.tonight));
    if (!facts.missing.empty()) add(fmt::format("{} missing", facts.missing.size()));
    if (counts.waiting > 0) add(fmt::format("{} waiting", counts.waiting));
    return out;
}

}  // namespace

bool is_open(RegressionState state) {
    switch (state) {
        case RegressionState::confirmed:
        case RegressionState::searching:
        case RegressionState::attributed:
        case RegressionState::range:
        case RegressionState::reported:
        case RegressionState::acknowledged: return true;
        default: return false;
    }
}

bool is_all_clear(const NightFacts& facts) {
    return facts.state == NightlyState::done && facts.measured_series > 0 &&
           nothing_asks(facts, count(facts));
}

Document render_night(const NightFacts& facts) {
    const Counts counts = count(facts);
    Document document;
    document.title = title_of(facts, counts);
    document.body = fmt::format("**{}**\n\n", verdict(facts, counts));
    document.body += breakage_section(facts);
    document.body += regressions_section(facts);
    document.body += missing_section(facts);
    document.body += series_section(facts);
    document.body += changes_section(facts);
    document.body += storms_section(facts);
    document.body += drifts_section(facts);
    document.body += work_section(facts);
    if (facts.last_week) document.body += precision_section(*facts.last_week);
    document.body += facts.marker + "\n";
    // Every list above is bounded, so this holds by a wide margin.
    VIGIL_ASSERT(document.body.size() <= max_body_bytes);
    return document;
}

}  // namespace vigil::service
