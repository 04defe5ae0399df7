#include "service/local/answer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "service/local/explained.hpp"

namespace vigil::local {

namespace {

using search::Ending;
using search::SeriesEnding;

constexpr int most_listed = 20;

std::string commit_line(const Story& story, int commit) {
    const auto& suspect = story.suspect(commit);
    return fmt::format(
        "{}  {} ({})",
        suspect.revision.brief(),
        text::one_line(suspect.subject, 70),
        text::one_line(suspect.author, 40));
}

double posterior_at(const search::Decision& decision, int commit) {
    return decision.posterior.front()[static_cast<std::size_t>(commit) - 1];
}

std::string moves_lines(const history::PinMoves* moves) {
    if (moves == nullptr) return "";
    std::string text = "  moves     " + moves_text(moves) + "\n";
    for (const auto& pin : moves->pins) {
        text += "              " + text::one_line(history::pin_text(pin), 400) + "\n";
    }
    return text;
}

/// How what a merge brought is searched, or why it cannot be.
std::string inside_advice(const history::Commit& merge, const MergeSeen* seen) {
    if (seen == nullptr) return "";
    if (seen->brought.empty()) {
        return ": what it brought cannot be searched: " + text::one_line(seen->why, 400);
    }
    std::string text;
    for (const Revision& brought : seen->brought) {
        text += fmt::format(
            "{} --good {} --bad {}",
            text.empty() ? ": search what it brought with" : ", and with",
            merge.parent.brief(),
            brought.brief());
    }
    return text;
}

std::string culprit_lines(
    const Story& story, const SeriesEnding& ending, bool searched_inside = false) {
    const auto& suspect = story.suspect(ending.first);
    std::string text = fmt::format(
        "  commit    {}\n  subject   {}\n  author    {}\n",
        suspect.revision.str(),
        text::one_line(suspect.subject, 200),
        text::one_line(suspect.author, 200));
    if (suspect.merge) {
        text += "  merge     yes" +
                (searched_inside ? ": what it brought was searched, see below"
                                 : inside_advice(suspect, story.merge(ending.first))) +
                "\n";
    }
    text += moves_lines(story.moves(ending.first));
    text += fmt::format(
        "  effect    {}\n  sure      {:.1f} %, verified against {} in {} + {} runs\n",
        effect_text(story, ending),
        100 * ending.probability,
        story.revision(ending.parent).brief(),
        ending.verified.runs_before,
        ending.verified.runs_after);
    if (ending.explained) text += "  explains  " + explained_text(story, *ending.explained) + "\n";
    return text;
}

std::string range_lines(
    const Story& story, const search::Decision& decision, const SeriesEnding& ending) {
    std::string text;
    const auto set = search::credible_set(decision.posterior.front());
    const std::string effect = effect_text(story, ending);
    if (!effect.empty()) text += "  effect    " + effect + "\n";
    text += fmt::format(
        "  commits   {} ({} of {} suspects hold it with 95 %)\n",
        stretch_text(story, ending.first, ending.last),
        set.size(),
        story.last());
    int listed = 0;
    for (const int commit : set) {
        if (++listed > most_listed) {
            text += fmt::format("            and {} more\n", set.size() - most_listed);
            break;
        }
        text += fmt::format(
            "    {:5.1f} %  {}{}\n",
            100 * posterior_at(decision, commit),
            commit_line(story, commit),
            does_not_build(story.commit(commit)) ? "  [does not build]" : "");
    }
    return text;
}

/// What most likely is there too, and was not found.
std::string remaining_line(const Story& story, const SeriesEnding& ending) {
    if (!ending.remaining) return "";
    return fmt::format("  remains   {}\n", remaining_text(story, *ending.remaining));
}

/// What one search found, without its cost and commands.
std::string ending_lines(
    const Story& story, const search::Decision& decision, bool searched_inside) {
    const SeriesEnding& ending = decision.endings.front();
    std::string text = fmt::format("{}: {}\n", verdict_text(decision), ending.reason);
    switch (ending.ending) {
        case Ending::culprit: text += culprit_lines(story, ending, searched_inside); break;
        case Ending::range: text += range_lines(story, decision, ending); break;
        case Ending::not_reproduced: text += unmoved_lines(story); break;
    }
    for (const auto& further : decision.further) {
        text += "and a further one:\n" + culprit_lines(story, further);
    }
    text += remaining_line(story, ending);
    return text + "  cost      " + cost_text(cost_of(story)) + "\n";
}

}  // namespace

std::string verdict_text(const search::Decision& decision) {
    if (!decision.done) return "stopped";
    switch (decision.endings.front().ending) {
        case Ending::culprit: return "culprit found";
        case Ending::range: return "range left";
        case Ending::not_reproduced: return "not reproduced";
    }
    return "";
}

std::string effect_text(const Story& story, const SeriesEnding& ending) {
    const Comparison& c = ending.verified;
    if (c.runs_after == 0) return "";
    const int before = ending.ending == Ending::culprit ? ending.parent : ending.first - 1;
    const auto against = story.revision(before).brief();
    return size_text(
        c, measure_text(story.order()) + " against " + against, unit_of(story.order()));
}

std::string size_text(const Comparison& c, const std::string& what, std::string_view unit) {
    const std::string levels = value_text(c.before, unit) + " to " + value_text(c.after, unit);
    if (!std::isfinite(c.change_ratio)) {
        const bool is_unit_said = !unit.empty() && what.starts_with(unit);
        return is_unit_said ? fmt::format("{:g} to {:.4g} {}", c.before, c.after, what)
                            : levels + ", " + what;
    }
    return fmt::format(
        "{} {}, 90 % interval {} to {}: {}",
        percent_text(c.change_ratio),
        what,
        percent_text(c.low),
        percent_text(c.high),
        levels);
}

std::string stretch_text(const Story& story, int first, int last) {
    const std::string from = story.revision(first).brief();
    return first == last ? from : from + " to " + story.revision(last).brief();
}

bool does_not_build(const search::CommitState& commit) {
    return commit.builds_failed > 0 && !commit.built;
}

std::vector<std::string> commands_to_see(const Story& story, const search::Decision& decision) {
    if (!decision.done) return {};
    const auto& ending = decision.endings.front();
    if (ending.ending == Ending::not_reproduced) return commands_of_ends(story);
    const int before = ending.ending == Ending::culprit ? ending.parent : ending.first - 1;
    return {
        "vigil compare " +
            options_text(
                story.order(), story.revision(before).str(), story.revision(ending.last).str()),
        fmt::format(
            "git -C {} log --first-parent {}..{}",
            text::shell_word(story.order().repository),
            story.revision(before).brief(),
            story.revision(ending.last).brief())};
}

const Found& answering(const SearchAccount& account) {
    const Found* answer = &account;
    for (const auto& one : account.inside) {
        const auto& into = one.story.start().inside;
        if (names_culprit(one.decision) && into && into->submodule.empty()) answer = &one;
    }
    return *answer;
}

bool names_culprit(const search::Decision& decision) {
    return decision.done && decision.endings.front().ending == Ending::culprit;
}

std::string parting_text(const Story& story) {
    const auto& start = story.start();
    if (start.inside || start.relation == history::Relation::on_line) return "";
    const bool forked = start.relation == history::Relation::forked;
    return fmt::format(
        "the good commit {} {}; the search begins where the two lines part, at {}. If {} and the "
        "bad end do not differ, what made the good commit better is its own",
        start.order.good.brief(),
        forked ? "is no ancestor of the bad one" : "came to the bad one's line through a merge",
        story.revision(0).brief(),
        story.revision(0).brief());
}

std::string inside_text(const Story& story) {
    const auto& inside = story.start().inside;
    if (!inside) return "";
    if (!inside->submodule.empty()) {
        return fmt::format(
            "inside of {} over {} commits since {}",
            inside_words(*inside),
            story.last(),
            story.revision(0).brief());
    }
    return fmt::format(
        "inside of the merge {}, whose parent {} brought {} commits since {}",
        inside->merge.brief(),
        inside->parent,
        story.last(),
        story.revision(0).brief());
}

std::string inside_outcome(const Found& found) {
    if (!found.decision.done) {
        const auto& why = found.story.paused();
        return why.empty() ? "stopped; the same command goes on"
                           : "not found: " + text::one_line(why, 1000);
    }
    const auto& ending = found.decision.endings.front();
    switch (ending.ending) {
        case Ending::culprit:
            return fmt::format(
                "{} {}",
                found.story.revision(ending.first).str(),
                text::one_line(found.story.suspect(ending.first).subject, 100));
        case Ending::range: return stretch_text(found.story, ending.first, ending.last);
        case Ending::not_reproduced: break;
    }
    const auto& inside = found.story.start().inside;
    if (inside && !inside->submodule.empty()) {
        return "these commits alone do not show it: look at the commit that moves the submodule";
    }
    return "these commits alone do not show it: look at the merge itself, and at both sides "
           "together";
}

std::string moves_text(const history::PinMoves* moves) {
    if (moves == nullptr) return "";
    return moves->only ? "only dependencies, and changes nothing else:" : "dependencies too:";
}

std::string answer_text(const SearchAccount& account) {
    const auto& [story, decision] = static_cast<const Found&>(account);
    const auto& inside = account.inside;
    if (!decision.done) return "\nstopped; the same command goes on where it ended\n";
    std::string text = "\n";
    const std::string parting = parting_text(story);
    if (!parting.empty()) text += "note: " + parting + "\n";
    text += ending_lines(story, decision, !inside.empty());
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const auto& one = inside[i];
        text += inside_text(one.story) + ":\n";
        const bool told =
            one.decision.done && one.decision.endings.front().ending != Ending::not_reproduced;
        text += told ? ending_lines(one.story, one.decision, i + 1 < inside.size())
                     : "  " + inside_outcome(one) + "\n  cost      " +
                           cost_text(cost_of(one.story)) + "\n";
    }
    if (!inside.empty()) text += "all searches took " + cost_text(cost_of(story, inside)) + "\n";
    if (story.chosen()) text += chosen_text(*story.chosen(), story.order().better);
    text += "to see it again:\n";
    const auto& last = answering(account);
    for (const auto& command : commands_to_see(last.story, last.decision))
        text += "  " + command + "\n";
    return text;
}

