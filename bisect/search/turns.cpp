#include "bisect/search/turns.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "bisect/search/rules.hpp"
#include "bisect/search/verify.hpp"

namespace vigil::search {

namespace {

bool are_alike(const Problem& problem, int series, int other) {
    const SeriesSpec& a = problem.series[static_cast<std::size_t>(series)];
    const SeriesSpec& b = problem.series[static_cast<std::size_t>(other)];
    return series != other && a.group == b.group && a.kind == b.kind;
}

bool needs_second_machine(const Assessment& one) {
    return one.need == Need::verify && !one.pair.not_on.empty();
}

class Turns {
  public:
    Turns(
        const Problem& problem,
        const Facts& facts,
        const Line& line,
        const std::set<int>& passed,
        std::vector<Assessment>& series)
        : problem_(problem), facts_(facts), line_(line), passed_(passed), series_(series) {}

    void take() {
        for (int s = 0; s < count(); ++s) {
            if (is_open(s)) check_found(s);
        }
        wait_for_second_machines();
        std::map<MetricKind, int> leads;
        for (int s = 0; s < count(); ++s) {
            if (!is_open(s) || passed_.contains(s)) continue;
            const auto [lead, first] = leads.emplace(kind(s), s);
            if (!first && claim(s) > claim(lead->second)) lead->second = s;
        }
        for (int s = 0; s < count(); ++s) {
            if (is_open(s) && (!leads.contains(kind(s)) || leads[kind(s)] != s)) {
                at(s).need = Need::wait;
            }
        }
    }

  private:
    int count() const { return static_cast<int>(series_.size()); }
    Assessment& at(int s) { return series_[static_cast<std::size_t>(s)]; }
    /// One that only makes sure of its answer neither leads nor waits.
    bool is_open(int s) { return at(s).need == Need::search && !at(s).built_only; }
    MetricKind kind(int s) const { return problem_.series[static_cast<std::size_t>(s)].kind; }

    /// One of those that are alike is repeated elsewhere for all of them, a running one first.
    void wait_for_second_machines() {
        std::vector<int> order;
        for (int s = 0; s < count(); ++s) {
            if (needs_second_machine(at(s))) order.push_back(s);
        }
        std::stable_partition(order.begin(), order.end(), [&](int s) { return is_elsewhere(s); });
        for (std::size_t later = 1; later < order.size(); ++later) {
            const Pair& mine = at(order[later]).pair;
            const bool is_shared =
                std::any_of(order.begin(), order.begin() + static_cast<int>(later), [&](int first) {
                    const Assessment& lead = at(first);
                    return are_alike(problem_, order[later], first) && lead.need == Need::verify &&
                           lead.pair.before == mine.before && lead.pair.after == mine.after;
                });
            if (is_shared) at(order[later]).need = Need::wait;
        }
    }

    /// A session of the series on another machine than the first is running.
    bool is_elsewhere(int s) const {
        return std::any_of(facts_.open_probes.begin(), facts_.open_probes.end(), [&](int number) {
            const ProbeRequest& open = facts_.asked[static_cast<std::size_t>(number)];
            return !open.not_on.empty() &&
                   std::find(open.series.begin(), open.series.end(), s) != open.series.end();
        });
    }

    /// A likely shared culprit that this series has not been verified at yet.
    void check_found(int s) {
        double best = 1 - rule.sure;
        const SeriesEnding* found = nullptr;
        int of = 0;
        for (int other = 0; other < count(); ++other) {
            if (other == s || kind(other) != kind(s) || !at(other).has_answer()) continue;
            std::vector<const SeriesEnding*> endings{&at(other).ending};
            for (const SeriesEnding& further : at(other).further) endings.push_back(&further);
            for (const SeriesEnding* ending : endings) {
                if (ending->verified.runs_after == 0 || is_checked(s, *ending)) continue;
                const double p = mass(s, *ending);
                if (p <= best) continue;
                best = p;
                found = ending;
                of = other;
            }
        }
        if (found == nullptr) return;
        Assessment& mine = at(s);
        const Posterior& p = *mine.posterior;
        mine.need = Need::verify;
        mine.pair.before = found->parent;
        mine.pair.after = found->last;
        const double effect = std::max(mine.evidence.least, std::abs(p.net()));
        mine.pair.runs = runs_to_verify(effect, p.noise());
        mine.pair.why = fmt::format(
            "commit {} against {}, where the change of series {} was found",
            problem_.name(mine.pair.after),
            problem_.name(mine.pair.before),
            of);
    }

