#include "service/local/explained.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/search/levels.hpp"
#include "bisect/stats/distribution.hpp"
#include "schema/text/lines.hpp"
#include "service/local/answer.hpp"
#include "service/local/level_rows.hpp"

namespace vigil::local {

std::string explained_text(const Story& story, const search::Explained& explained) {
    const auto& inside = story.start().inside;
    const std::string whole =
        (std::isinf(explained.whole_ratio) ? "change from 0"
                                           : percent_text(explained.whole_ratio)) +
        (inside ? " that " + inside_words(*inside) + " made" : " between the ends");
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
        text += "; most likely in " + stretch_text(story, remaining.first, remaining.last);
    }
    if (remaining.probability > 0) {
        text += fmt::format(" (chance of such a change: {:.2f})", remaining.probability);
    }
    return text;
}

std::string verified_text(const Story& story, const search::Decision& decision) {
    std::string text;
    for (const auto& one : decision.verified) {
        text += fmt::format(
            "{}{} is verified ({})",
            text.empty() ? "" : ", ",
            stretch_text(story, one.first, one.last),
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

std::optional<EndsChange> ends_of(const Story& story) {
    const auto [levels, line] = fit_levels(story);
    const auto* bad = levels.of(line.place(story.last()));
    if (levels.of(line.place(0)) == nullptr || bad == nullptr || line.place(story.last()) == 0) {
        return std::nullopt;
    }
    const double margin = stats::normal_95 * bad->error;
    EndsChange ends;
    ends.change_ratio = change_at(story, levels, bad->above);
    const auto [low, high] = std::minmax(
        {change_at(story, levels, bad->above - margin),
         change_at(story, levels, bad->above + margin)});
    ends.low = low;
    ends.high = high;
    ends.good = value_at(story, levels, 0);
    ends.bad = value_at(story, levels, bad->above);
    ends.other_way = bad->above <= -std::log1p(story.order().threshold) / 2;
    return ends;
}

std::string ends_text(const Story& story) {
    const auto ends = ends_of(story);
    if (!ends) return "";
    Comparison c;
    c.change_ratio = ends->change_ratio;
    c.low = ends->low;
    c.high = ends->high;
    c.before = ends->good;
    c.after = ends->bad;
    return size_text(c, measure_text(story.order()) + " between the ends", unit_of(story.order()));
}

std::string unmoved_lines(const Story& story) {
    const auto ends = ends_of(story);
    const Order& order = story.order();
    std::string text;
    if (ends) text += "  effect    " + ends_text(story) + "\n";
    if (story.start().inside) return text;
    if (ends && ends->other_way) {
        return text + fmt::format(
                          "  next      {} --better searches for the commit that made it {}\n",
                          order.better ? "without" : "with",
                          order.better ? "worse" : "better");
    }
    return text + fmt::format(
                      "  next      if {} is {} already, the change is its own or an earlier "
                      "commit's: name an older good commit\n",
                      order.good.brief(),
                      order.better ? "better" : "worse");
}

std::vector<std::string> commands_of_ends(const Story& story) {
    const Order& order = story.order();
    const auto compare = [&](const Revision& good, const Revision& bad) {
        return "vigil compare " + options_text(order, good.str(), bad.str());
    };
    std::vector<std::string> commands{compare(order.good, order.bad)};
    if (!parting_text(story).empty()) commands.push_back(compare(story.revision(0), order.good));
    const auto ends = ends_of(story);
    if (ends && ends->other_way) {
        commands.push_back(
            "vigil bisect run " + options_text(order, order.good.str(), order.bad.str()) +
            (order.better ? "" : " --better"));
    } else if (!story.start().good_parent.empty()) {
        commands.push_back(compare(story.start().good_parent, order.good));
    }
    return commands;
}

}  // namespace vigil::local
