#include "bisect/search/availability.hpp"

#include <algorithm>
#include <cstdlib>

#include "bisect/search/rules.hpp"

namespace vigil::search {

Availability::Availability(const Problem& problem, const Facts& facts)
    : states_(static_cast<std::size_t>(problem.suspects) + 1, State::untested),
      times_(states_.size(), 0) {
    for (const Failure& failure : facts.failures) {
        const auto i = static_cast<std::size_t>(failure.commit);
        states_[i] = State::failed;
        times_[i] = std::max(times_[i], failure.times);
    }
    std::vector<bool> seen_to_fail_at_running(states_.size(), false);
    for (const Failure& failure : facts.failures) {
        if (failure.built) seen_to_fail_at_running[static_cast<std::size_t>(failure.commit)] = true;
    }
    for (const int commit : facts.built) {
        const auto i = static_cast<std::size_t>(commit);
        if (!seen_to_fail_at_running[i]) states_[i] = State::good;
    }
    for (const Observation& o : facts.observations) {
        states_[static_cast<std::size_t>(o.commit)] = State::good;
    }
    for (std::size_t i = 1; i + 1 < states_.size(); ++i) {
        if (states_[i] != State::untested) ++tried_;
    }
    below_.assign(states_.size(), -1);
    above_.assign(states_.size(), -1);
    for (std::size_t i = 1; i < states_.size(); ++i) {
        const bool known = states_[i - 1] != State::untested;
        below_[i] = known ? static_cast<int>(i) - 1 : below_[i - 1];
    }
    for (std::size_t i = states_.size() - 1; i-- > 0;) {
        const bool known = states_[i + 1] != State::untested;
        above_[i] = known ? static_cast<int>(i) + 1 : above_[i + 1];
    }
}

/// How many failures stand around with nothing good among them.
int Availability::stretch(int commit) const {
    int count = state(commit) == State::failed ? 1 : 0;
    for (const int step : {-1, 1}) {
        for (int i = neighbour(commit, step); i >= 0 && state(i) == State::failed;
             i = neighbour(i, step)) {
            ++count;
        }
    }
    return count;
}

bool Availability::unusable(int commit) const {
    const int below = neighbour(commit, -1);
    const int above = neighbour(commit, 1);
    const auto failed = [&](int i) { return i >= 0 && state(i) == State::failed; };
    if (state(commit) == State::good) return false;
    if (state(commit) == State::failed) {
        const int enough = std::max(1, rule.tries + 1 - stretch(commit));
        return times_[static_cast<std::size_t>(commit)] >= enough;
    }
    return failed(below) && failed(above) && stretch(commit) > rule.tries;
}

double Availability::chance(int commit) const {
    if (state(commit) == State::good) return 1;
    if (unusable(commit)) return 0;
    if (state(commit) == State::failed) return 1 - rule.fails_beside;
    const int below = neighbour(commit, -1);
    const int above = neighbour(commit, 1);
    const bool fails_below = below >= 0 && state(below) == State::failed;
    const bool fails_above = above >= 0 && state(above) == State::failed;
    if (!fails_below && !fails_above) return 1;
    const auto near = [&](int failing) {
        return 1 - rule.fails_beside / std::abs(commit - failing);
    };
    if (fails_below && fails_above) return near(below) * near(above);
    return near(fails_below ? below : above);
}

bool Availability::failures_between(int from, int to) const {
    for (int i = from + 1; i < to; ++i) {
        if (state(i) == State::failed) return true;
    }
    return false;
}

}  // namespace vigil::search
