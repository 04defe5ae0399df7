#include "service/watch/requested/revert_words.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bisect/stats/change_share.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t named_files = 3;

std::string head_of(const RevertCheck& check) {
    return fmt::format("today's head ({})", check.head.value_or(Revision()).brief());
}

/// "revert on today's head (1a2b3c4d5e)"; of a merge, against which parent.
std::string revert_on_head(const RevertCheck& check) {
    return fmt::format(
        "revert {}on {}",
        check.is_merge ? "of the merge against its first parent (git revert -m 1) " : "",
        head_of(check));
}

/// "11.8 of 12.4 %"
std::string part_words(const Comparison& size, double back) {
    return fmt::format("{} of {}", text::rounded(100 * back, 1), text::share(size.change_ratio));
}

std::string brought_words(const RevertCheck& check, const std::string& rest) {
    const auto back = stats::turned(check.reverted.value());
    return fmt::format(
        "A {} brings back {}{}",
        revert_on_head(check),
        part_words(check.size.value(), back.change_ratio),
        rest);
}

std::string unclear_words(const RevertCheck& check) {
    const bool knows = check.reverted && !check.still;
    if (!knows) return fmt::format("Whether a {} helps is not clear", revert_on_head(check));
    const auto back = stats::turned(*check.reverted);
    return fmt::format(
        "How much a {} brings back is not clear: from {} to {} of {}",
        revert_on_head(check),
        text::rounded(100 * back.low, 1),
        text::rounded(100 * back.high, 1),
        text::share(check.size.value().change_ratio));
}

/// "12.1 % worse than before the culprit"
std::string still_words(const RevertCheck& check) {
    return text::share(check.still.value().change_ratio) + " worse than before the culprit";
}

std::string conflict_words(const RevertCheck& check) {
    std::string files;
    for (std::size_t i = 0; i < std::min(check.conflicts.size(), named_files); ++i) {
        files += (i == 0 ? "" : ", ") + check.conflicts[i];
    }
    const bool more = check.conflicting > static_cast<int>(named_files);
    return fmt::format(
        "A {} does not apply: conflicts in {} ({}{})",
        revert_on_head(check),
        text::counted(check.conflicting, "file"),
        files,
        more ? ", ..." : "");
}

}  // namespace

std::optional<RevertOutcome> outcome_of_revert(const Comparison& size, const Comparison& reverted) {
    switch (stats::part_of(stats::share_of(size, stats::turned(reverted)))) {
        case stats::SharePart::whole: return RevertOutcome::helps;
        case stats::SharePart::some: return RevertOutcome::in_part;
        case stats::SharePart::unclear: return RevertOutcome::unclear;
        case stats::SharePart::none: break;
    }
    return std::nullopt;
}

RevertOutcome outcome_of_still(const Comparison& size, const Comparison& still, bool has_revert) {
    switch (stats::part_of(stats::share_of(size, still))) {
        case stats::SharePart::none: return RevertOutcome::gone;
        case stats::SharePart::unclear: return RevertOutcome::unclear;
        case stats::SharePart::whole:
        case stats::SharePart::some: break;
    }
    return has_revert ? RevertOutcome::no_help : RevertOutcome::taken_back;
}

std::string revert_words(const RevertCheck& check) {
    if (!check.outcome) return "Whether a revert helps is checked after all other work";
    switch (*check.outcome) {
        case RevertOutcome::helps: return brought_words(check, "");
        case RevertOutcome::in_part: return brought_words(check, "; the rest has another cause");
        case RevertOutcome::no_help:
            return fmt::format(
                "A {} does not help: head stays {}", revert_on_head(check), still_words(check));
        case RevertOutcome::unclear: return unclear_words(check);
        case RevertOutcome::gone:
            return fmt::format(
                "The change is no longer there: {} is as before the culprit{}",
                head_of(check),
                check.made ? "" : ", of which it holds nothing");
        case RevertOutcome::taken_back:
            return fmt::format(
                "The culprit is already taken back, and yet {} is {}",
                head_of(check),
                still_words(check));
        case RevertOutcome::conflicts: return conflict_words(check);
        case RevertOutcome::not_held:
            return fmt::format(
                "A revert does not apply: {} does not follow the culprit", head_of(check));
        case RevertOutcome::unknown: break;
    }
    return "Whether a revert helps is not known: " + check.message;
}

}  // namespace vigil::service
