#include "bisect/search/assess.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bisect/search/choose.hpp"
#include "bisect/search/further.hpp"
#include "bisect/search/rules.hpp"
#include "bisect/search/second_machine.hpp"
#include "bisect/search/verify.hpp"
#include "bisect/search/words.hpp"

namespace vigil::search {

namespace {

class Assessor {
  public:
    Assessor(
        const Problem& problem,
        const Facts& facts,
        const Line& line,
        const Availability& availability,
        int series,
        const std::vector<SeriesEnding>& repeated)
        : problem_(problem),
          facts_(facts),
          line_(line),
          availability_(availability),
          repeated_(repeated),
          spec_(problem.series[static_cast<std::size_t>(series)]) {
        out_.ending.series = series;
        out_.ending.first = 1;
        out_.ending.last = problem.suspects;
        out_.evidence = gather(problem, facts, line, series);
        good_ = line.place(0);
        bad_ = line.place(line.last());
    }

    Assessment assess() && {
        if (bad_ == good_) {
            finish(Ending::not_reproduced, 0, "both ends are the same product");
        } else if (availability_.unusable(0) || availability_.unusable(line_.last())) {
            const bool good = availability_.unusable(0);
            const bool both = good && availability_.unusable(line_.last());
            finish(
                Ending::range,
                1,
                both   ? "both ends of the range can no longer be built or run"
                : good ? "the good end of the range can no longer be built or run"
                       : "the bad end of the range can no longer be built or run");
        } else if (!ends_settled()) {
            out_.pair.before = 0;
            out_.pair.after = line_.last();
        } else {
            look_for_culprits();
        }
        return std::move(out_);
    }

  private:
    void finish(Ending ending, double probability, std::string reason) {
        out_.need = Need::nothing;
        out_.ending.ending = ending;
        out_.ending.probability = probability;
        out_.ending.reason = std::move(reason);
    }

    /// @return false: the ends must be measured (again) before anything else
    bool ends_settled() {
        const int runs = std::min(out_.evidence.runs_at(good_), out_.evidence.runs_at(bad_));
        if (runs < 1) {
            out_.pair.runs = runs_of_ends(spec_, out_.evidence);
            out_.pair.why = "the two ends, measured again";
            return false;
        }
        out_.posterior.emplace(out_.evidence, line_, spec_.kind);
        const Posterior& p = *out_.posterior;
        const bool other_builds = spec_.least_ratio > 0;
        const bool undecided = other_builds && runs >= rule.most_runs;
        const double may_be_small = other_builds ? 1 - rule.sure : 0.5;
        if ((p.small() >= rule.sure && runs >= rule.least_runs) ||
            (undecided && p.small() > may_be_small)) {
            finish(
                Ending::not_reproduced,
                p.small(),
                unmoved_words(spec_, p.net(), out_.evidence.least, p.small()));
            return true;
        }
        if (p.small() <= may_be_small || runs >= rule.most_runs) return true;
        // Where others undo a change, a net change of nothing is no reason to stop here.
        if (!other_builds && surely_changed()) return true;
        out_.pair.runs = 2;
        out_.pair.why = fmt::format("the two ends again: P(no change) is {:.2f}", p.small());
        return false;
    }

    /// Whether some gap holds a regression worth telling, whatever the ends say: others undo it.
    bool surely_changed() const {
        const Posterior& p = *out_.posterior;
        for (int gap = 0; gap < p.gaps(); ++gap) {
            if (p.changed(gap) >= rule.sure && p.effect(gap) >= out_.evidence.least) {
                return true;
            }
        }
        return false;
    }

    /// Gaps that are surely changed and as narrow as they can be are verified, or accepted.
    void look_for_culprits() {
        if (out_.need == Need::nothing) return;
        out_.need = Need::search;
        const Posterior& p = *out_.posterior;
        std::vector<Accepted> accepted;
        double elsewhere = 0;
        for (int gap = 0; gap < p.gaps(); ++gap) {
            if (!look_at(gap, accepted)) elsewhere += p.notable(gap);
        }
        tell_verified(accepted);
        if (out_.need == Need::verify) return;
        if (!contradiction_.empty()) {
            out_.unverified = contradiction_;
            out_.enough_spent = is_enough_spent(problem_, facts_, out_.ending.series);
        }
        take_range();
        if (accepted.empty()) return;
        const auto largest =
            std::max_element(accepted.begin(), accepted.end(), [](const auto& a, const auto& b) {
                return a.size.change < b.size.change;
            });
        if (largest->size.change < 0) {
            // Only recoveries so far: they are no culprits, the regression is still to be found.
            for (const Accepted& other : accepted) out_.further.push_back(other.ending);
            return;
        }
        const double rest_error = take_accepted(accepted, *largest, elsewhere);
        if (elsewhere > rule.further_change) return;
        out_.built_only = may_be_a_rest(*out_.ending.explained, rest_error, out_.evidence);
        if (!out_.built_only) out_.need = Need::nothing;
    }

