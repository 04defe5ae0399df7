#include "service/report/render/render_culprit.hpp"

#include <fmt/format.h>

#include "service/report/render/sections.hpp"

namespace vigil::service {

namespace {

/// "issue 12", as a link; without an address that may be one the regression's page.
std::string issue_words(const CulpritTold& told) {
    const auto slash = told.issue.rfind('/');
    if (!is_plain_url(told.issue) || slash == told.issue.npos) {
        const auto words = fmt::format("regression {}", told.facts.id.value);
        return linked(words, regression_url(told.facts.links, told.facts.id));
    }
    return linked("issue " + plain_words(told.issue.substr(slash + 1), 20), told.issue);
}

std::string how_to_answer(const RegressionFacts& facts) {
    if (facts.hears_comments) {
        return "It takes answers: whoever may write to this repository comments there `/vigil "
               "accept REASON` where the new level is right, or `/vigil refute REASON` where it is "
               "no regression.";
    }
    return fmt::format(
        "Answer by `vigil regression accept {0} --reason '...'` where the new level is right, or "
        "by `vigil regression refute {0} --reason '...'` where it is no regression.",
        facts.id.value);
}

std::string paragraph(const CulpritTold& told) {
    const auto& facts = told.facts;
    const auto issue = issue_words(told);
    if (facts.culprit != told.revision) {
        return fmt::format(
            "**Commit {} of this pull request is not named any more as the cause of a "
            "regression.** What is known of it now is in {}.",
            commit_ref(facts.links, told.revision),
            issue);
    }
    auto verdict = verdict_section(facts);
    verdict.resize(verdict.find_last_not_of('\n') + 1);
    const auto rest = is_open(facts.state) ? how_to_answer(facts) : "Nothing is asked.";
    return fmt::format(
        "{} The commit came by this pull request; how it was measured is in {}. {}",
        verdict,
        issue,
        rest);
}

}  // namespace

std::string render_culprit(const std::vector<CulpritTold>& all) {
    std::string out;
    for (const auto& told : all) out += paragraph(told) + "\n\n";
    return out + "This comment is kept up to date.\n";
}

}  // namespace vigil::service
