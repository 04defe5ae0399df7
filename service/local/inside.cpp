#include "service/local/inside.hpp"

#include <algorithm>

#include "bisect/search/onward.hpp"
#include "schema/model/error.hpp"

namespace vigil::local {

Started start_of(Repository& repository, const Order& order, const history::Range& range) {
    Started start;
    start.order = order;
    start.base = range.base;
    start.relation = range.relation;
    start.suspects = range.suspects;
    start.touches = repository.touching(range, order.path);
    const auto parents = repository.parents(order.good);
    if (!parents.empty()) start.good_parent = parents.front();
    return start;
}

namespace {

/// The commits that an ended search left, newest first.
std::vector<Revision> answer_of(const Story& story, const search::SeriesEnding& ending) {
    std::vector<Revision> answer;
    for (int commit = ending.last; commit >= ending.first; --commit) {
        answer.push_back(story.revision(commit));
    }
    return answer;
}

std::vector<int> parents_of(Repository& repository, const std::vector<Revision>& revisions) {
    std::vector<int> parents;
    for (const auto& revision : revisions) {
        parents.push_back(static_cast<int>(repository.parents(revision).size()));
    }
    return parents;
}

/// Why the commits that a merge brought cannot be searched; empty: they can.
std::string why_not_searched(
    Repository& repository, const Revision& line, const Revision& brought) {
    try {
        repository.range(line, brought);
    } catch (const Error& error) {
        const std::string why = error.what();
        if (why.find("no common history") == why.npos) return why;
        return brought.brief() + " and " + line.brief() + " have no common history";
    }
    return "";
}

}  // namespace

namespace {

/// The search is of a submodule's commits: none of them is the project's.
bool is_of_submodule(const Started& start) {
    return start.inside && !start.inside->submodule.empty();
}

/// The one submodule that a culprit moves, where it does nothing else.
std::optional<Inside> moved_submodule(
    Repository& repository, const Story& story, const search::SeriesEnding& ending) {
    if (ending.ending != search::Ending::culprit) return std::nullopt;
    const auto& culprit = story.revision(ending.first);
    const auto moved = history::only_dependency(repository.pins(culprit));
    if (!moved || moved->line > 0) return std::nullopt;
    return Inside{culprit, 2, moved->path};
}

}  // namespace

std::optional<Inside> next_inside(
    Repository& repository,
    const Story& story,
    const search::SeriesEnding& ending,
    std::span<const Found> before) {
    if (is_of_submodule(story.start())) return std::nullopt;
    const auto answer = answer_of(story, ending);
    search::FinishedSearch ended{
        .ending = ending.ending,
        .verified = ending.verified.runs_after > 0,
        .depth = static_cast<int>(before.size()) + 1};
    if (ending.ending != search::Ending::not_reproduced) {
        ended.answer = parents_of(repository, answer);
    }
    std::vector<Revision> outer;
    if (const auto& inside = story.start().inside) {
        for (const auto& led : before) {
            auto theirs = answer_of(led.story, led.decision.endings.front());
            const auto merge = std::find(theirs.begin(), theirs.end(), inside->merge);
            if (merge == theirs.end()) continue;
            ended.door = {static_cast<int>(merge - theirs.begin()), inside->parent};
            outer = std::move(theirs);
        }
        ended.outer = parents_of(repository, outer);
    }
    const auto next = search::onward(ended);
    if (!next) return moved_submodule(repository, story, ending);
    const auto& merges = next->deeper ? answer : outer;
    return Inside{merges.at(static_cast<std::size_t>(next->door.merge)), next->door.parent};
}

namespace {

Started start_in_submodule(
    Repository& repository, Submodules& submodules, const Order& order, const Inside& inside) {
    const auto moves = repository.pins(inside.merge);
    if (moves.pins.size() != 1) throw Error(Errc::conflict, "it moves something else too");
    const auto& pin = moves.pins.front();
    const Revision before(pin.before);
    const Revision after(pin.after);
    const auto folder = submodules.repository_of(inside.merge, inside.submodule, before, after);
    auto range = history::list_range(folder.string(), before, after);
    if (range.relation != history::Relation::on_line) {
        throw Error(Errc::conflict, pin.before + " is not on the line of " + pin.after);
    }
    Started start;
    start.order = order;
    start.base = range.base;
    start.touches.assign(range.suspects.size(), false);
    start.suspects = std::move(range.suspects);
    start.inside = inside;
    return start;
}

}  // namespace

std::optional<Workshop::MovedSubmodule> place_of(Repository& repository, const Started& start) {
    if (!is_of_submodule(start)) return std::nullopt;
    const auto& commit = start.inside->merge;
    return Workshop::MovedSubmodule{
        commit,
        repository.parents(commit).at(0),
        start.inside->submodule,
        start.base,
        start.suspects.back().revision};
}

Started start_inside(
    Repository& repository, Submodules& submodules, const Order& order, const Inside& inside) {
    if (!inside.submodule.empty()) {
        return start_in_submodule(repository, submodules, order, inside);
    }
    const auto parents = repository.parents(inside.merge);
    const Revision& brought = parents.at(static_cast<std::size_t>(inside.parent) - 1);
    Started start = start_of(repository, order, repository.range(parents.front(), brought));
    start.inside = inside;
    return start;
}

namespace {

std::vector<LogEntry> moves_of(
    Repository& repository, const Story& story, const search::Decision& decision) {
    std::vector<LogEntry> entries;
    const auto tell = [&](const search::SeriesEnding& one) {
        if (one.ending != search::Ending::culprit) return;
        auto moves = repository.pins(story.revision(one.first));
        if (!moves.pins.empty()) entries.push_back(PinsMoved{one.first, std::move(moves)});
    };
    for (const auto& ending : decision.endings) tell(ending);
    for (const auto& further : decision.further) tell(further);
    return entries;
}

std::vector<LogEntry> merges_of(
    Repository& repository, const Story& story, const search::Decision& decision) {
    std::vector<LogEntry> entries;
    const auto look = [&](const search::SeriesEnding& one) {
        const bool culprit = one.ending == search::Ending::culprit;
        if (!culprit || !story.suspect(one.first).merge) return;
        const auto& merge = story.suspect(one.first);
        MergeSeen seen{one.first, {}, ""};
        for (const auto& brought : repository.parents(merge.revision)) {
            if (brought == merge.parent) continue;
            const std::string why = why_not_searched(repository, merge.parent, brought);
            if (why.empty()) seen.brought.push_back(brought);
            if (seen.why.empty()) seen.why = why;
        }
        if (!seen.brought.empty()) seen.why.clear();
        entries.push_back(std::move(seen));
    };
    for (const auto& ending : decision.endings) look(ending);
    for (const auto& further : decision.further) look(further);
    return entries;
}

}  // namespace

std::vector<LogEntry> culprits_of(
    Repository& repository, const Story& story, const search::Decision& decision) {
    if (is_of_submodule(story.start())) return {};
    auto entries = moves_of(repository, story, decision);
    const auto merges = merges_of(repository, story, decision);
    entries.insert(entries.end(), merges.begin(), merges.end());
    return entries;
}

}  // namespace vigil::local
