#include "service/report/render/render_night.hpp"

#include <string_view>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/night_sections.hpp"
#include "service/report/render/sections.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

namespace {

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
        const bool is_real = regression.ended_as != RegressionEnd::not_reproduced;
        counts.tonight += regression.tonight && is_real ? 1 : 0;
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

/// Of a night that was not judged, every series is taken for compared.
bool was_compared(const NightFacts& facts) {
    return facts.compared_series.value_or(facts.measured_series) > 0;
}

/// What could not be compared, each with the reason.
std::string not_compared(const NightFacts& facts) {
    const auto rest = facts.measured_series - *facts.compared_series - facts.first_series;
    std::string out;
    if (facts.first_series > 0) {
        out += fmt::format("{} measured for the first time", facts.first_series);
    }
    if (rest > 0) {
        out += fmt::format("{}{} with nothing to compare with", out.empty() ? "" : ", ", rest);
    }
    return out;
}

std::string measured(const NightFacts& facts, const Counts& counts) {
    const std::string all = text::counted(facts.measured_series, "series", "series");
    const std::string runs = text::counted(counts.runs, "run");
    if (!facts.compared_series) return fmt::format("{} measured in {}", all, runs);
    const std::string rest = not_compared(facts);
    if (*facts.compared_series == 0) return fmt::format("{} in {}: {}", all, runs, rest);
    if (rest.empty()) return fmt::format("{} compared in {}", all, runs);
    return fmt::format("{} of {} compared in {}, {}", *facts.compared_series, all, runs, rest);
}

/// Of a night of which nothing asks for a person.
std::string_view calm_words(const NightFacts& facts) {
    if (facts.ended_at_s == 0) return "nothing is open so far";
    return was_compared(facts) ? "all clear" : "nothing was compared";
}

/// The commit that broke the build; empty where none is named.
std::string broken_since(const NightFacts& facts) {
    const bool named = facts.breakage && facts.breakage->culprit;
    return named ? facts.breakage->culprit->brief() : "";
}

/// Without the server's paths; those of a build are of its sandbox, and tell where to look.
std::string why_failed(const NightFacts& facts) {
    const bool of_build = facts.message.starts_with("its build failed");
    return of_build ? facts.message : without_paths(facts.message);
}

/// What a night that does not count says of itself; what is open stays open.
std::string withdrawn_words(
    const NightFacts& facts, const Counts& counts, const std::string& which) {
    return fmt::format(
        "{}: {}; nothing is judged by it{}.",
        which,
        plain_words(facts.withdrawn, 300),
        counts.open == 0 ? "" : "; " + text::counted(counts.open, "regression") + " open");
}

/// One line: what asks for a person, or that nothing does.
std::string verdict(const NightFacts& facts, const Counts& counts) {
    const std::string which = fmt::format(
        "{}, nightly of {} ({})",
        plain_words(facts.project, 40),
        plain_words(facts.name, 20),
        facts.revision.brief());
    const auto missing = std::int64_t(facts.missing.size());
    const auto missing_words = text::counted(missing, "thing is missing", "things are missing");
    if (!facts.withdrawn.empty()) return withdrawn_words(facts, counts, which);
    if (facts.state == NightlyState::failed) {
        const std::string why = plain_words(why_failed(facts), 300);
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
            text::counted(missing, "thing is", "things are"));
    }
    std::string out = which + ": ";
    if (facts.ended_at_s == 0) out += "still running; ";
    if (!facts.beside.empty()) {
        return out + fmt::format(
                         "measured beside the nights: {}; nothing was judged; {}{}.",
                         plain_words(facts.beside, 100),
                         measured(facts, counts),
                         missing == 0 ? "" : "; " + missing_words);
    }
    const std::string waiting =
        counts.waiting == 0
            ? ""
            : fmt::format(
                  "{} for the next night's runs",
                  text::counted(counts.waiting, "suspicion waits", "suspicions wait"));
    if (nothing_asks(facts, counts)) {
        out += fmt::format("{}, {}", calm_words(facts), measured(facts, counts));
        if (counts.undecided > 0) {
            out += fmt::format(
                ", {} watched",
                text::counted(counts.undecided, "undecided series", "undecided series"));
        }
        return out + ".";
    }
    if (counts.open == 0) {
        out += "nothing is open, but ";
        if (missing > 0) out += missing_words;
        if (!waiting.empty()) out += (missing > 0 ? " and " : "") + waiting;
    } else {
        out += fmt::format("{} open", text::counted(counts.open, "regression"));
        if (counts.tonight > 0) out += fmt::format(", {} new", counts.tonight);
        if (missing > 0) out += ", and " + missing_words;
        if (!waiting.empty()) out += ", and " + waiting;
    }
    return out + fmt::format("; {}.", measured(facts, counts));
}

std::string title_of(const NightFacts& facts, const Counts& counts) {
    std::string out = fmt::format(
        "{} night {}: ", text::harmless(facts.project, 40), text::harmless(facts.name, 20));
    const bool empty = facts.measured_series == 0 && facts.ended_at_s != 0;
    const std::string since = broken_since(facts);
    if (!facts.withdrawn.empty()) return out + "withdrawn";
    if (!since.empty()) return out + "does not build since " + since;
    if (facts.state == NightlyState::failed && facts.measured_series > 0) {
        return out + "not judged";
    }
    if (facts.state == NightlyState::failed || empty) return out + "nothing measured";
    if (!facts.beside.empty()) return out + "measured beside the nights";
    if (nothing_asks(facts, counts)) {
        if (facts.ended_at_s == 0) return out + "running";
        return out + (was_compared(facts) ? "all clear" : "nothing to compare with");
    }
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

bool is_all_clear(const NightFacts& facts) {
    return facts.state == NightlyState::done && facts.beside.empty() && facts.withdrawn.empty() &&
           facts.measured_series > 0 && was_compared(facts) && nothing_asks(facts, count(facts));
}

Document render_night(const NightFacts& facts) {
    const Counts counts = count(facts);
    Document document;
    document.title = title_of(facts, counts);
    document.body = fmt::format("**{}**\n\n", verdict(facts, counts));
    if (facts.breakage) document.body += breakage_section(facts.links, *facts.breakage);
    document.body += regressions_section(facts);
    document.body += missing_section(facts);
    document.body += series_section(facts);
    document.body += values_section(facts);
    document.body += changes_section(facts);
    document.body += better_section(facts);
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