namespace {

int runs_failed(const Story& story) {
    int failed = 0;
    for (int commit = 0; commit <= story.last(); ++commit) {
        failed += story.commit(commit).runs_failed;
    }
    return failed;
}

}  // namespace

Cost cost_of(const Story& story, std::span<const Found> inside) {
    Cost cost;
    const auto take = [&](const Story& one) {
        cost.runs += one.runs();
        cost.runs_failed += runs_failed(one);
        cost.builds += one.builds();
        cost.builds_failed += one.builds_failed();
        cost.seconds += one.seconds();
        cost.handling_seconds += one.handling_seconds();
    };
    take(story);
    for (const Found& one : inside) take(one.story);
    return cost;
}

std::string cost_text(const Cost& cost) {
    const std::string failed =
        cost.builds_failed > 0 ? fmt::format(" ({} failed)", cost.builds_failed) : "";
    std::string text = fmt::format(
        "{} runs, {} builds{}, {} of building and measuring",
        cost.runs,
        cost.builds,
        failed,
        text::short_duration(cost.seconds - cost.handling_seconds));
    if (cost.handling_seconds >= 1) {
        text += fmt::format(
            ", {} of checking out and keeping", text::short_duration(cost.handling_seconds));
    }
    return text;
}

}  // namespace vigil::local
