#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

// Merges: by which of them the culprit came in, and what was searched inside of them.

namespace vigil::service {

namespace {

constexpr std::size_t max_listed = 20;  // searches; commits of one

std::string left_words(const Links& links, const InsideFact& inside) {
    if (inside.left.empty()) return "";
    const auto name = [&](const Revision& revision) { return commit_ref(links, revision); };
    return " (left: " + listed(inside.left, max_listed, name, " and {} more", ", ") + ")";
}

}  // namespace

bool is_inside(const RegressionFacts& facts) {
    return std::any_of(
        facts.insides.begin(), facts.insides.end(), [](const auto& inside) { return inside.led; });
}

Comparison searched_change(const RegressionFacts& facts, const SeriesFact& series) {
    return is_inside(facts) ? best_comparison(series) : series.confirmed;
}

std::string came_in_words(const RegressionFacts& facts) {
    std::string out;
    for (auto inside = facts.insides.rbegin(); inside != facts.insides.rend(); ++inside) {
        if (!inside->led) continue;
        out += fmt::format(
            "{}the merge {} {}, as its parent {}",
            out.empty() ? "" : "; that came in by ",
            commit_ref(facts.links, inside->merge),
            text::code_span(inside->subject, 100),
            inside->parent);
    }
    return out;
}

std::string dependency_words(const InsideFact& inside) {
    if (!inside.named) {
        return fmt::format(
            "none of its {} is named: {}",
            text::counted(inside.commits, "commit", "commits"),
            inside.said.empty() ? "still searched" : without_full_stop(inside.said, 300));
    }
    const auto& commit = *inside.named;
    const auto share = inside.change_ratio == 0
                           ? "the only one between"
                           : fmt::format(
                                 "{}, of {}",
                                 text::percent(inside.change_ratio),
                                 text::counted(inside.commits, "commit", "commits"));
    return fmt::format(
        "`{}` {} by {} ({})",
        commit.revision.str(),
        text::code_span(commit.subject, 100),
        text::code_span(commit.author, 80),
        share);
}

std::string inside_section(const RegressionFacts& facts) {
    auto insides = facts.insides;
    std::erase_if(insides, [](const InsideFact& one) { return !one.dependency.empty(); });
    if (!facts.culprit && insides.empty()) return "";
    if (insides.empty()) {
        const SuspectFact* culprit = find_suspect(facts, *facts.culprit);
        if (culprit == nullptr || !culprit->merge) return "";
        return "The culprit is a merge; what it brought was not searched.\n\n";
    }
    const std::string head =
        is_inside(facts) ? "The search on the line of first parents ended at a merge "
                           "and went on among the commits it brought.\n\n"
        : facts.culprit
            ? "The culprit is a merge. No commit that it brought was "
              "verified to be all of it; where they do not show it, it is the merge itself, or "
              "both sides together.\n\n"
            : "The range holds merges. No commit that they brought was "
              "verified to be all of it.\n\n";
    const auto point = [&](const InsideFact& inside) {
        return fmt::format(
            "- {}, parent {}: {} after {} up to {}: {}{}.\n",
            commit_ref(facts.links, inside.merge),
            inside.parent,
            text::counted(inside.commits, "commit"),
            commit_ref(facts.links, inside.base),
            commit_ref(facts.links, inside.tip),
            inside.said.empty() ? "still searched" : without_full_stop(inside.said, 300),
            left_words(facts.links, inside));
    };
    return head + listed(insides, max_listed, point) + "\n";
}

}  // namespace vigil::service
