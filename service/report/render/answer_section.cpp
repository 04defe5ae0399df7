#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

// How to answer, the assignee, the due time, and where everything lies.

namespace vigil::service {

namespace {

std::string assignee_words(const RegressionFacts& facts) {
    if (!facts.assigned.empty()) {
        return text::code_span(facts.assigned, 60) + ", to whom it is assigned";
    }
    const SuspectFact* culprit = facts.culprit ? find_suspect(facts, *facts.culprit) : nullptr;
    if (culprit != nullptr && !culprit->author.empty()) {
        return text::code_span(culprit->author, 60) + ", who wrote the commit";
    }
    if (!facts.on_call.empty()) return text::code_span(facts.on_call, 60) + ", who is on call";
    return "nobody yet; the person on call decides";
}

/// Addresses of what the report is made of.
std::string places(const RegressionFacts& facts) {
    std::vector<std::string> links;
    const auto add = [&](const std::string& words, const std::string& url) {
        if (!url.empty()) links.push_back(linked(words, url));
    };
    add("its page", regression_url(facts.links, facts.id));
    add("raw data", regression_data_url(facts.links, facts.id));
    add("the night", nightly_url(facts.links, facts.found));
    if (facts.bisection) add("the search", bisection_url(facts.links, *facts.bisection));
    if (links.empty()) return "";
    const auto link = [](const std::string& words) { return words; };
    return "Links: " + listed(links, links.size(), link, "", ", ") + ".\n\n";
}

/// What may be answered, and how.
std::string answers(const RegressionFacts& facts) {
    struct Way {
        std::string_view meaning;
        std::string_view comment;
        std::string_view command;
    };
    static constexpr std::array ways{
        Way{"Acknowledge", "ack", "acknowledge {}"},
        Way{"Accept the new level", "accept REASON", "accept {} --reason '...'"},
        Way{"Mark as false positive", "refute REASON", "refute {} --reason '...'"},
        Way{"Snooze", "mute 14d REASON", "mute {} --until 14d --reason '...'"}};
    const bool by_comment = facts.hears_comments;
    std::string out = by_comment ? "| Your answer | As a comment here | Command |\n|---|---|---|\n"
                                 : "| Your answer | Command |\n|---|---|\n";
    for (const auto& way : ways) {
        const auto command = fmt::format(fmt::runtime(way.command), facts.id.value);
        out += fmt::format(
            "| {} | {}`vigil regression {}` |\n",
            way.meaning,
            by_comment ? fmt::format("`/vigil {}` | ", way.comment) : "",
            command);
    }
    if (by_comment) {
        out +=
            "\nA comment counts from people who may write to this repository. `/vigil rerun` "
            "measures both sides again, `/vigil rebisect` searches the commits again.\n";
    }
    return out;
}

std::string complaint(const RegressionFacts& facts) {
    const std::string trust = trust_url(facts.links);
    return fmt::format(
        "Vigil is wrong? Refute it with the reason: it is counted {}.\n\n",
        trust.empty() ? "against Vigil, as `vigil precision` shows"
                      : linked("against Vigil", trust));
}

}  // namespace

std::string answer_section(const RegressionFacts& facts) {
    std::string out = "### Answer\n\n";
    if (is_open(facts.state)) {
        out += fmt::format("Assignee: {}.", assignee_words(facts));
        if (facts.answer_by_s) out += fmt::format(" Due: {} UTC.", text::utc(*facts.answer_by_s));
        out += "\n\n" + answers(facts) +
               "\nThis text is kept up to date. Vigil closes it when every series is back.\n\n";
    } else {
        out += fmt::format(
            "Nothing is asked. To take that back: `vigil regression reopen {} --reason '...'`.\n\n",
            facts.id.value);
    }
    for (const auto& earlier : facts.earlier) {
        out += "The same series before: " + earlier_words(facts, earlier) + ".\n\n";
    }
    return out + places(facts) + complaint(facts);
}

}  // namespace vigil::service
