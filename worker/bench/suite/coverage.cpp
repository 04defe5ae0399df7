#include "worker/bench/suite/coverage.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <nlohmann/json.hpp>

#include "worker/bench/arguments/arguments.hpp"

namespace vigil_bench {

namespace {

using nlohmann::json;

constexpr std::size_t names_of_line = 6;
constexpr const char* of_aten = "aten::";

/// Operators that one model calls and no other.
std::map<std::string, std::vector<std::string>> alone_in(const Coverage& coverage) {
    std::map<std::string, std::vector<std::string>> alone;
    for (const auto& [name, covered] : coverage.operators) {
        if (covered.models.size() == 1) alone[*covered.models.begin()].push_back(name);
    }
    return alone;
}

std::int64_t count(const Coverage& coverage, std::int64_t CoveredOperator::*calls) {
    return std::count_if(
        coverage.operators.begin(), coverage.operators.end(), [&](const auto& one) {
            return one.second.*calls > 0;
        });
}

void add_profile(const std::string& model, const json& profile, Coverage& coverage) {
    coverage.registered =
        std::max<std::int64_t>(coverage.registered, profile.value("registered", std::int64_t{0}));
    const auto iterations = std::max<std::int64_t>(1, profile.value("iterations", std::int64_t{1}));
    for (const auto& one : profile.value("operators", json::array())) {
        const std::string name = one.value("name", "");
        if (name.rfind(of_aten, 0) != 0) continue;
        auto& covered = coverage.operators[name];
        covered.models.insert(model);
        covered.forward += one.value("forward", std::int64_t{0}) / iterations;
        covered.backward += one.value("backward", std::int64_t{0}) / iterations;
    }
    coverage.models.insert(model);
}

}  // namespace

Coverage read_coverage(std::istream& lines) {
    Coverage coverage;
    for (std::string line; std::getline(lines, line);) {
        const json result = json::parse(line, nullptr, false);
        if (!result.is_object()) {
            throw UsageError("--ops takes the results of a suite, one JSON object a line");
        }
        try {
            const json info = result.value("info", json::object());
            const std::string model = info.value("model", "");
            if (info.contains("profile") && info["profile"].contains("operators")) {
                add_profile(model, info["profile"], coverage);
            } else {
                coverage.without.insert(model);
            }
        } catch (const json::exception&) {
            throw UsageError("--ops: a line has another form than vigil-bench's results");
        }
    }
    for (const auto& model : coverage.models) coverage.without.erase(model);
    if (coverage.models.empty()) {
        throw UsageError("--ops: no run has a profile; make the suite with --profile 1");
    }
    return coverage;
}

json coverage_json(const Coverage& coverage) {
    json operators = json::object();
    for (const auto& [name, covered] : coverage.operators) {
        operators[name] = {
            {"models", covered.models.size()},
            {"forward", covered.forward},
            {"backward", covered.backward}};
    }
    return {
        {"registered", coverage.registered},
        {"called", coverage.operators.size()},
        {"forward", count(coverage, &CoveredOperator::forward)},
        {"backward", count(coverage, &CoveredOperator::backward)},
        {"models", coverage.models.size()},
        {"without", coverage.without},
        {"alone", alone_in(coverage)},
        {"operators", std::move(operators)}};
}

std::string coverage_text(const Coverage& coverage) {
    const auto called = static_cast<double>(coverage.operators.size());
    char share[16];
    std::snprintf(
        share,
        sizeof share,
        "%.1f %%",
        100 * called / static_cast<double>(std::max<std::int64_t>(1, coverage.registered)));
    std::string text = std::to_string(coverage.models.size()) + " models call " +
                       std::to_string(coverage.operators.size()) + " of the " +
                       std::to_string(coverage.registered) + " operators of this LibTorch (" +
                       share + "): " + std::to_string(count(coverage, &CoveredOperator::forward)) +
                       " forward, " + std::to_string(count(coverage, &CoveredOperator::backward)) +
                       " backward\n";
    if (!coverage.without.empty()) {
        text += std::to_string(coverage.without.size()) + " models have no profile:";
        for (const auto& model : coverage.without) text += " " + model;
        text += "\n";
    }
    text += "\noperators that one model alone calls\n";
    for (const auto& [model, names] : alone_in(coverage)) {
        text += "  " + model + ": " + std::to_string(names.size());
        for (std::size_t i = 0; i < std::min(names_of_line, names.size()); ++i) {
            text += (i == 0 ? " (" : ", ") + names[i].substr(std::string(of_aten).size());
        }
        text += names.size() > names_of_line ? ", ...)\n" : ")\n";
    }
    return text;
}

}  // namespace vigil_bench
