#include "bisect/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "bisect/search/assess.hpp"
#include "bisect/search/bad_end.hpp"
#include "bisect/search/choose.hpp"
#include "bisect/search/onward.hpp"
#include "bisect/search/rules.hpp"
#include "bisect/search/turns.hpp"
#include "bisect/search/words.hpp"
#include "schema/model/error.hpp"

namespace vigil::search {

namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw Error(Errc::invalid_argument, "searching for culprits: " + what);
}

void check(const Problem& problem, const Facts& facts) {
    const int last = problem.suspects;
    const auto series = static_cast<int>(problem.series.size());
    require(last >= 1, "there are no suspects");
    require(series >= 1, "there are no series");
    require(problem.workers >= 1, "there are no workers");
    require(
        problem.weights.empty() || static_cast<int>(problem.weights.size()) == last,
        "the weights do not match the suspects");
    require(
        problem.names.empty() || static_cast<int>(problem.names.size()) == last + 1,
        "the names do not match the commits");
    require(
        facts.product.empty() || static_cast<int>(facts.product.size()) == last + 1,
        "the products do not match the commits");
    const auto is_commit = [&](int c) { return c >= 0 && c <= last; };
    for (const SeriesSpec& spec : problem.series) {
        require(spec.threshold > 0 && spec.group >= 0, "a series has no threshold or group");
    }
    for (const Observation& o : facts.observations) {
        require(is_commit(o.commit), fmt::format("an observation of commit {}", o.commit));
        require(
            o.series >= 0 && o.series < series,
            fmt::format("an observation of series {}", o.series));
        require(
            std::isfinite(o.value) && o.value >= 0,
            fmt::format("an observation of value {}, which is below 0", o.value));
    }
    for (const Failure& f : facts.failures) {
        require(is_commit(f.commit), fmt::format("a failure of commit {}", f.commit));
    }
    for (const int c : facts.built) require(is_commit(c), fmt::format("a build of commit {}", c));
    const auto asked = static_cast<int>(facts.asked.size());
    for (const int number : facts.open_probes) {
        require(
            number >= 0 && number < asked, fmt::format("an open probe {} not asked for", number));
    }
}

class Planner {
  public:
    Planner(const Problem& problem, const Facts& facts)
        : problem_(problem),
          facts_(facts),
          line_(problem, facts),
          availability_(problem, facts),
          series_(assess_all(problem, facts, line_, availability_)) {}

    Decision decide() {
        write_posteriors();
        for (Assessment& s : series_) {
            if (s.need != Need::search || !s.enough_spent) continue;
            s.need = Need::nothing;
            s.ending.reason += bound_words(problem_, s.ending);
        }
        slots_ = problem_.workers - static_cast<int>(facts_.open_probes.size());
        const Spent spent = spent_by(problem_, facts_);
        left_ = problem_.budget.max_probes - spent.probes;
        runs_ = spent.runs;
        const bool finished = std::all_of(
            series_.begin(), series_.end(), [](const auto& s) { return s.need == Need::nothing; });
        if (!finished) ask_in_turn();
        const bool stuck = decision_.probes.empty() && facts_.open_probes.empty();
        if (finished || stuck)
            end(stuck);
        else
            summarise();
        if (!decision_.done) tell_verified();
        return std::move(decision_);
    }

  private:
    const SeriesSpec& spec(int series) const {
        return problem_.series[static_cast<std::size_t>(series)];
    }
    const Assessment& at(int series) const { return series_[static_cast<std::size_t>(series)]; }

    bool may_ask() const { return slots_ > 0 && left_ > 0 && runs_ < problem_.budget.max_runs; }

    void ask(ProbeRequest request) {
        runs_ += static_cast<int>(request.commits.size() * request.series.size());
        decision_.probes.push_back(std::move(request));
        --slots_;
        --left_;
    }

    std::vector<const ProbeRequest*> in_flight() const {
        std::vector<const ProbeRequest*> open;
        for (const int number : facts_.open_probes) {
            open.push_back(&facts_.asked[static_cast<std::size_t>(number)]);
        }
        for (const ProbeRequest& request : decision_.probes) open.push_back(&request);
        return open;
    }

    /// A lead that has nothing left to ask makes room for the next.
    void ask_in_turn() {
        std::vector<std::pair<Need, Pair>> assessed;
        for (const Assessment& s : series_) assessed.emplace_back(s.need, s.pair);
        std::set<int> passed;
        for (;;) {
            for (std::size_t s = 0; s < series_.size(); ++s) {
                std::tie(series_[s].need, series_[s].pair) = assessed[s];
            }
            take_turns(problem_, facts_, line_, passed, series_);
            ask_for_pairs();
            ask_for_suspects();
            if (decision_.probes.empty() && facts_.open_probes.empty()) ask_for_doubtful();
            if (!decision_.probes.empty() || !facts_.open_probes.empty()) return;
            const auto leads = passed.size();
            for (int s = 0; s < static_cast<int>(series_.size()); ++s) {
                if (at(s).need == Need::search) passed.insert(s);
            }
            if (passed.size() == leads) return;
        }
    }

