#include <algorithm>

#include <nlohmann/json.hpp>

#include "schema/text/lines.hpp"
#include "schema/wire/job_json.hpp"
#include "service/local/answer.hpp"
#include "service/local/explained.hpp"
#include "service/local/level_rows.hpp"

namespace vigil::local {

namespace {

using nlohmann::json;

json commit_json(const Story& story, int commit) {
    json value{{"number", commit}, {"revision", story.revision(commit).str()}};
    if (commit > 0) {
        value["subject"] = story.suspect(commit).subject;
        value["author"] = story.suspect(commit).author;
        value["merge"] = story.suspect(commit).merge;
    }
    return value;
}

/// Where nothing was verified there are no numbers, and 0 would be one.
json comparison_json(const Comparison& verified) {
    json value = wire::to_json(verified);
    if (verified.runs_after > 0) return value;
    for (const char* key : {"before", "after", "change_ratio", "low", "high", "above"}) {
        value[key] = nullptr;
    }
    return value;
}

json ending_json(const Story& story, const search::SeriesEnding& ending) {
    json value{
        {"probability", ending.probability},
        {"reason", ending.reason},
        {"comparison", comparison_json(ending.verified)}};
    if (ending.ending == search::Ending::not_reproduced) return value;
    value["first"] = commit_json(story, ending.first);
    value["last"] = commit_json(story, ending.last);
    value["parent"] = commit_json(story, ending.parent);
    if (const auto& remaining = ending.remaining) {
        value["remaining"] = {
            {"first", commit_json(story, remaining->first)},
            {"last", commit_json(story, remaining->last)},
            {"change_ratio", remaining->change_ratio},
            {"probability", remaining->probability}};
    }
    if (ending.explained) value["explained"] = explained_json(*ending.explained);
    if (const auto* moves = story.moves(ending.first)) value["moves"] = moves_json(*moves);
    return value;
}

json search_json(const Found& found, std::span<const Found> inside = {}) {
    const auto& [story, decision] = found;
    const Cost cost = cost_of(story, inside);
    json value = requested_json(story.order());
    value.update(
        {{"verdict", decision.done ? to_string(decision.endings.front().ending) : "stopped"},
         {"reason", story.paused()},
         {"good", {{"revision", story.order().good.str()}}},
         {"bad", commit_json(story, story.last())},
         {"base", story.revision(0).str()},
         {"suspects", story.last()},
         {"better", story.order().better},
         {"at_once", story.at_once()},
         {"stopped", !decision.done},
         {"runs", cost.runs},
         {"runs_failed", cost.runs_failed},
         {"builds", cost.builds},
         {"builds_failed", cost.builds_failed},
         {"seconds", cost.seconds},
         {"handling_seconds", cost.handling_seconds},
         {"commands", commands_to_see(story, decision)}});
    if (!decision.done) return value;
    value.update(ending_json(story, decision.endings.front()));
    if (const auto ends = ends_of(story)) {
        value["ends"] = {
            {"change_ratio", ends->change_ratio},
            {"low", ends->low},
            {"high", ends->high},
            {"good", ends->good},
            {"bad", ends->bad}};
    }
    value["further"] = json::array();
    for (const auto& further : decision.further) {
        value["further"].push_back(ending_json(story, further));
    }
    json set = json::array();
    for (const int commit : search::credible_set(decision.posterior.front())) {
        json one = commit_json(story, commit);
        one["probability"] = decision.posterior.front()[static_cast<std::size_t>(commit) - 1];
        set.push_back(std::move(one));
    }
    value["credible_set"] = std::move(set);
    const auto& posterior = decision.posterior.front();
    const auto likeliest = std::max_element(posterior.begin(), posterior.end());
    if (decision.endings.front().ending == search::Ending::range && likeliest != posterior.end()) {
        value["likeliest"] = commit_json(story, int(likeliest - posterior.begin()) + 1);
        value["likeliest"]["probability"] = *likeliest;
    }
    value["levels"] = levels_json(story, decision);
    return value;
}

}  // namespace

json answer_json(const SearchAccount& account) {
    json value = search_json(account, account.inside);
    if (const auto& chosen = account.story.chosen()) value["chosen_case"] = to_json(*chosen);
    value["inside"] = json::array();
    for (const auto& one : account.inside) {
        json search = search_json(one);
        search["merge"] = one.story.start().inside->merge.str();
        search["parent"] = one.story.start().inside->parent;
        const auto& submodule = one.story.start().inside->submodule;
        if (!submodule.empty()) {
            search["submodule"] = text::one_line(submodule, 1000);
            search["commands"] = json::array();  // its commits are none of the repository
        }
        value["inside"].push_back(std::move(search));
    }
    const auto& last = answering(account);
    if (names_culprit(last.decision)) {
        value["culprit"] = last.story.revision(last.decision.endings.front().first).str();
    }
    return value;
}

}  // namespace vigil::local
