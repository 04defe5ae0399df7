#include "service/config/series_rules.hpp"

#include <set>

#include <fmt/format.h>

#include "service/config/keys.hpp"

namespace vigil::service {

namespace {

void describe_series_rule(KeyVisitor& v, SeriesRule& rule) {
    const auto pattern = [&](std::string_view key, std::string& value) {
        v.text(key, value, {"pattern of * and ?"});
    };
    pattern("suite", rule.suite);
    pattern("benchmark", rule.benchmark);
    pattern("variant", rule.variant);
    pattern("metric", rule.metric);
    pattern("machine_class", rule.machine_class);
    v.maybe("direction", rule.direction, [&](Direction& value) { v.choice("direction", value); });
    v.maybe("judge", rule.judge, [&](bool& value) { v.flag("judge", value); });
}

/// Which rules fit something, and which of them decide it.
struct RuleUse {
    std::set<const SeriesRule*> fit;
    std::set<const SeriesRule*> decide;
};

void use_rules(const std::vector<SeriesRule>& rules, const NameOfSeries& name, RuleUse& use) {
    if (const auto* first = find_rule(rules, name)) use.decide.insert(first);
    for (const auto& rule : rules) {
        if (find_rule({&rule, 1}, name) != nullptr) use.fit.insert(&rule);
    }
}

RuleUse use_of(const ProjectConfig& project) {
    RuleUse use;
    for (const auto& entry : project.matrix) {
        const auto suite = project.suites.find(entry.suite);
        if (suite == project.suites.end()) continue;
        for (const auto& plan : suite->second) {
            for (const auto& machine_class : entry.machine_classes) {
                for (const auto& [metric, name] : enum_names<Metric>) {
                    use_rules(
                        project.series_rules,
                        {entry.suite, plan.benchmark, plan.variant, name, machine_class},
                        use);
                }
            }
        }
    }
    return use;
}

/// Whatever is sent: it has no suite, and one of the known metrics.
bool may_be_sent(const SeriesRule& rule) {
    if (!fits_pattern(rule.suite, "")) return false;
    for (const auto& [metric, name] : enum_names<Metric>) {
        if (fits_pattern(rule.metric, name)) return true;
    }
    return false;
}

std::string why_useless(const ProjectConfig& project, const SeriesRule& rule, const RuleUse& use) {
    if (is_measured_elsewhere(project)) {
        return may_be_sent(rule)
                   ? ""
                   : "fits nothing: what is sent has no suite, and one of the known metrics";
    }
    if (!use.fit.contains(&rule)) return "fits no series of the matrix";
    return use.decide.contains(&rule) ? "" : "decides nothing: earlier rules fit all its series";
}

bool runs_on_gpu(const BenchmarkPlan& plan) {
    if (plan.kind != BenchmarkKind::torch) return false;
    for (std::size_t i = 1; i < plan.command.size(); ++i) {
        if (plan.command[i - 1] == "--device") return plan.command[i].rfind("cuda", 0) == 0;
    }
    return false;
}

}  // namespace

void describe_series_rules(KeyVisitor& v, std::vector<SeriesRule>& rules) {
    const auto count = v.enter_list("series_rules", rules.size());
    rules.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        v.enter_entry(fmt::format("[{}]", i));
        describe_series_rule(v, rules[i]);
        v.leave();
    }
    v.leave();
    v.check(rules.size() <= max_series_rules, "series_rules", "has more than 1000 rules");
}

ProjectSeriesRules::ProjectSeriesRules(const ProjectConfig& project) : project_(project) {
    if (project.judged == ProjectConfig{}.judged) {
        for (const auto& [name, plans] : project.suites) {
            for (const auto& plan : plans) {
                if (runs_on_gpu(plan)) on_gpu_.emplace(plan.benchmark, plan.variant);
            }
        }
    }
    if (project.series_rules.empty()) return;
    for (const auto& entry : project.matrix) {
        const auto suite = project.suites.find(entry.suite);
        if (suite == project.suites.end()) continue;
        for (const auto& plan : suite->second) {
            suites_.try_emplace({plan.benchmark, plan.variant}, entry.suite);
        }
    }
}

const SeriesRule* ProjectSeriesRules::find(
    const std::string& benchmark,
    const std::string& variant,
    Metric metric,
    const std::string& machine_class) const {
    const auto suite = suites_.find({benchmark, variant});
    const auto* rule = find_rule(
        project_.series_rules,
        {suite == suites_.end() ? std::string_view() : std::string_view(suite->second),
         benchmark,
         variant,
         to_string(metric),
         machine_class});
    if (rule != nullptr || metric != Metric::cpu_time_ns) return rule;
    static const SeriesRule not_judged{.judge = false};
    return on_gpu_.contains({benchmark, variant}) ? &not_judged : nullptr;
}

std::vector<UselessRule> list_useless_rules(const Config& config) {
    std::vector<UselessRule> useless;
    for (const auto& [name, project] : config.projects) {
        if (project.series_rules.empty()) continue;
        const auto use = use_of(project);
        for (std::size_t i = 0; i < project.series_rules.size(); ++i) {
            const auto why = why_useless(project, project.series_rules[i], use);
            if (why.empty()) continue;
            useless.push_back({name, i, why});
        }
    }
    return useless;
}

}  // namespace vigil::service
