#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "service/local/answer.hpp"

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

std::string_view verdict_word(const search::Decision& decision) {
    return decision.done ? to_string(decision.endings.front().ending) : "stopped";
}

json ending_json(const Story& story, const search::SeriesEnding& ending) {
    json value{
        {"probability", ending.probability},
        {"reason", ending.reason},
        {"comparison", wire::to_json(ending.verified)}};
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
    if (const auto* moves = story.moves(ending.first)) value["moves"] = moves_json(*moves);
    return value;
}

int runs_failed(const Story& story) {
    int failed = 0;
    for (int commit = 0; commit <= story.last(); ++commit) {
        failed += story.commit(commit).runs_failed;
    }
    return failed;
}

json search_json(const Story& story, const search::Decision& decision) {
    json value = asked_json(story.order());
    value.update(
        {{"verdict", verdict_word(decision)},
         {"reason", story.paused()},
         {"good", {{"revision", story.order().good.str()}}},
         {"bad", commit_json(story, story.last())},
         {"base", story.revision(0).str()},
         {"suspects", story.last()},
         {"stopped", !decision.done},
         {"runs", story.runs()},
         {"runs_failed", runs_failed(story)},
         {"builds", story.builds()},
         {"builds_failed", story.builds_failed()},
         {"seconds", story.seconds()},
         {"commands", commands_to_see(story, decision)}});
    if (!decision.done) return value;
    value.update(ending_json(story, decision.endings.front()));
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
    return value;
}

}  // namespace

json answer_json(
    const Story& story, const search::Decision& decision, std::span<const Found> inside) {
    json value = search_json(story, decision);
    value["inside"] = json::array();
    for (const auto& one : inside) {
        json search = search_json(one.story, one.decision);
        search["merge"] = one.story.start().inside->merge.str();
        search["parent"] = one.story.start().inside->parent;
        value["inside"].push_back(std::move(search));
    }
    const auto deepest = deepest_culprit(inside);
    const Story& last = deepest == 0 ? story : inside[deepest - 1].story;
    const auto& found = deepest == 0 ? decision : inside[deepest - 1].decision;
    if (found.done && found.endings.front().ending == search::Ending::culprit) {
        value["culprit"] = last.revision(found.endings.front().first).str();
    }
    return value;
}

}  // namespace vigil::local