    bool is_checked(int s, const SeriesEnding& ending) {
        const auto verified_at = [&](int commit) {
            const auto& runs = at(s).evidence.runs;
            return std::any_of(runs.begin(), runs.end(), [&](const Run& run) {
                return run.purpose == ProbePurpose::verify && run.place == line_.place(commit);
            });
        };
        return verified_at(ending.parent) && verified_at(ending.last);
    }

    /// What the series' own runs say of a change within the pair.
    double mass(int s, const SeriesEnding& ending) {
        const auto p = at(s).posterior->by_commit();
        double sum = 0;
        for (int c = ending.parent + 1; c <= ending.last; ++c) {
            sum += p[static_cast<std::size_t>(c) - 1];
        }
        // What is not known yet counts as likely: its place is that of the lead's culprit.
        const auto& places = at(s).posterior->places();
        const bool between = std::none_of(places.begin(), places.end(), [&](int place) {
            return place > line_.place(ending.parent) && place < line_.place(ending.last);
        });
        const int gap = gap_around(s, ending);
        return between && gap >= 0 ? std::max(sum, at(s).posterior->changed(gap)) : sum;
    }

    /// The gap between two measured commits that holds the whole pair; -1: none does.
    int gap_around(int s, const SeriesEnding& ending) {
        const Posterior& p = *at(s).posterior;
        for (int gap = 0; gap < p.gaps(); ++gap) {
            const int from = p.places()[static_cast<std::size_t>(gap)];
            const int to = p.places()[static_cast<std::size_t>(gap) + 1];
            if (from <= line_.place(ending.parent) && line_.place(ending.last) <= to) return gap;
        }
        return -1;
    }

    /// The series searched for longest goes on, else the one that shows its change most clearly.
    std::tuple<int, double, int> claim(int s) {
        int probes = 0;
        for (const ProbeRequest& asked : facts_.asked) {
            const bool mine =
                std::find(asked.series.begin(), asked.series.end(), s) != asked.series.end();
            const bool inner =
                std::any_of(asked.commits.begin(), asked.commits.end(), [&](int commit) {
                    return commit != 0 && commit != problem_.suspects;
                });
            if (mine && inner && asked.purpose == ProbePurpose::search) ++probes;
        }
        const Posterior& p = *at(s).posterior;
        return {probes, std::abs(p.net()) / p.noise(), -s};
    }

    const Problem& problem_;
    const Facts& facts_;
    const Line& line_;
    const std::set<int>& passed_;
    std::vector<Assessment>& series_;
};

}  // namespace

std::vector<Assessment> assess_all(
    const Problem& problem,
    const Facts& facts,
    const Line& line,
    const Availability& availability) {
    std::vector<Assessment> all;
    const int count = static_cast<int>(problem.series.size());
    for (int s = 0; s < count; ++s) all.push_back(assess(problem, facts, line, availability, s));
    for (int s = 0; s < count; ++s) {
        Assessment& mine = all[static_cast<std::size_t>(s)];
        if (!needs_second_machine(mine)) continue;
        std::vector<SeriesEnding> repeated;
        for (int other = 0; other < count; ++other) {
            if (!are_alike(problem, s, other)) continue;
            for (const SeriesEnding& ending : all[static_cast<std::size_t>(other)].verified) {
                if (ending.machines.size() > 1) repeated.push_back(ending);
            }
        }
        if (!repeated.empty()) mine = assess(problem, facts, line, availability, s, repeated);
    }
    return all;
}

void take_turns(
    const Problem& problem,
    const Facts& facts,
    const Line& line,
    const std::set<int>& passed,
    std::vector<Assessment>& series) {
    if (series.size() > 1) Turns(problem, facts, line, passed, series).take();
}

}  // namespace vigil::search