    void tell_verified(const std::vector<Accepted>& accepted) {
        for (const Accepted& each : accepted) out_.verified.push_back(each.ending);
        std::stable_sort(
            out_.verified.begin(), out_.verified.end(), [](const auto& a, const auto& b) {
                return a.verified.change_ratio > b.verified.change_ratio;
            });
    }

    /// @return whether the gap is done with: accepted, or of no interest
    bool look_at(int gap, std::vector<Accepted>& accepted) {
        const Posterior& p = *out_.posterior;
        const int from = p.places()[static_cast<std::size_t>(gap)];
        const int to = p.places()[static_cast<std::size_t>(gap) + 1];
        const double effect = p.effect(gap);
        const auto second =
            second_machine(problem_, facts_, spec_, out_.evidence, repeated_, p, gap);
        if (!second.contradiction.empty()) {
            if (contradiction_.empty()) contradiction_ = second.contradiction;
            return false;
        }
        if (p.changed(gap) < 0.5) return false;
        if (std::abs(effect) < out_.evidence.least) return p.changed(gap) >= rule.worth_verifying;
        if (!narrowing_commits(line_, availability_, from, to).empty()) return false;
        const auto test = test_pair(out_.evidence, from, to);
        const double changed = p.changed(gap);
        const bool confirmed = test.convincing(effect, out_.evidence.least);
        if (confirmed && changed >= bar(gap)) {
            auto once_more = what_is_missing(gap, from, to, test);
            if (!once_more && !second.ask_not_on.empty()) {
                ask_to_verify(pair_elsewhere(gap, from, to, second));
                return false;
            }
            if (!once_more) {
                const Size size =
                    size_of_change(p, gap, levels(), test.moments, out_.evidence.least);
                accepted.push_back(
                    {gap, ending_of(gap, changed, test, size, second.agreeing), size});
                return true;
            }
            if (test.rounds < rule.patience) {
                ask_to_verify(std::move(*once_more));
                return false;
            }
        }
        if (confirmed && test.own_error < p.jitter_if_same(gap) / 2) {
            out_.unverified = fmt::format(
                "commit {} differs from {}, perhaps by layout only; a change is {:.0f} % likely",
                problem_.name(to),
                problem_.name(from),
                100 * changed);
            return false;  // more runs of the two would not tell
        }
        if (test.rounds >= rule.patience) {
            out_.unverified = fmt::format(
                "the change after commit {} was not confirmed in {} verifications",
                problem_.name(from),
                test.rounds);
            return false;
        }
        if (changed >= rule.worth_verifying) {
            ask_to_verify(pair_to_verify(gap, from, to, test));
        } else if (!out_.doubtful) {
            out_.doubtful = pair_to_verify(gap, from, to, test);
        }
        return false;
    }

    /// One pair after the other.
    void ask_to_verify(Pair pair) {
        if (out_.need == Need::verify) return;
        out_.need = Need::verify;
        out_.pair = std::move(pair);
    }

    /// What a change that the test is convinced of needs before it is named: a moment may show what
    /// another does not, two runs agree by chance, and no run may be left out that is contrary.
    /// What is exact needs none of it.
    std::optional<Pair> what_is_missing(int gap, int from, int to, const PairTest& test) const {
        if (out_.evidence.exact) return std::nullopt;
        const int times = out_.evidence.disturbed ? 2 : 1;
        const int sessions = 2 * times;
        const int runs = rule.least_runs * times;
        Pair pair = pair_to_verify(gap, from, to, test);
        if (test.rounds < sessions || test.runs() < runs) {
            const int left = std::max(1, sessions - test.rounds);
            pair.runs = std::max(1, (runs - test.runs() + left - 1) / left);
            pair.why +=
                fmt::format("; repeated: needs {} sessions, {} runs per side", sessions, runs);
            return pair;
        }
        const double chance = test.chance(out_.posterior->effect(gap));
        if (chance <= may_be_chance()) return std::nullopt;
        pair.runs = std::clamp(test.runs() / 2, rule.least_runs, rule.most_runs);
        pair.why += fmt::format(
            "; repeated: with the outliers counted, equal builds show as much with P {:.2f}",
            chance);
        return pair;
    }

    /// How sure a change must be to be named: all but the likeliest are further ones.
    double bar(int gap) const {
        const Posterior& p = *out_.posterior;
        for (int other = 0; other < p.gaps(); ++other) {
            const bool likelier = p.changed(other) > p.changed(gap) ||
                                  (other < gap && p.changed(other) == p.changed(gap));
            if (likelier && std::abs(p.effect(other)) >= out_.evidence.least) {
                return 1 - may_be_chance();  // a further one must not double the risk
            }
        }
        return rule.sure;
    }

    const FittedLevels& levels() {
        if (!levels_) levels_ = fit_levels(out_.evidence);
        return *levels_;
    }

    Pair pair_to_verify(int gap, int from, int to, const PairTest& test) const {
        const Posterior& p = *out_.posterior;
        Pair pair;
        pair.before = line_.newest(from);
        if (pair.before >= to) pair.before = from;
        pair.after = to;
        pair.runs = runs_to_verify(p.effect(gap), p.noise(), test);
        pair.why = fmt::format(
            "commit {} against {}, the newest measured before it: P(change) {:.3f}",
            problem_.name(to),
            problem_.name(pair.before),
            p.changed(gap));
        return pair;
    }

