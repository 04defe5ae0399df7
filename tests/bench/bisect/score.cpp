#include "tests/bench/bisect/score.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"

namespace vigil::bench {

namespace {

/// The stretch that no rule can narrow further, because what lies around does not build or is the
/// same product.
Stretch narrowest(const World& world, int commit) {
    Stretch stretch{commit, commit};
    while (stretch.first > 1 && world.broken.contains(stretch.first - 1)) --stretch.first;
    while (stretch.last < world.suspects && world.broken.contains(stretch.last)) ++stretch.last;
    return stretch;
}

const Change* largest(const SeriesTruth& truth) {
    const Change* found = nullptr;
    for (const Change& change : truth.changes) {
        if (change.effect > 0 && (found == nullptr || change.effect > found->effect)) {
            found = &change;
        }
    }
    return found;
}

struct Hits {
    std::set<int> found;  ///< commits of changes that were named as narrowly as can be
    bool innocent = false;
    bool wide = false;
    bool wide_holds = false;
};

Hits hits_of(const World& world, const SeriesTruth& truth, const Answer& answer) {
    Hits hits;
    const Change* main = largest(truth);
    for (const Stretch& named : answer.named) {
        bool holds = false;
        bool narrow = false;
        for (const Change& change : truth.changes) {
            if (change.commit < named.first || change.commit > named.last) continue;
            holds = true;
            const Stretch least = narrowest(world, change.commit);
            if (named.first < least.first || named.last > least.last) continue;
            narrow = true;
            hits.found.insert(change.commit);
        }
        hits.innocent |= !holds;
        if (!holds || narrow) continue;
        hits.wide = true;
        hits.wide_holds |=
            main != nullptr && named.first <= main->commit && main->commit <= named.last;
    }
    return hits;
}

}  // namespace

Mark mark(const World& world, int series, const Answer& answer) {
    const SeriesTruth& truth = world.truth(series);
    const Change* main = largest(truth);
    Mark m;
    if (answer.kind == Answer::Kind::cleared) {
        m.missed = !truth.changes.empty();
        m.right = m.named = truth.changes.empty();
        return m;
    }
    if (answer.kind == Answer::Kind::open) {
        m.open = true;
        m.set_size = static_cast<int>(answer.set.size());
        const int held = main != nullptr ? main->commit : 0;
        m.holds = std::find(answer.set.begin(), answer.set.end(), held) != answer.set.end();
        return m;
    }
    const Hits hits = hits_of(world, truth, answer);
    m.wrong = hits.innocent;
    if (m.wrong) return m;
    const bool has_main = main != nullptr && hits.found.contains(main->commit);
    if (hits.wide || !has_main) {
        m.open = true;
        m.holds = hits.wide_holds || has_main;
        for (const Stretch& s : answer.named) m.set_size += s.last - s.first + 1;
        return m;
    }
    m.right = true;
    m.named = hits.found.size() == truth.changes.size();
    return m;
}

void Tally::add(const World& world, const std::vector<Answer>& answers, const Bill& bill) {
    ++days_;
    const double share = 1.0 / static_cast<double>(answers.size());
    for (std::size_t s = 0; s < answers.size(); ++s) {
        const Mark m = mark(world, static_cast<int>(s), answers[s]);
        right_ += m.right ? share : 0;
        wrong_ += m.wrong ? share : 0;
        missed_ += m.missed ? share : 0;
        named_ += m.named ? share : 0;
        if (!m.open) continue;
        held_ += m.holds ? 1 : 0;
        sizes_.push_back(m.set_size);
    }
    runs_ += bill.runs;
    builds_ += bill.builds;
    cost_ += bill.cost;
    cost_squares_ += bill.cost * bill.cost;
    time_ += bill.time;
}

double Tally::cost_margin() const {
    const double variance = std::max(cost_squares_ / days_ - cost() * cost(), 0.0);
    return 1.96 * std::sqrt(variance / days_);
}

double Tally::median_set() const {
    return sizes_.empty() ? 0 : stats::median(sizes_);
}

std::string with_interval(double share, int days) {
    constexpr double z = 1.96;
    const double n = days;
    const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    const double half =
        z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    return fmt::format(
        "{:.2f} [{:.2f}, {:.2f}]",
        100 * share,
        100 * std::max(middle - half, 0.0),
        100 * std::min(middle + half, 1.0));
}

}  // namespace vigil::bench
