#include "service/report/render/render_night.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "schema/model/state_sets.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/facts/night_headline.hpp"
#include "service/report/render/night_sections.hpp"
#include "service/report/render/sections.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

namespace {

/// Of a night of which nothing asks for a person.
std::string_view calm_words(NightStanding standing) {
    if (standing == NightStanding::running) return "nothing is open so far";
    return standing == NightStanding::all_clear ? "all clear" : "nothing was compared";
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
    const NightFacts& facts, const NightHeadline& headline, const std::string& which) {
    return fmt::format(
        "{}: {}; nothing is judged by it{}.",
        which,
        plain_words(facts.withdrawn, 300),
        headline.open == 0 ? "" : "; " + text::counted(headline.open, "regression") + " open");
}

/// What keeps the night from being all clear although nothing is open.
std::vector<std::string> unfinished_words(const NightHeadline& headline) {
    std::vector<std::string> words;
    const auto add = [&](std::int64_t count, auto one, auto many, const char* rest) {
        if (count > 0) words.push_back(text::counted(count, one, many) + rest);
    };
    add(headline.missing, "thing is missing", "things are missing", "");
    add(headline.waiting, "suspicion waits", "suspicions wait", " for the next night's runs");
    add(headline.unconfirmed, "suspicion", "suspicions", " could not be measured again");
    return words;
}

/// One line: what asks for a person, or that nothing does.
std::string verdict(const NightFacts& facts, const NightHeadline& headline) {
    const std::string which = fmt::format(
        "{}, nightly of {} ({})",
        plain_words(facts.project, 40),
        plain_words(facts.name, 20),
        facts.revision.brief());
    const auto missing = headline.missing;
    const auto missing_words = text::counted(missing, "thing is missing", "things are missing");
    if (headline.standing == NightStanding::withdrawn) {
        return withdrawn_words(facts, headline, which);
    }
    if (headline.standing == NightStanding::failed) {
        const std::string why = plain_words(why_failed(facts), 300);
        const std::string since = broken_since(facts);
        return fmt::format(
            "{}: {}{}{}.",
            which,
            facts.measured_series > 0 ? "it was not judged" : "nothing could be measured",
            why.empty() ? "" : ": " + why,
            since.empty() ? "" : "; it does not build since `" + since + "`");
    }
    if (headline.standing == NightStanding::nothing_measured) {
        return fmt::format(
            "{}: no judged series was measured; {} missing.",
            which,
            text::counted(missing, "thing is", "things are"));
    }
    std::string out = which + (is_open(facts.state) ? ": still running; " : ": ");
    if (headline.standing == NightStanding::beside) {
        return out + fmt::format(
                         "measured beside the nights: {}; nothing was judged; {}{}.",
                         plain_words(facts.beside, 100),
                         headline.coverage,
                         missing == 0 ? "" : "; " + missing_words);
    }
    const auto unfinished = unfinished_words(headline);
    if (headline.open == 0 && unfinished.empty()) {
        out += fmt::format("{}, {}", calm_words(headline.standing), headline.coverage);
        if (headline.undecided > 0) {
            out += fmt::format(
                ", {} watched",
                text::counted(headline.undecided, "undecided series", "undecided series"));
        }
        return out + ".";
    }
    if (headline.open == 0) {
        out += fmt::format("nothing is open, but {}", fmt::join(unfinished, " and "));
    } else {
        out += fmt::format("{} open", text::counted(headline.open, "regression"));
        if (headline.fresh > 0) out += fmt::format(", {} new", headline.fresh);
        for (const auto& words : unfinished) out += ", and " + words;
    }
    return out + fmt::format("; {}.", headline.coverage);
}

}  // namespace

Document render_night(const NightFacts& facts) {
    const auto headline = headline_of(facts);
    Document document;
    document.title = fmt::format(
        "{} night {}: {}",
        text::harmless(facts.project, 40),
        text::harmless(facts.name, 20),
        headline.words);
    document.body = fmt::format("**{}**\n\n", verdict(facts, headline));
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
