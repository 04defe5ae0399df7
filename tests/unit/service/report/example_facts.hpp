#pragma once

#include <string>

#include "service/report/facts/regression_facts.hpp"

// A day of 24 commits with one culprit, as the loaders would give it.

namespace vigil::service {

inline Revision example_revision(int position) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string hash;
    for (int i = 0; i < 40; ++i) hash += digits[(position * 7 + i * (3 + position % 5)) % 16];
    return Revision(hash);
}

inline SeriesFact example_series(
    std::int64_t id, const std::string& benchmark, Metric metric, double before, double ratio) {
    SeriesFact series;
    series.id = SeriesId{id};
    series.benchmark = benchmark;
    series.variant = "train-cpu";
    series.machine_class = "xeon";
    series.metric = metric;
    series.unit = std::string(unit_of(metric));
    series.confirmed = {
        before,
        before * (1 + ratio),
        ratio,
        ratio - 0.012,
        ratio + 0.013,
        0.998,
        6,
        6,
        Finding::worse};
    series.rule = "14.51 ms against the median 12.31 ms of 5 nights: +17.9 %, above 7 %";
    return series;
}

inline ProbeFact example_probe(
    int number, std::vector<int> positions, double slower_from, double ratio) {
    ProbeFact probe;
    probe.number = number;
    probe.machine_class = "xeon";
    probe.why = "halves what is left";
    probe.positions = std::move(positions);
    std::int64_t id = 100 * (number + 1);
    double wobble = 0;
    for (const int position : probe.positions) {
        wobble = 0.004 - wobble;
        const double factor = (position >= slower_from ? 1 + ratio : 1) * (1 + wobble);
        probe.runs.push_back(
            {RunId{id++},
             position,
             Outcome::passed,
             "",
             {{0, 12.31e6 * factor}, {1, 98.2e6 * (position >= slower_from ? 1.183 : 1)}}});
    }
    return probe;
}

inline Links example_links() {
    Links links;
    links.project = "tensorlab";
    links.templates.public_url = "https://vigil.example";
    links.templates.commit_url = "https://git.example/{project}/commit/{revision}";
    links.templates.compare_url = "https://git.example/{project}/compare/{good}..{bad}";
    return links;
}

/// An attributed regression: position 15 of 24 is the culprit, 18 and 19 do not build.
inline RegressionFacts example_facts() {
    RegressionFacts facts;
    facts.marker = "<!-- vigil:regression:0f3a9c1b22de:7:5f0c2b71d3a94e86b1c07d5e2f493a68 -->";
    facts.id = RegressionId{7};
    facts.links = example_links();
    facts.project = "tensorlab";
    facts.state = RegressionState::attributed;
    facts.found = NightlyId{6};
    facts.found_night = "2026-11-20";
    facts.created_at_s = 1'795'229'100;
    facts.answer_by_s = facts.created_at_s + 259'200;
    facts.good = {example_revision(0), "2026-11-19", "2026-11-19"};
    facts.bad = {example_revision(24), "2026-11-20", "2026-11-20"};
    facts.series = {
        example_series(3, "mlp", Metric::cpu_time_ns, 12.31e6, 0.183),
        example_series(4, "attention", Metric::cpu_time_ns, 98.2e6, 0.151)};
    for (int i = 0; i <= 24; ++i) {
        SuspectFact suspect;
        suspect.position = i;
        suspect.revision = example_revision(i);
        suspect.parent = example_revision(i == 0 ? 24 : i - 1);
        suspect.merge = i == 11;
        suspect.subject = "Tidy up operator " + std::to_string(i);
        suspect.author = i % 2 == 0 ? "Author One" : "Author Two";
        suspect.authored_at_s = 1'795'132'800 + 3600 * i;
        facts.suspects.push_back(suspect);
    }
    facts.suspects[15].subject = "Check shapes before every matrix product";
    facts.suspects[15].pins =
        "third_party/blas from 0123456789abcdef0123456789abcdef01234567 to "
        "89abcdef0123456789abcdef0123456789abcdef; nothing else";
    facts.suspects[18].build_failure = "add.cpp:41: error: 'Shape' was not declared in this scope";
    facts.suspects[19].build_failure = facts.suspects[18].build_failure;
    facts.culprit = example_revision(15);
    facts.series[0].verified =
        Comparison{12.29e6, 14.54e6, 0.1831, 0.171, 0.195, 0.999, 6, 6, Finding::worse};
    facts.series[1].verified =
        Comparison{98.0e6, 112.9e6, 0.152, 0.14, 0.164, 0.999, 6, 6, Finding::worse};
    facts.probes = {
        example_probe(0, {0, 12, 12, 0}, 15, 0.183),
        example_probe(1, {0, 18, 18, 0}, 15, 0.183),
        example_probe(2, {24, 17, 17, 24}, 15, 0.183),
        example_probe(3, {0, 14, 14, 0}, 15, 0.183),
        example_probe(4, {0, 15, 15, 0}, 15, 0.183),
        example_probe(5, {14, 15, 15, 14}, 15, 0.183)};
    facts.probes[1].runs.clear();
    facts.probes[5].verifies = true;
    std::vector<double> posterior(24, 0.0001);
    posterior[14] = 0.9932;
    posterior[13] = 0.0045;
    facts.endings = {
        {0, 15, 15, 14, true, 0.9932, "verified against its parent: +18.3 %", posterior},
        {1, 15, 15, 14, true, 0.9911, "verified against its parent: +15.2 %", posterior}};
    for (const double change : {0.183, 0.151}) {
        facts.levels.push_back({
            {0, 0, 8, {}},
            {12, 0.002, 2, {}},
            {14, -0.001, 4, {}},
            {15, change, 4, {}},
            {17, change + 0.002, 2, {}},
            {24, change - 0.001, 2, {}},
        });
    }
    facts.search_summary = "1 culprit after 5 probes and 4 builds";
    facts.session_environment_known = true;
    facts.night_environment_known = true;
    facts.night_environment = {{"kernel", "6.1.0-26-amd64", "6.1.0-27-amd64"}};
    facts.verdicts = {{Verdict::regression, 2}, {Verdict::noise, 3}, {Verdict::drift, 1}};
    facts.measured_series = 16;
    facts.unmoved_series = 10;
    facts.unmoved_names = {"mlp (train-cpu) on xeon, peak process memory"};
    facts.reproduction.repository = "https://git.example.org/tensorlab.git";
    facts.reproduction.recipe.commands = {
        {"cmake", "-S", ".", "-B", "out", "-DCMAKE_BUILD_TYPE=Release"},
        {"cmake", "--build", "out", "-j2"}};
    facts.reproduction.recipe.outputs = {"out"};
    facts.reproduction.environment = {{"ATEN_CPU_CAPABILITY", "avx2"}};
    BenchmarkPlan plan;
    plan.benchmark = "mlp";
    plan.variant = "train-cpu";
    plan.command = {"out/bench", "--model", "mlp", "--note", "it's 100 %"};
    plan.environment = {{"OMP_NUM_THREADS", "1"}};
    facts.reproduction.benchmark = plan;
    return facts;
}

