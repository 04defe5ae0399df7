#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/night_sections.hpp"
#include "service/report/render/sections.hpp"
#include "service/source/words.hpp"

// Of a nightly that does not build: which commit broke it.

namespace vigil::service {

namespace {

constexpr std::size_t max_log_lines = 20;

std::string range_words(const Links& links, const BreakageFact& fact) {
    const std::string day =
        fact.good_night.empty()
            ? ""
            : fmt::format(" (nightly of {})", text::code_span(fact.good_night, 20));
    return fmt::format(
        "{} after {}{}",
        linked(text::counted(fact.commits, "commit"), range_url(links, fact.good, fact.bad)),
        commit_ref(links, fact.good),
        day);
}

/// Every line harmless, inside of a fence.
std::string log_lines(const std::string& tail) {
    std::string lines;
    std::size_t shown = 0;
    for (std::size_t from = 0; from < tail.size() && shown < max_log_lines; ++shown) {
        const auto end = std::min(tail.find('\n', from), tail.size());
        lines += text::harmless(std::string_view(tail).substr(from, end - from), 200) + "\n";
        from = end + 1;
    }
    return lines;
}

}  // namespace

std::string breakage_section(const Links& links, const BreakageFact& fact) {
    std::string out = "### The build\n\n";
    if (!fact.culprit) {
        const bool over =
            fact.state == BisectionState::done || fact.state == BisectionState::failed;
        return out + fmt::format(
                         "It does not build. Among the {} no commit is named: {}.\n\n",
                         range_words(links, fact),
                         over ? plain_words(without_paths(fact.conclusion.summary), 300)
                              : "the search goes on");
    }
    out += fmt::format(
        "It does not build since {} {} by {}, the first of {} that breaks the build, "
        "found with {}.{}\n\n",
        linked(fmt::format("`{}`", fact.culprit->str()), commit_url(links, *fact.culprit)),
        text::code_span(fact.subject, 120),
        text::code_span(fact.author, 80),
        range_words(links, fact),
        text::counted(fact.builds, "build"),
        fact.pins.empty() ? "" : fmt::format(" It moves {}.", text::code_span(fact.pins, 400)));
    const std::string lines = log_lines(fact.log_tail);
    if (lines.empty()) return out + "The log of its build is gone.\n\n";
    const std::string log = fact.log ? log_url(links, *fact.log) : std::string();
    return out + "The " + linked("log", log) + " of its build ends:\n\n" +
           text::fenced(lines, "text") + "\n";
}

}  // namespace vigil::service
