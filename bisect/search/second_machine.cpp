#include "bisect/search/second_machine.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bisect/search/rules.hpp"
#include "bisect/search/verify.hpp"
#include "bisect/search/words.hpp"
#include "bisect/stats/distribution.hpp"

namespace vigil::search {

namespace {

/// The verifications of one pair on one machine.
struct MachineTest {
    std::string machine;
    PairTest test;
};

const std::string& machine_of(const Facts& facts, int probe) {
    static const std::string unknown;
    const bool known = probe >= 0 && probe < static_cast<int>(facts.machines.size());
    return known ? facts.machines[static_cast<std::size_t>(probe)] : unknown;
}

/// What a machine's own runs need: those of one session that is worth two.
int runs_needed(const SeriesEvidence& evidence) {
    if (evidence.exact) return 1;
    return rule.least_runs * (evidence.disturbed ? 2 : 1);
}

bool is_convinced(const SeriesEvidence& evidence, const PairTest& test) {
    return test.change > 0 && test.convincing(test.change, evidence.least);
}

bool shows(const SeriesEvidence& evidence, const PairTest& test) {
    if (!is_convinced(evidence, test) || test.runs() < runs_needed(evidence)) return false;
    return evidence.exact || test.chance(test.change) <= may_be_chance();
}

/// It does not show the change, and differs from what another shows by more than chance.
bool denies(const SeriesEvidence& evidence, const PairTest& test, const PairTest& other) {
    if (is_convinced(evidence, test) || test.runs() < runs_needed(evidence)) return false;
    const double needed =
        stats::student_t_quantile(1 - may_be_chance(), std::min(test.freedom, other.freedom));
    return other.change - test.change >= needed * std::hypot(test.own_error, other.own_error);
}

std::string numbers(const SeriesSpec& spec, const MachineTest& one) {
    return fmt::format(
        "{:+.2f} % on {} ({} and {} runs)",
        100 * reported_ratio(spec, std::expm1(one.test.change)),
        one.machine,
        one.test.runs_before,
        one.test.runs_after);
}

bool can_be_asked(const Problem& problem, int group, const std::string& other_than) {
    if (group >= static_cast<int>(problem.machines.size())) return false;
    const GroupMachines& machines = problem.machines[static_cast<std::size_t>(group)];
    return machines.to_come > 0 ||
           std::any_of(machines.there.begin(), machines.there.end(), [&](const auto& name) {
               return name != other_than;
           });
}

/// What the machines that are known to have verified a pair say of it, in the order in which they
/// began.
std::vector<MachineTest> test_by_machine(
    const Facts& facts, const SeriesEvidence& evidence, int from, int to) {
    std::vector<std::string> names;
    for (const Run& run : evidence.runs) {
        const auto& name = machine_of(facts, run.probe);
        if (run.purpose != ProbePurpose::verify || name.empty()) continue;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    std::vector<MachineTest> tests;
    for (const auto& name : names) {
        SeriesEvidence own = evidence;
        std::erase_if(
            own.runs, [&](const Run& run) { return machine_of(facts, run.probe) != name; });
        const auto test = test_pair(own, from, to);
        if (test.rounds > 0) tests.push_back({name, test});
    }
    return tests;
}

}  // namespace

SecondAsked second_asked(const Facts& facts, int group) {
    auto all = SecondAsked::no;
    for (int number = 0; number < static_cast<int>(facts.asked.size()); ++number) {
        const ProbeRequest& asked = facts.asked[static_cast<std::size_t>(number)];
        if (asked.not_on.empty() || asked.group != group) continue;
        const auto& open = facts.open_probes;
        if (std::find(open.begin(), open.end(), number) != open.end()) return SecondAsked::open;
        const bool has_runs = std::any_of(
            facts.observations.begin(), facts.observations.end(), [&](const Observation& o) {
                return o.probe == number;
            });
        if (!has_runs) all = SecondAsked::in_vain;
    }
    return all;
}

SecondMachine second_machine(
    const Problem& problem,
    const Facts& facts,
    const SeriesSpec& spec,
    const SeriesEvidence& evidence,
    const std::vector<SeriesEnding>& repeated,
    const Posterior& posterior,
    int gap) {
    const auto at = static_cast<std::size_t>(gap);
    const int from = posterior.places()[at];
    const int to = posterior.places()[at + 1];
    const auto tests = test_by_machine(facts, evidence, from, to);
    SecondMachine second;
    const MachineTest* first = nullptr;  // on which it shows, or which measured most
    for (const MachineTest& one : tests) {
        const bool agrees = shows(evidence, one.test);
        if (agrees) second.agreeing.push_back(one.machine);
        const bool leads = agrees ? second.agreeing.size() == 1 : second.agreeing.empty();
        if (leads && (agrees || first == nullptr || first->test.runs() < one.test.runs())) {
            first = &one;
        }
    }
    if (first == nullptr || second.agreeing.size() > 1 || first->test.change <= 0) return second;
    const MachineTest* other = nullptr;  // that measured most beside it
    for (const MachineTest& one : tests) {
        if (&one == first) continue;
        if (other == nullptr || other->test.runs() < one.test.runs()) other = &one;
        const bool tried = one.test.rounds >= rule.patience;
        if (second.agreeing.empty()) continue;
        if (!tried && !denies(evidence, one.test, first->test)) continue;
        second.contradiction = fmt::format(
            "the change from commit {} to {} was verified on one machine only: {}, {}",
            problem.name(from),
            problem.name(to),
            numbers(spec, *first),
            numbers(spec, one));
        return second;
    }
    const bool is_repeated =
        std::any_of(repeated.begin(), repeated.end(), [&](const SeriesEnding& verified) {
            return verified.parent >= from && verified.last > from && verified.last <= to;
        });
    if (is_repeated) return second;
    const auto asked = second_asked(facts, spec.group);
    const bool can_come =
        asked == SecondAsked::no && can_be_asked(problem, spec.group, first->machine);
    if (asked != SecondAsked::open && !can_come) return second;
    second.ask_not_on = first->machine;
    const PairTest seen = other == nullptr ? PairTest{} : other->test;
    second.runs = std::max(
        runs_needed(evidence) - seen.runs(),
        runs_to_verify(first->test.change, posterior.noise(), seen));
    // What may still be chance takes half as many runs again, as on the first machine.
    if (is_convinced(evidence, seen) && seen.runs() >= runs_needed(evidence)) {
        second.runs = std::clamp(seen.runs() / 2, rule.least_runs, rule.most_runs);
    }
    return second;
}

std::string where_words(const std::vector<std::string>& machines, bool in_vain) {
    if (machines.size() > 1) {
        return fmt::format(" on two machines ({} and {})", machines[0], machines[1]);
    }
    if (!in_vain) return "";
    return machines.empty() ? " on one machine" : fmt::format(" on one machine ({})", machines[0]);
}

}  // namespace vigil::search
