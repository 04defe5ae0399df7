#include "service/report/facts/search_facts.hpp"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric_words.hpp"
#include "schema/wire/json.hpp"
#include "service/source/words.hpp"
#include "service/store/series/reported.hpp"
#include "service/store/work/reported.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

using ValuesByFact = std::map<std::string, std::set<std::string>>;

ValuesByFact gather(const std::vector<std::string>& environments) {
    ValuesByFact values;
    for (const auto& environment : environments) {
        const auto facts = wire::parse_json(environment, "environment.facts");
        for (const auto& [name, value] : facts.items()) {
            values[name].insert(value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    return values;
}

std::string joined(const ValuesByFact& values, const std::string& name) {
    const auto found = values.find(name);
    if (found == values.end()) return "not recorded";
    std::string text;
    for (const auto& value : found->second) text += (text.empty() ? "" : ", ") + value;
    return text;
}

std::vector<DifferenceFact> differences(const ValuesByFact& good, const ValuesByFact& bad) {
    std::set<std::string> names;
    for (const auto& [name, values] : good) names.insert(name);
    for (const auto& [name, values] : bad) names.insert(name);
    std::vector<DifferenceFact> found;
    for (const auto& name : names) {
        DifferenceFact difference{name, joined(good, name), joined(bad, name)};
        if (difference.good != difference.bad) found.push_back(std::move(difference));
    }
    return found;
}

std::vector<ProbeRunFact> load_probe_runs(
    Database& db, ProbeId probe, const RegressionFacts& facts, BisectionId bisection) {
    std::vector<ProbeRunFact> runs;
    for (const auto& [run, position, outcome, message, series, value] :
         list_probe_values(db, bisection, probe)) {
        if (runs.empty() || runs.back().run != run) {
            runs.push_back({run, position, outcome, message, {}});
        }
        const int index = series ? find_series(facts, *series) : -1;
        if (index >= 0) runs.back().values[index] = *value;
    }
    return runs;
}

}  // namespace

void load_suspects(Database& db, BisectionId bisection, RegressionFacts& facts) {
    facts.suspects = list_suspect_facts(db, bisection);
    for (auto& suspect : facts.suspects) {
        if (suspect.no_input) suspect.build_failure = without_paths(suspect.build_failure);
        if (!suspect.has_product) continue;
        suspect.build_failure.clear();
        suspect.build_log.reset();
    }
}

void load_probes(Database& db, BisectionId bisection, RegressionFacts& facts) {
    for (auto& [id, number, plan, open, machine_class] : list_reported_probes(db, bisection)) {
        facts.probes.push_back(
            {number,
             plan.purpose == search::ProbePurpose::verify,
             open,
             machine_class,
             plan.why,
             plan.commits,
             load_probe_runs(db, id, facts, bisection)});
    }
}

void load_environments(Database& db, RegressionFacts& facts) {
    const auto compare = [&](const auto& list, bool& known, std::vector<DifferenceFact>& found) {
        const auto good = list(db, facts.id, RangeEnd::good);
        const auto bad = list(db, facts.id, RangeEnd::bad);
        known = !good.empty() && !bad.empty();
        if (known) found = differences(gather(good), gather(bad));
    };
    compare(list_session_environments, facts.session_environment_known, facts.session_environment);
    compare(list_night_environments, facts.night_environment_known, facts.night_environment);
}

void load_beside(Database& db, RegressionFacts& facts) {
    std::vector<FactOfRun> runs;
    const auto all = list_session_facts(db, facts.id);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& one = all[i];
        runs.push_back({one.name, one.is_good, one.value});
        const bool is_last = i + 1 == all.size() || all[i + 1].session != one.session ||
                             all[i + 1].benchmark != one.benchmark ||
                             all[i + 1].variant != one.variant;
        if (!is_last) continue;
        auto differences = clear_differences(runs);
        runs.clear();
        if (differences.empty()) continue;
        facts.beside.push_back(
            {one.benchmark, one.variant, one.machine_class, std::move(differences)});
    }
}

void load_considered(Database& db, RegressionFacts& facts, const ProjectConfig* project) {
    static constexpr std::size_t max_names = 6;
    facts.verdicts = count_verdicts(db, facts.found, facts.project_id);
    for (const auto& [benchmark, variant, machine_class, metric, judging, suspected] :
         list_considered_series(db, facts.found, facts.id)) {
        if (project != nullptr && !is_judged(*project, metric, judging)) continue;
        ++facts.measured_series;
        if (suspected) continue;
        ++facts.unmoved_series;
        if (facts.unmoved_names.size() == max_names) continue;
        facts.unmoved_names.push_back(fmt::format(
            "{} ({}) on {}, {}", benchmark, variant, machine_class, metric_words(metric)));
    }
}

}  // namespace vigil::service
