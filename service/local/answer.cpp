#include "service/local/answer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "service/local/text.hpp"

namespace vigil::local {

namespace {

using nlohmann::json;
using search::Ending;
using search::SeriesEnding;

constexpr int most_listed = 20;

std::string commit_line(const Story& story, int commit) {
    const auto& suspect = story.suspect(commit);
    return fmt::format(
        "{}  {} ({})",
        suspect.revision.brief(),
        shown(suspect.subject, 70),
        shown(suspect.author, 40));
}

double posterior_at(const search::Decision& decision, int commit) {
    return decision.posterior.front()[static_cast<std::size_t>(commit) - 1];
}

std::string culprit_lines(const Story& story, const SeriesEnding& ending) {
    const auto& suspect = story.suspect(ending.first);
    std::string text = fmt::format(
        "  commit    {}\n  subject   {}\n  author    {}\n",
        suspect.revision.str(),
        shown(suspect.subject),
        shown(suspect.author));
    if (suspect.merge) {
        text += fmt::format(
            "  merge     yes: search inside of it with --good {} --bad {}^2\n",
            suspect.parent.brief(),
            suspect.revision.brief());
    }
    return text + fmt::format(
                      "  effect    {}\n  sure      {:.1f} %, verified against {} in {} + {} runs\n",
                      effect_text(story, ending),
                      100 * ending.probability,
                      story.revision(ending.parent).brief(),
                      ending.verified.runs_before,
                      ending.verified.runs_after);
}

std::string range_lines(
    const Story& story, const search::Decision& decision, const SeriesEnding& ending) {
    std::string text;
    const auto set = search::credible_set(decision.posterior.front());
    const std::string effect = effect_text(story, ending);
    if (!effect.empty()) text += "  effect    " + effect + "\n";
    text += fmt::format(
        "  commits   {} to {} ({} of {} suspects hold it with 95 %)\n",
        story.revision(ending.first).brief(),
        story.revision(ending.last).brief(),
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
            story.commit(commit).builds_failed > 0 ? "  [does not build]" : "");
    }
    return text;
}

json commit_json(const Story& story, int commit) {
    json value{{"number", commit}, {"revision", story.revision(commit).str()}};
    if (commit > 0) {
        value["subject"] = story.suspect(commit).subject;
        value["author"] = story.suspect(commit).author;
        value["merge"] = story.suspect(commit).merge;
    }
    return value;
}

json ending_json(const Story& story, const SeriesEnding& ending) {
    json value{
        {"probability", ending.probability},
        {"reason", ending.reason},
        {"effect", wire::to_json(ending.verified)}};
    if (ending.ending == Ending::not_reproduced) return value;
    value["first"] = commit_json(story, ending.first);
    value["last"] = commit_json(story, ending.last);
    value["parent"] = commit_json(story, ending.parent);
    return value;
}

}  // namespace

std::string measure_text(Measure measure) {
    switch (measure) {
        case Measure::time: return "wall time";
        case Measure::cpu: return "CPU time";
        case Measure::memory: return "peak memory";
        case Measure::samples: return "printed value";
    }
    return "";
}

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
    const Metric metric = metric_of(story.order().measure);
    return fmt::format(
        "{} {}, 90 % interval {} to {}: {} to {}",
        percent_text(c.change_ratio),
        measure_text(story.order().measure),
        percent_text(c.low),
        percent_text(c.high),
        value_text(c.before, metric),
        value_text(c.after, metric));
}

std::string cost_text(const Story& story) {
    const std::string failed =
        story.builds_failed() > 0 ? fmt::format(" ({} failed)", story.builds_failed()) : "";
    return fmt::format(
        "{} runs, {} builds{}, {} of building and measuring",
        story.runs(),
        story.builds(),
        failed,
        seconds_text(story.seconds()));
}

std::vector<std::string> commands_to_see(const Story& story, const search::Decision& decision) {
    if (!decision.done) return {};
    const auto& ending = decision.endings.front();
    if (ending.ending == Ending::not_reproduced) {
        return {
            "vigil compare " +
            options_text(story.order(), story.order().good.str(), story.order().bad.str())};
    }
    const int before = ending.ending == Ending::culprit ? ending.parent : ending.first - 1;
    return {
        "vigil compare " +
            options_text(
                story.order(), story.revision(before).str(), story.revision(ending.last).str()),
        fmt::format(
            "git -C {} log --first-parent {}..{}",
            shell_quoted(story.order().repository),
            story.revision(before).brief(),
            story.revision(ending.last).brief())};
}

std::string answer_text(const Story& story, const search::Decision& decision) {
    if (!decision.done) return "\nstopped; the same command goes on where it ended\n";
    const SeriesEnding& ending = decision.endings.front();
    std::string text = fmt::format("\n{}: {}\n", verdict_text(decision), ending.reason);
    switch (ending.ending) {
        case Ending::culprit: text += culprit_lines(story, ending); break;
        case Ending::range: text += range_lines(story, decision, ending); break;
        case Ending::not_reproduced:
            text += "  nothing to search: the good and the bad end measure the same\n";
            break;
    }
    for (const auto& further : decision.further) {
        text += "and a lesser one:\n" + culprit_lines(story, further);
    }
    text += "  cost      " + cost_text(story) + "\n";
    text += "to see it again:\n";
    for (const auto& command : commands_to_see(story, decision)) text += "  " + command + "\n";
    return text;
}

json answer_json(const Story& story, const search::Decision& decision) {
    json value{
        {"verdict", verdict_text(decision)},
        {"metric", to_string(story.order().measure)},
        {"threshold", story.order().threshold},
        {"good", story.order().good.str()},
        {"bad", story.order().bad.str()},
        {"suspects", story.last()},
        {"runs", story.runs()},
        {"builds", story.builds()},
        {"builds_failed", story.builds_failed()},
        {"seconds", story.seconds()},
        {"commands", commands_to_see(story, decision)}};
    if (!decision.done) return value;
    value["ending"] = ending_json(story, decision.endings.front());
    value["further"] = json::array();
    for (const auto& further : decision.further) {
        value["further"].push_back(ending_json(story, further));
    }
    json set = json::array();
    for (const int commit : search::credible_set(decision.posterior.front())) {
        json one = commit_json(story, commit);
        one["probability"] = posterior_at(decision, commit);
        set.push_back(std::move(one));
    }
    value["credible_set"] = std::move(set);
    return value;
}

}  // namespace vigil::local