    bool is_measured_now(int series, int before, int after) const {
        const auto open = in_flight();
        return std::any_of(open.begin(), open.end(), [&](const ProbeRequest* p) {
            const auto holds = [&](const std::vector<int>& list, int value) {
                return std::find(list.begin(), list.end(), value) != list.end();
            };
            return holds(p->series, series) && holds(p->commits, before) &&
                   holds(p->commits, after);
        });
    }

    /// What the group's last probe ended with: the product that its worker has in place, if there
    /// is one worker. -1: none.
    int in_place(int group) const {
        const auto find = [&](const std::vector<ProbeRequest>& probes) {
            for (auto probe = probes.rbegin(); probe != probes.rend(); ++probe) {
                if (probe->group == group && !probe->commits.empty()) return probe->commits.back();
            }
            return -1;
        };
        const int now = find(decision_.probes);
        return now >= 0 ? now : find(facts_.asked);
    }

    /// Ends and verifications: series of one group that need the same pair share the session.
    void ask_for_pairs() {
        for (int s = 0; s < static_cast<int>(series_.size()) && may_ask(); ++s) {
            const Assessment& mine = at(s);
            if (mine.need != Need::ends && mine.need != Need::verify) continue;
            if (is_measured_now(s, mine.pair.before, mine.pair.after)) continue;
            int runs = mine.pair.runs;
            ProbeRequest request;
            request.group = spec(s).group;
            request.purpose =
                mine.need == Need::verify ? ProbePurpose::verify : ProbePurpose::search;
            request.why = mine.pair.why;
            request.not_on = mine.pair.not_on;
            for (int other = 0; other < static_cast<int>(series_.size()); ++other) {
                const Assessment& theirs = at(other);
                if (theirs.need != mine.need || spec(other).group != spec(s).group ||
                    theirs.pair.before != mine.pair.before ||
                    theirs.pair.after != mine.pair.after || theirs.pair.not_on != mine.pair.not_on)
                    continue;
                request.series.push_back(other);
                runs = std::max(runs, theirs.pair.runs);
            }
            request.commits = in_place(request.group) == mine.pair.after
                                  ? interleave(mine.pair.after, mine.pair.before, runs)
                                  : interleave(mine.pair.before, mine.pair.after, runs);
            ask(std::move(request));
        }
    }

    /// Where no suspect teaches more, a likely change is put to the test all the same.
    void ask_for_doubtful() {
        for (Assessment& mine : series_) {
            if (mine.need != Need::search || !mine.doubtful) continue;
            mine.need = Need::verify;
            mine.pair = *mine.doubtful;
        }
        ask_for_pairs();
    }

    std::vector<Pending> pending() const {
        std::vector<Pending> list;
        for (const ProbeRequest* probe : in_flight()) {
            for (const int commit : std::set<int>(probe->commits.begin(), probe->commits.end())) {
                if (commit == 0 || commit == problem_.suspects) continue;
                list.push_back({commit, probe->series});
            }
        }
        return list;
    }

    bool builds_left() const {
        std::set<int> building;
        for (const Pending& p : pending()) {
            if (!availability_.built(p.commit)) building.insert(p.commit);
        }
        return availability_.builds_tried() + static_cast<int>(building.size()) <
               problem_.budget.max_builds;
    }

    Choice choice() const {
        Choice choice{line_, availability_, {}, problem_.costs, problem_.workers};
        const bool left = builds_left();
        for (int s = 0; s < static_cast<int>(series_.size()); ++s) {
            const Assessment& open = at(s);
            if (open.need != Need::search) continue;
            choice.open.push_back(
                {s, spec(s).group, &open.evidence, &*open.posterior, left && !open.built_only});
        }
        return choice;
    }

    void ask_for_suspects() {
        const double worth =
            problem_.hurries ? rule.worth_in_a_hurry / problem_.workers : rule.worth_at_once;
        const auto alone = choose(choice(), {});
        while (alone && may_ask()) {
            const auto under_way = pending();
            const auto option = under_way.empty() ? alone : choose(choice(), under_way);
            const bool idle = in_flight().empty();
            if (!option || (!idle && option->rate < worth * alone->rate)) return;
            for (const ProbeOption::GroupProbe& part : option->parts) {
                if (!may_ask()) return;
                ask(probe_of(*option, part));
            }
        }
    }

