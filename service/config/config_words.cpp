#include "service/config/config_words.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/console/recognize.hpp"
#include "service/config/series_rules.hpp"

namespace vigil::service {

namespace {

using Steps = std::vector<std::string>;

/// Depth is bounded by the parser.
void note_unfilled_in(
    const nlohmann::json& value, Steps& way, const ConfigDocument& document, ConfigErrors& errors) {
    if (value.is_string()) {
        if (value.get_ref<const std::string&>().find(unfilled_mark) == std::string::npos) return;
        errors.add(document.finding(
            way, fmt::format("is still marked {}; say what it is to be", unfilled_mark)));
    }
    if (!value.is_structured()) return;
    std::size_t index = 0;
    for (const auto& [key, member] : value.items()) {
        way.push_back(value.is_array() ? fmt::format("[{}]", index++) : key);
        note_unfilled_in(member, way, document, errors);
        way.pop_back();
    }
}

bool holds_several(const SampleRule& rule) {
    return rule.format == SampleFormat::google_benchmark || rule.format == SampleFormat::harness;
}

/// Its own options say which benchmark it is to run.
bool is_narrowed(const BenchmarkPlan& plan) {
    return std::any_of(plan.command.begin(), plan.command.end(), [](const auto& word) {
        return word.find("filter") != std::string::npos;
    });
}

/// Why what a benchmark's runs give is hardly what was meant; empty: nothing says so.
std::string problem_of_samples(const BenchmarkPlan& plan) {
    if (plan.samples.format == SampleFormat::none && plan.kind == BenchmarkKind::command) {
        std::string command;
        for (const auto& word : plan.command) command += word + " ";
        const auto seen = harness::recognize({command, "", ""});
        if (!seen) return "";
        return fmt::format(
            "runs {}, which sizes its own loop, so that the time of its process is not judged; "
            "let its numbers be read, with \"samples\": {{\"format\": \"harness\"}}",
            seen->program);
    }
    const bool is_reported = !plan.samples.select.empty() || plan.cases || is_narrowed(plan);
    if (is_reported || !holds_several(plan.samples)) return "";
    return "has no select; where the program prints several results, none of its runs counts: "
           "name the one that is meant, or let each be a series by \"cases\": \"all\"";
}

}  // namespace

void note_unfilled(const ConfigDocument& document, ConfigErrors& errors) {
    Steps way;
    note_unfilled_in(document.root(), way, document, errors);
}

std::vector<std::string> warnings_of(
    const ConfigDocument& document, std::string_view text, const Config& config) {
    std::vector<std::string> warnings;
    int line = 0;
    while (!text.empty()) {
        ++line;
        const auto end = std::min(text.find('\n'), text.size());
        const auto row = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto comment = row.find("//");
        const auto mark = row.find(unfilled_mark);
        if (mark == row.npos || comment == row.npos || comment > mark) continue;
        warnings.push_back(fmt::format(
            "{}:{}:{}: a comment is still marked {}; take it out when that is done",
            document.file(),
            line,
            mark + 1,
            row.substr(mark)));
    }
    for (const auto& [project, settings] : config.projects) {
        for (const auto& [suite, plans] : settings.suites) {
            std::set<std::string> told;
            for (const auto& plan : plans) {
                const std::string problem = problem_of_samples(plan);
                if (problem.empty() || !told.insert(plan.benchmark).second) continue;
                Steps here{"projects", project, "suites", suite, plan.benchmark};
                if (plan.samples.format != SampleFormat::none) here.emplace_back("samples");
                warnings.emplace_back(document.finding(here, problem).what());
            }
        }
    }
    for (const auto& [project, place, why] : list_useless_rules(config)) {
        const Steps here{"projects", project, "series_rules", fmt::format("[{}]", place)};
        warnings.emplace_back(document.finding(here, why).what());
    }
    return warnings;
}

}  // namespace vigil::service