/// The same day without a culprit: builds of the commits around it are broken.
inline RegressionFacts range_facts() {
    RegressionFacts facts = example_facts();
    facts.state = RegressionState::range;
    facts.culprit.reset();
    facts.left = {example_revision(17), example_revision(18), example_revision(19)};
    facts.reason = "the builds of 2 commits inside the range are broken";
    for (auto& series : facts.series) series.verified.reset();
    for (auto& ending : facts.endings) {
        ending.culprit = false;
        ending.first = 17;
        ending.last = 19;
        ending.reason = "commits e4a06c28e4 to 5c3a18f6d4 cannot be built or run";
    }
    facts.probes.pop_back();
    return facts;
}

/// The same culprit, which two merges brought, one inside of the other.
inline RegressionFacts inside_facts() {
    RegressionFacts facts = example_facts();
    facts.line_commits = 31;
    InsideFact tried;
    tried.merge = example_revision(40);
    tried.subject = "Merge two branches";
    tried.parent = 2;
    tried.base = example_revision(33);
    tried.tip = example_revision(44);
    tried.commits = 1;
    tried.said = "its commits do not show the change alone: the ends do not differ";
    InsideFact outer = tried;
    outer.parent = 3;
    outer.tip = example_revision(45);
    outer.commits = 6;
    outer.led = true;
    outer.said = "verified against its parent: +18.31 % [+17.20, +19.60]";
    InsideFact inner = outer;
    inner.merge = example_revision(43);
    inner.subject = "Merge `x` @all fixes #1";
    inner.parent = 2;
    inner.base = example_revision(0);
    inner.tip = example_revision(24);
    inner.commits = 24;
    inner.said = "verified against its parent: +18.31 % [+17.10, +19.50]";
    facts.insides = {tried, outer, inner};
    return facts;
}

/// A merge whose commits do not show the change alone, as far as they can be built.
inline RegressionFacts merge_facts() {
    RegressionFacts facts = example_facts();
    facts.suspects[15].merge = true;
    facts.line_commits = 24;
    InsideFact second;
    second.merge = *facts.culprit;
    second.subject = facts.suspects[15].subject;
    second.parent = 2;
    second.base = example_revision(9);
    second.tip = example_revision(46);
    second.commits = 7;
    second.said = "its commits do not show the change alone: the ends do not differ";
    InsideFact third = second;
    third.parent = 3;
    third.tip = example_revision(47);
    third.said = "their builds fail.";
    third.left = {example_revision(48), example_revision(49)};
    facts.insides = {second, third};
    return facts;
}

}  // namespace vigil::service