    ProbeRequest probe_of(const ProbeOption& option, const ProbeOption::GroupProbe& part) const {
        const SeriesEvidence& first = at(part.series.front()).evidence;
        const int good_runs = first.runs_at(line_.place(0));
        const int bad_runs = first.runs_at(line_.place(line_.last()));
        // The end with fewer runs so far is the control, so that both stay well known.
        int control = good_runs <= bad_runs ? 0 : problem_.suspects;
        int other = problem_.suspects - control;
        if (line_.place(option.commit) == line_.place(control)) std::swap(control, other);
        ProbeRequest request;
        request.group = part.group;
        request.series = part.series;
        request.why = why_words(
            problem_, line_, at(part.series.front()), option.commit, part.runs, part.bits);
        if (problem_.at_once > 1) {
            request.commits =
                groups_of(option.commit, part.first, control, other, problem_.at_once);
            return request;
        }
        // Where sessions do not differ, a control now and then keeps watch over that.
        const bool steady = std::all_of(
            part.series.begin(), part.series.end(), [&](int s) { return at(s).evidence.steady; });
        const bool controlled = !steady || (facts_.asked.size() + decision_.probes.size()) %
                                                   static_cast<std::size_t>(rule.least_runs) ==
                                               0;
        request.commits.assign(static_cast<std::size_t>(part.first), option.commit);
        if (controlled) request.commits.insert(request.commits.begin(), control);
        return request;
    }

    void write_posteriors() {
        for (const Assessment& s : series_) {
            if (s.posterior) {
                decision_.posterior.push_back(s.posterior->by_commit());
                continue;
            }
            std::vector<double> prior;
            for (int c = 1; c <= problem_.suspects; ++c) prior.push_back(line_.mass(c - 1, c));
            decision_.posterior.push_back(std::move(prior));
        }
    }

    void end(bool stuck) {
        decision_.done = true;
        int culprits = 0;
        for (Assessment& s : series_) {
            if (stuck && !s.has_answer()) s.ending.reason += "; " + why_no_further(s);
            culprits += s.ending.ending == Ending::culprit;
            decision_.endings.push_back(s.ending);
            decision_.further.insert(decision_.further.end(), s.further.begin(), s.further.end());
        }
        decision_.summary = fmt::format(
            "{} of {} series have a verified culprit, after {} probes and {} builds",
            culprits,
            series_.size(),
            facts_.asked.size(),
            availability_.builds_tried());
    }

    std::string why_no_further(const Assessment& s) const {
        if (left_ <= 0) return fmt::format("all {} probes are spent", problem_.budget.max_probes);
        if (runs_ >= problem_.budget.max_runs) {
            return fmt::format("all {} runs are spent", problem_.budget.max_runs);
        }
        if (!builds_left()) {
            return fmt::format("all {} builds are spent", problem_.budget.max_builds);
        }
        if (!s.posterior) return "the ends could not be measured";
        if (s.ending.ending == Ending::culprit && !s.unverified.empty()) return s.unverified;
        return "no further run would tell more";
    }

    void tell_verified() {
        for (const Assessment& s : series_) {
            decision_.verified.insert(
                decision_.verified.end(), s.verified.begin(), s.verified.end());
        }
    }

    void summarise() {
        std::string text;
        for (const Assessment& s : series_) {
            const std::string which =
                series_.size() > 1 ? fmt::format("series {}: ", s.ending.series) : "";
            text += (text.empty() ? "" : "; ") + which + standing_words(problem_, s);
        }
        decision_.summary = text;
    }

    const Problem& problem_;
    const Facts& facts_;
    Line line_;
    Availability availability_;
    std::vector<Assessment> series_;
    Decision decision_;
    int slots_ = 0;
    int left_ = 0;  ///< probes
    int runs_ = 0;  ///< asked for
};

}  // namespace

Decision next(const Problem& problem, const Facts& facts) {
    check(problem, facts);
    const int bad_end = usable_bad_end(problem, facts);
    Decision decision;
    if (bad_end == problem.suspects) {
        decision = Planner(problem, facts).decide();
    } else {
        const auto shorter = shorten(problem, facts, bad_end);
        decision = of_whole_range(
            Planner(shorter.problem, shorter.facts).decide(), problem, facts, bad_end);
    }
    tell_ratios(problem, decision);
    return decision;
}

std::vector<int> credible_set(std::span<const double> posterior, double share) {
    std::vector<int> order;
    double total = 0;
    for (std::size_t i = 0; i < posterior.size(); ++i) {
        order.push_back(static_cast<int>(i) + 1);
        total += posterior[i];
    }
    const auto at = [&](int commit) { return posterior[static_cast<std::size_t>(commit) - 1]; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return at(a) > at(b); });
    double held = 0;
    std::size_t count = 0;
    while (count < order.size() && held < share * total) held += at(order[count++]);
    order.resize(count);
    std::sort(order.begin(), order.end());
    return order;
}

}  // namespace vigil::search
