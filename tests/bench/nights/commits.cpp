#include "tests/bench/nights/commits.hpp"

#include <algorithm>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::nights {

Commits::Commits(std::vector<Place> places, std::set<int> broken, int nights)
    : places_(std::move(places)),
      broken_(std::move(broken)),
      tips_(static_cast<std::size_t>(nights)),
      of_night_(static_cast<std::size_t>(nights)) {
    for (int commit = 0; commit < count(); ++commit) {
        const Place& place = at(commit);
        of_night_[static_cast<std::size_t>(place.night)].push_back(commit);
        if (place.on_branch()) {
            branches_[place.pos].push_back(commit);
        } else {
            line_.push_back(commit);
            tips_[static_cast<std::size_t>(place.night)] = commit;
        }
        const auto hash = wire::sha256("commit " + std::to_string(commit)).str().substr(0, 40);
        revisions_.emplace_back(hash);
        numbers_[hash] = commit;
    }
}

const std::vector<int>& Commits::branch(int pos) const {
    static const std::vector<int> none;
    const auto found = branches_.find(pos);
    return found == branches_.end() ? none : found->second;
}

std::set<int> Commits::ends_of_branches() const {
    std::set<int> ends;
    for (const auto& [pos, commits] : branches_) {
        ends.insert(on_line(pos - 1));
        ends.insert(on_line(pos - 2));
    }
    return ends;
}

bool Commits::holds(int newer, int older) const {
    const Place& above = at(newer);
    const Place& below = at(older);
    if (!above.on_branch()) return below.pos <= above.pos;
    if (below.pos <= above.left) return true;
    return below.pos == above.pos && below.on_branch() && below.index <= above.index;
}

std::int64_t Commits::committed_at_s(int commit) const {
    return 1'700'000'000 + std::int64_t{at(commit).night} * 86'400 + commit % 1000 * 60;
}

int Commits::first_parent(int commit) const {
    const Place& place = at(commit);
    if (!place.on_branch()) return place.pos == 0 ? -1 : on_line(place.pos - 1);
    return place.index == 0 ? on_line(place.left) : commit - 1;
}

history::Range Commits::range(const Revision& good_revision, const Revision& bad_revision) const {
    const int good = number(good_revision.str());
    const int bad = number(bad_revision.str());
    if (holds(good, bad)) throw Error(Errc::conflict, "the good revision holds the bad one");
    history::Range range;
    int commit = bad;
    while (!holds(good, commit)) {
        history::Commit described;
        described.revision = revision(commit);
        described.parent = revision(first_parent(commit));
        described.subject = "change " + std::to_string(commit);
        described.author = "a";
        described.authored_at_s = committed_at_s(commit);
        const Place& place = at(commit);
        if (!place.on_branch() && !branch(place.pos).empty()) {
            described.merge = true;
            described.brought = {revision(branch(place.pos).back())};
        }
        range.suspects.push_back(std::move(described));
        commit = first_parent(commit);
    }
    std::reverse(range.suspects.begin(), range.suspects.end());
    range.base = revision(commit);
    range.relation = commit == good     ? history::Relation::on_line
                     : holds(bad, good) ? history::Relation::merged_in
                                        : history::Relation::forked;
    return range;
}

}  // namespace vigil::nights
