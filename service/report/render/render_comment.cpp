#include "service/report/render/render_comment.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "service/report/render/sections.hpp"

namespace vigil::service {

namespace {

/// "by `ada`: the checks are worth it".
std::string by_whom(const RegressionFacts& facts) {
    if (!facts.answer) return "";
    std::string out = " by " + text::code_span(facts.answer->by, 60);
    if (!facts.answer->reason.empty()) out += ": " + without_full_stop(facts.answer->reason, 300);
    return out;
}

std::string recovered_words(const RegressionFacts& facts) {
    if (facts.fixes.empty()) return "**Recovered.** Every series is back.";
    const auto& last = facts.fixes.back();
    return fmt::format(
        "**Recovered in {}**, the nightly of {}. Every series is back.",
        commit_ref(facts.links, last.fixed),
        text::code_span(last.night, 20));
}

std::string reopened_words(const RegressionFacts& facts) {
    if (facts.answer) return fmt::format("**Open again{}.**", by_whom(facts));
    return fmt::format(
        "**Open again:** it is back in the nightly of {}, as {}.",
        text::code_span(facts.found_night, 20),
        linked(
            fmt::format("regression {}", facts.id.value), regression_url(facts.links, facts.id)));
}

std::string words_of(News news, const RegressionFacts& facts) {
    switch (news) {
        case News::nothing:
        case News::found: return "";
        case News::culprit:
            return fmt::format(
                "**Culprit found:** {}.",
                facts.culprit ? commit_words(facts, *facts.culprit) : "none");
        case News::recovered: return recovered_words(facts);
        case News::reopened: return reopened_words(facts);
        case News::accepted:
            return fmt::format(
                "**Accepted{}.** The new level is the baseline from now on.", by_whom(facts));
    }
    return "";
}

}  // namespace

Document render_comment(News news, const RegressionFacts& facts) {
    return {fmt::format("Comment on regression {}", facts.id.value), words_of(news, facts)};
}

}  // namespace vigil::service
