#include "tests/support/commit_graph.hpp"

#include <algorithm>
#include <functional>

#include "schema/wire/digest.hpp"

namespace vigil::tests {

CommitGraph::CommitGraph(int last, const std::vector<Branch>& branches) {
    parents_[0] = {};
    for (int commit = 1; commit <= last; ++commit) parents_[commit] = {commit - 1};
    for (const auto& branch : branches) {
        int before = branch.from;
        for (const int commit : branch.commits) {
            parents_[commit] = {before};
            before = commit;
        }
    }
    for (const auto& branch : branches) {
        parents_.at(branch.merge).push_back(branch.commits.back());
    }
    const std::function<const std::set<int>&(int)> hold = [&](int commit) -> const std::set<int>& {
        const auto known = held_.find(commit);
        if (known != held_.end()) return known->second;
        std::set<int> held{commit};
        for (const int parent : parents_.at(commit)) held.merge(std::set<int>(hold(parent)));
        return held_[commit] = std::move(held);
    };
    for (const auto& [commit, parents] : parents_) {
        hold(commit);
        numbers_[revision(commit)] = commit;
    }
}

std::string CommitGraph::revision(int commit) {
    return wire::sha256("commit " + std::to_string(commit)).str().substr(0, 40);
}

int CommitGraph::number(const Revision& revision) const {
    return numbers_.at(revision.str());
}

bool CommitGraph::holds(int newer, int older) const {
    return held_.at(newer).contains(older);
}

history::Range CommitGraph::range(const Revision& good, const Revision& bad) const {
    history::Range range;
    int commit = number(bad);
    while (!holds(number(good), commit)) {
        const auto& parents = parents_.at(commit);
        history::Commit described;
        described.revision = Revision(revision(commit));
        described.parent = Revision(revision(parents.front()));
        described.merge = parents.size() > 1;
        described.subject = "commit " + std::to_string(commit);
        described.author = "somebody";
        for (std::size_t i = 1; i < parents.size(); ++i) {
            described.brought.emplace_back(revision(parents[i]));
        }
        range.suspects.push_back(std::move(described));
        commit = parents.front();
    }
    std::reverse(range.suspects.begin(), range.suspects.end());
    range.base = Revision(revision(commit));
    if (commit != number(good)) {
        const bool is_within = holds(number(bad), number(good));
        range.relation = is_within ? history::Relation::merged_in : history::Relation::forked;
    }
    return range;
}

}  // namespace vigil::tests