    Pair pair_elsewhere(int gap, int from, int to, const SecondMachine& second) const {
        Pair pair = pair_to_verify(gap, from, to, {});
        pair.runs = second.runs;
        pair.not_on = second.ask_not_on;
        pair.why += "; repeated on another machine than " + second.ask_not_on;
        return pair;
    }

    SeriesEnding ending_of(
        int gap,
        double changed,
        const PairTest& test,
        const Size& size,
        const std::vector<std::string>& machines) const {
        const int from = out_.posterior->places()[static_cast<std::size_t>(gap)];
        const int to = out_.posterior->places()[static_cast<std::size_t>(gap) + 1];
        SeriesEnding e = out_.ending;
        e.first = line_.first_suspect(from, to);
        e.last = line_.last_suspect(from, to);
        e.parent = std::min(line_.newest(from), e.first - 1);
        // All runs may be surer than those that were made to verify it.
        e.probability = out_.evidence.exact
                            ? changed
                            : std::min(changed, 1 - test.chance(out_.posterior->effect(gap)));
        e.stands_alone =
            size.change >= rule.alone_share * out_.evidence.tau || test.change >= out_.evidence.tau;
        e.verified =
            compare(test, size, sought_direction(spec_), out_.evidence.tau, out_.evidence.zero);
        e.machines = machines;
        if (e.first == e.last) {
            e.ending = Ending::culprit;
            const int back = e.first - e.parent;
            e.reason = fmt::format(
                "verified{} against {}: {}",
                where_words(machines, second_asked(facts_, spec_.group) == SecondAsked::in_vain),
                back == 1 ? "its parent" : fmt::format("what lies {} commits before it", back),
                verified_words(told_comparison(spec_, e.verified)));
        } else {
            e.ending = Ending::range;
            const int newest = line_.newest(from);
            e.reason =
                inseparable_words(problem_, availability_, e, newest < to ? newest : from, to);
        }
        return e;
    }

    /// @return the error of what the accepted changes leave unexplained
    double take_accepted(
        const std::vector<Accepted>& accepted, const Accepted& largest, double elsewhere) {
        out_.ending = largest.ending;
        double variance = std::pow(levels().places.back().error, 2);
        std::vector<int> known;
        std::vector<double> ratios;
        for (const Accepted& each : accepted) {
            if (each.gap != largest.gap) out_.further.push_back(each.ending);
            known.push_back(each.gap);
            ratios.push_back(each.ending.verified.change_ratio);
            variance += each.size.error * each.size.error;
        }
        auto& explained = out_.ending.explained;
        const double error = std::sqrt(variance);
        const Direction sought = sought_direction(spec_);
        const double bad = levels().places.back().above;
        const double whole =
            change_ratio(levels().value_at(0, sought), levels().value_at(bad, sought), sought);
        explained = explain(whole, ratios, error);
        out_.enough_spent = is_enough_spent(problem_, facts_, line_, out_.ending, out_.further);
        out_.ending.remaining = what_remains(
            *out_.posterior, levels(), *explained, line_, known, elsewhere > rule.further_change);
        return error;
    }

    /// The ending if nothing further can be measured: the stretch that surely holds the change.
    void take_range() {
        const auto p = out_.posterior->by_commit();
        const auto held = credible_set(p);
        SeriesEnding& e = out_.ending;
        e.ending = Ending::range;
        e.first = held.empty() ? 1 : held.front();
        e.last = held.empty() ? problem_.suspects : held.back();
        e.probability = 0;
        for (int c = e.first; c <= e.last; ++c) e.probability += p[static_cast<std::size_t>(c) - 1];
        e.probability = std::min(e.probability, 1.0);
        e.unchanged = out_.posterior->small();
        e.reason = likeliest_words(problem_, p) +
                   (out_.unverified.empty() ? fmt::format(
                                                  "{} {} the change with probability {:.2f}",
                                                  stretch_words(problem_, e.first, e.last),
                                                  e.first == e.last ? "holds" : "hold",
                                                  e.probability)
                                            : out_.unverified);
    }

    const Problem& problem_;
    const Facts& facts_;
    const Line& line_;
    const Availability& availability_;
    const std::vector<SeriesEnding>& repeated_;
    const SeriesSpec& spec_;
    int good_ = 0;
    int bad_ = 0;
    std::optional<FittedLevels> levels_;  ///< of all runs, once they are asked for
    std::string contradiction_;           ///< of machines, the first; empty: there is none
    Assessment out_;
};

}  // namespace

Assessment assess(
    const Problem& problem,
    const Facts& facts,
    const Line& line,
    const Availability& availability,
    int series,
    const std::vector<SeriesEnding>& repeated) {
    return Assessor(problem, facts, line, availability, series, repeated).assess();
}

}  // namespace vigil::search
