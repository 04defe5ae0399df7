#include "service/config/series_rules.hpp"

#include <algorithm>
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
    pattern("case", rule.case_name);
    pattern("variant", rule.variant);
    pattern("metric", rule.metric);
    pattern("machine_class", rule.machine_class);
    v.maybe("direction", rule.direction, [&](Direction& value) { v.choice("direction", value); });
    v.maybe("judge", rule.judge, [&](bool& value) { v.flag("judge", value); });
    v.maybe("worse_ratio", rule.worse_ratio, [&](double& value) {
        v.number("worse_ratio", value, {least_worse_ratio, most_worse_ratio});
    });
    v.maybe("worse_absolute", rule.worse_absolute, [&](double& value) {
        v.number("worse_absolute", value, {0, most_worse_absolute});
    });
}

/// Which rules fit something, and what they decide, such as "sort (default) on box".
struct RuleUse {
    std::set<const SeriesRule*> fit;
    std::map<const SeriesRule*, std::vector<std::string>> decide;

    void add(const SeriesRule* rule, const std::string& name) {
        auto& names = decide[rule];
        if (names.empty() || names.back() != name) names.push_back(name);
    }
};

void use_rules(
    const std::vector<SeriesRule>& rules,
    const NameOfSeries& series,
    const std::string& name,
    RuleUse& use) {
    if (const auto* first = find_rule(rules, series)) use.add(first, name);
    for (const auto& rule : rules) {
        if (find_rule({&rule, 1}, series) != nullptr) use.fit.insert(&rule);
    }
}

/// Which cases a program prints, and which counters, a config does not tell.
void use_case_rules(
    const std::vector<SeriesRule>& rules,
    const std::string& suite,
    const BenchmarkPlan& plan,
    const std::string& name,
    RuleUse& use) {
    for (const auto& rule : rules) {
        const bool may_fit = fits_pattern(rule.suite, suite) &&
                             fits_pattern(rule.benchmark, plan.benchmark) &&
                             fits_pattern(rule.variant, plan.variant);
        if (!may_fit) continue;
        use.fit.insert(&rule);
        use.add(&rule, name + ": cases that fit");
    }
}

