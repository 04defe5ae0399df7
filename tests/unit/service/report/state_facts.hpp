#pragma once

#include "tests/unit/service/report/example_facts.hpp"

// The example of example_facts.hpp in every state that a regression can be filed in.

namespace vigil::service {

/// Reverted by commit 51 of seven, inside of the merge 52.
inline FixFact revert_fact() {
    FixFact fact;
    fact.nightly = NightlyId{9};
    fact.bad_nightly = NightlyId{8};
    fact.night = "2026-11-23";
    fact.bad_night = "2026-11-22";
    fact.fixed = example_revision(60);
    fact.bad = example_revision(50);
    fact.told = Fix{};
    fact.told->by = history::FixedBy::revert;
    fact.told->revision = example_revision(51);
    fact.told->subject = "Revert \"Check shapes before every matrix product\"";
    fact.told->author = "Author Three";
    fact.told->merge = example_revision(52);
    fact.told->merge_subject = "Merge `x` | @all fixes #1 <!-- -->";
    fact.told->reverts = example_revision(15);
    fact.told->line_commits = 7;
    return fact;
}

inline RegressionFacts recovered_facts() {
    RegressionFacts facts = example_facts();
    facts.state = RegressionState::closed;
    facts.ended_as = RegressionEnd::recovered;
    facts.answer_by_s.reset();
    facts.fixes = {revert_fact()};
    for (auto& series : facts.series) series.recovered_night = "2026-11-23";
    return facts;
}

inline RegressionFacts partly_recovered_facts() {
    RegressionFacts facts = recovered_facts();
    facts.state = RegressionState::reported;
    facts.ended_as.reset();
    facts.series[1].recovered_night.clear();
    facts.series.push_back(example_series(5, "conv", Metric::cpu_time_ns, 4e6, 0.1));
    facts.fixes[0].told->merge = {};
    facts.fixes[0].told->merge_subject.clear();
    facts.earlier = {
        {RegressionId{3},
         example_revision(70),
         "Check shapes",
         "https://tracker.example/lab/tensors/issues/5",
         "2026-11-11"}};
    facts.suspects[15].subject = "Reland \"Check shapes\"";
    return facts;
}

/// The culprit was reverted, and that brought nothing back.
inline RegressionFacts reverted_in_vain_facts() {
    RegressionFacts facts = example_facts();
    facts.state = RegressionState::reported;
    facts.reverted = RevertedFact{*revert_fact().told, "2026-11-23", {{0, 0.081}, {1, 0.064}}};
    return facts;
}

/// What a person said of it last.
inline AnswerFact answer_fact(
    const std::string& from, const std::string& to, const std::string& reason) {
    return {from, to, "ada", reason, 1'795'300'000};
}

inline RegressionFacts reopened_facts() {
    RegressionFacts facts = example_facts();
    facts.state = RegressionState::reported;
    facts.hears_comments = true;
    facts.answer = answer_fact("closed", "reported", "it is slow again on my machine");
    facts.assigned = "ada";
    return facts;
}

inline RegressionFacts accepted_facts() {
    RegressionFacts facts = example_facts();
    facts.state = RegressionState::accepted;
    facts.answer_by_s.reset();
    facts.answer = answer_fact("reported", "accepted", "the checks are worth it");
    return facts;
}

inline RegressionFacts not_reproduced_facts() {
    RegressionFacts facts = range_facts();
    facts.state = RegressionState::closed;
    facts.ended_as = RegressionEnd::not_reproduced;
    facts.answer_by_s.reset();
    facts.left.clear();
    facts.reason = "the ends differ by 0.2 % [-0.9, 1.3] in 12 runs each";
    return facts;
}

/// One of two causes of the night, with what else moved its series.
inline RegressionFacts several_facts() {
    RegressionFacts facts = example_facts();
    facts.split_from = RegressionId{6};
    OtherChangeFact own;
    own.series = 1;
    own.regression = RegressionId{6};
    own.first = own.last = example_revision(17);
    own.verified = true;
    own.change_ratio = 0.101;
    OtherChangeFact small = own;
    small.series = 0;
    small.regression.reset();
    small.first = small.last = example_revision(14);
    small.change_ratio = 0.042;
    facts.others = {own, small};
    NightChangeFact better;
    better.benchmark = "conv";
    better.variant = "infer-cpu";
    better.machine_class = "xeon";
    better.metric = Metric::cpu_time_ns;
    better.verdict = Verdict::improvement;
    better.change_ratio = -0.081;
    facts.better = {better};
    facts.series_notes = {"1 series is new: gru (infer-cpu) on xeon, CPU time"};
    return facts;
}

inline RegressionFacts leak_facts() {
    RegressionFacts facts = example_facts();
    facts.series = {example_series(8, "mlp", Metric::peak_growth_bytes, 65536, 4.5)};
    facts.series[0].verdict = Verdict::leak;
    facts.series[0].verified =
        Comparison{65536, 360448, 4.5, 4.4, 4.6, 0.999, 6, 6, Finding::worse};
    facts.endings.pop_back();
    return facts;
}

inline RegressionFacts broken_facts(Outcome outcome) {
    RegressionFacts facts = example_facts();
    for (auto& series : facts.series) {
        series.verdict = Verdict::broken;
        series.failed = outcome;
        series.confirmed = {};
        series.verified = Comparison{1, 2, 1, 1, 1, 1, 2, 2, Finding::worse};
    }
    return facts;
}

/// Measured elsewhere, where nobody measured it again.
inline RegressionFacts unconfirmed_facts() {
    RegressionFacts facts = example_facts();
    facts.state = RegressionState::reported;
    facts.culprit.reset();
    facts.suspects.clear();
    facts.probes.clear();
    facts.endings.clear();
    facts.search_summary.clear();
    facts.session_environment_known = false;
    facts.reason = "the project is measured elsewhere, so no commit was searched";
    facts.reproduction = {};
    facts.reproduction.source = SourceKind::elsewhere;
    for (auto& series : facts.series) {
        series.verdict = Verdict::unconfirmed;
        series.verified.reset();
        series.confirmed.runs_before = series.confirmed.runs_after = 0;
    }
    return facts;
}

}  // namespace vigil::service
