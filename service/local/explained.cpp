#include "service/local/explained.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/lines.hpp"
#include "service/local/answer.hpp"

namespace vigil::local {

std::string explained_text(const Story& story, const search::Explained& explained) {
    const auto& inside = story.start().inside;
    const std::string whole =
        percent_text(explained.whole_ratio) +
        (inside ? " that the merge " + inside->merge.brief() + " made" : " between the ends");
    if (!explained.enough() && !explained.has_rest()) return "the " + whole + ", within its error";
    const std::string share =
        explained.share > 0
            ? fmt::format(
                  "{:.0f} % of the {}",
                  100 * (explained.enough() ? std::min(explained.share, 1.0) : explained.share),
                  whole)
            : "more than the " + whole;
    if (explained.enough()) return share;
    return share + "; other changes make " + percent_text(explained.rest_ratio);
}

nlohmann::json explained_json(const search::Explained& explained) {
    return {
        {"whole_ratio", explained.whole_ratio},
        {"share", explained.share},
        {"rest_ratio", explained.rest_ratio},
        {"rest_low", explained.rest_low},
        {"rest_high", explained.rest_high}};
}

std::string remaining_text(const Story& story, const search::Remaining& remaining) {
    std::string text = fmt::format("about {}, not found", percent_text(remaining.change_ratio));
    if (remaining.last > 0) {
        text += fmt::format(
            "; most likely in {} to {}",
            story.revision(remaining.first).brief(),
            story.revision(remaining.last).brief());
    }
    if (remaining.probability > 0) {
        text += fmt::format(" (chance of such a change: {:.2f})", remaining.probability);
    }
    return text;
}

std::string verified_text(const Story& story, const search::Decision& decision) {
    std::string text;
    for (const auto& one : decision.verified) {
        const std::string last = story.revision(one.last).brief();
        text += fmt::format(
            "{}{} is verified ({})",
            text.empty() ? "" : ", ",
            one.first == one.last ? last : story.revision(one.first).brief() + " to " + last,
            percent_text(one.verified.change_ratio));
    }
    return text;
}

std::string told_text(const Story& story, const search::SeriesEnding& culprit) {
    return fmt::format(
        "verified: {} {} ({}; {:.1f} % sure); the search for further changes goes on, --budget "
        "further=0 leaves it out",
        story.revision(culprit.last).brief(),
        text::one_line(story.suspect(culprit.last).subject, 80),
        effect_text(story, culprit),
        100 * culprit.probability);
}

}  // namespace vigil::local