RuleUse use_of(const ProjectConfig& project) {
    RuleUse use;
    const auto& rules = project.series_rules;
    for (const auto& entry : project.matrix) {
        const auto suite = project.suites.find(entry.suite);
        if (suite == project.suites.end()) continue;
        for (const auto& plan : suite->second) {
            for (const auto& on : entry.machine_classes) {
                const auto name = fmt::format("{} ({}) on {}", plan.benchmark, plan.variant, on);
                if (plan.cases) use_case_rules(rules, entry.suite, plan, name, use);
                for (const auto& [metric, metric_name] : enum_names<Metric>) {
                    use_rules(
                        rules,
                        {entry.suite, plan.benchmark, plan.variant, metric_name, on},
                        name,
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
    if (is_external(project)) {
        return may_be_sent(rule)
                   ? ""
                   : "fits nothing: what is sent has no suite, and one of the known metrics";
    }
    if (!use.fit.contains(&rule)) return "fits no series of the matrix";
    return use.decide.contains(&rule) ? "" : "decides nothing: earlier rules fit all its series";
}

std::string what_it_decides(const SeriesRule& rule) {
    if (rule.judge == false) return "not judged";
    std::string words = rule.judge ? "judged" : "judged where \"judged\" has the metric";
    if (rule.direction) words += fmt::format(", {}", to_string(*rule.direction));
    if (rule.worse_ratio) words += fmt::format(", worse above {:.4g} %", 100 * *rule.worse_ratio);
    if (rule.worse_absolute) {
        words += fmt::format(
            ", worse {}by more than {:.4g} of its unit",
            rule.worse_ratio ? "and " : "",
            *rule.worse_absolute);
    }
    return words;
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

const SeriesRule* ProjectSeriesRules::find(NameOfSeries name) const {
    const std::pair plan{std::string(name.benchmark), std::string(name.variant)};
    const auto suite = suites_.find(plan);
    if (suite != suites_.end()) name.suite = suite->second;
    const auto* rule = find_rule(project_.series_rules, name);
    if (rule != nullptr || name.metric != to_string(Metric::cpu_time_ns)) return rule;
    static const SeriesRule not_judged{.judge = false};
    return on_gpu_.contains(plan) ? &not_judged : nullptr;
}

std::string judging_words(
    const ProjectConfig& project,
    const SeriesRule* rule,
    Metric metric,
    Judging judging,
    double threshold) {
    const auto is_its = [&](const SeriesRule& one) { return &one == rule; };
    const auto at = std::ranges::find_if(project.series_rules, is_its);
    const auto name = at == project.series_rules.end()
                          ? std::string("the rule for runs on a GPU")
                          : fmt::format("series_rules[{}]", at - project.series_rules.begin());
    const bool in_judged = std::ranges::count(project.judged, metric) > 0;
    switch (judging) {
        case Judging::never: return "not judged: " + name + " says so";
        case Judging::no_direction: return "not judged: nothing says which way it is better";
        case Judging::as_metric:
            if (in_judged) break;
            return fmt::format("not judged: {} is not in \"judged\"", to_string(metric));
        case Judging::always: break;
    }
    const auto why = judging == Judging::always
                         ? name + " says so"
                         : fmt::format("{} is in \"judged\"", to_string(metric));
    const bool own = rule != nullptr && (rule->worse_ratio || rule->worse_absolute);
    // From a level of 0, or where it cannot fall so far, no ratio tells it.
    const bool is_ratio = threshold <= most_worse_ratio;
    const bool is_absolute = rule != nullptr && rule->worse_absolute;
    const auto least =
        is_absolute ? fmt::format("by {:.4g} of its unit", *rule->worse_absolute) : "";
    return fmt::format(
        "judged: {}; worse {}{}{} ({})",
        why,
        is_ratio ? fmt::format("above {:.4g} %", 100 * threshold) : "",
        is_ratio && is_absolute ? ", and " : "",
        least,
        own ? name : "thresholds");
}

void note_counted(ProjectConfig& project) {
    const auto name = to_string(Metric::instructions);
    const auto& rules = project.series_rules;
    const bool everywhere = std::ranges::count(project.judged, Metric::instructions) > 0;
    for (auto& [suite, plans] : project.suites) {
        for (auto& plan : plans) {
            const bool by_rule = std::ranges::any_of(rules, [&, &suite = suite](const auto& rule) {
                return rule.judge.value_or(false) && fits_pattern(rule.suite, suite) &&
                       fits_pattern(rule.benchmark, plan.benchmark) &&
                       fits_pattern(rule.variant, plan.variant) && rule.metric != "*" &&
                       fits_pattern(rule.metric, name);
            });
            const bool is_run =
                plan.kind == BenchmarkKind::command || plan.kind == BenchmarkKind::torch;
            plan.counts_instructions = is_run && !plan.callgrind && (everywhere || by_rule);
        }
    }
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

std::vector<std::string> list_decided(const Config& config) {
    constexpr std::size_t most_names = 4;
    std::vector<std::string> lines;
    for (const auto& [name, project] : config.projects) {
        if (project.series_rules.empty()) continue;
        const auto decided = use_of(project).decide;
        for (std::size_t i = 0; i < project.series_rules.size(); ++i) {
            const auto& rule = project.series_rules[i];
            const auto found = decided.find(&rule);
            if (found == decided.end()) continue;
            const auto& names = found->second;
            const auto shown = std::min(names.size(), most_names);
            lines.push_back(fmt::format(
                "{}: series_rules[{}] ({} of {}{}): {}",
                name,
                i,
                rule.metric == "*" ? "every metric" : rule.metric,
                fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "",
                what_it_decides(rule)));
        }
        lines.push_back(fmt::format(
            "{}: other series: judged where \"judged\" has the metric, worse above the thresholds",
            name));
    }
    return lines;
}

}  // namespace vigil::service
