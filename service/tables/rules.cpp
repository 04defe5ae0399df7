#include "service/tables/rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "schema/model/error.hpp"

namespace vigil::tables {

namespace {

using Results = std::span<const Result* const>;

bool any_has(Results results, Field field) {
    return std::any_of(results.begin(), results.end(), [&](const Result* result) {
        return result->get(field).has_value();
    });
}

/// What the results of one suite have at all; a rule asks for no more.
struct Known {
    bool passes = false;  ///< some say that their answer is right; else only failures are said
    bool speedup = false;
};

bool is_status_wrong(const Result& result, Known known) {
    return result.status.empty() ? known.passes : !is_passing(result);
}

bool passes(const Result& result, Known known) {
    if (is_status_wrong(result, known)) return false;
    return !known.speedup || result.get(Field::speedup).value_or(0) > 0;
}

std::string why_not(const Result& result, Known known) {
    if (is_status_wrong(result, known)) {
        return result.status.empty() ? "no accuracy" : result.status;
    }
    return result.get(Field::speedup) ? "speedup 0" : "no speedup";
}

/// The models that pass; the others go to `failing`.
std::vector<std::size_t> passing_of(
    Results results, const std::vector<std::string>& names, Headline& headline) {
    const Known known{
        std::any_of(
            results.begin(), results.end(), [](const Result* one) { return is_passing(*one); }),
        any_has(results, Field::speedup)};
    std::vector<std::size_t> passing;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (passes(*results[i], known)) {
            passing.push_back(i);
        } else {
            headline.failing.push_back({names[i], why_not(*results[i], known)});
        }
    }
    headline.passing = passing.size();
    return passing;
}

enum class Mean { geometric, arithmetic };

Aggregate aggregate_of(
    Results results,
    const std::vector<std::string>& names,
    const std::vector<std::size_t>& passing,
    Field field,
    Mean mean,
    double least) {
    Aggregate aggregate;
    std::vector<double> values;
    for (const std::size_t i : passing) {
        const auto value = results[i]->get(field);
        if (value && *value > 0) {
            values.push_back(std::max(*value, least));
        } else {
            aggregate.left_out.push_back({names[i], value ? "0" : "no number"});
        }
    }
    aggregate.count = values.size();
    if (values.empty()) return aggregate;
    aggregate.value = mean == Mean::geometric ? geometric_mean(values) : arithmetic_mean(values);
    return aggregate;
}

/// The models that have every number which any of them has.
std::vector<std::size_t> paired_of(
    Results results,
    const std::vector<std::string>& names,
    const std::vector<std::size_t>& passing,
    std::vector<LeftOut>& left_out) {
    constexpr std::array fields{
        std::pair{Field::speedup, "no speedup"},
        std::pair{Field::compile_s, "no compile time"},
        std::pair{Field::memory_ratio, "no memory ratio"}};
    std::map<Field, bool> asked;
    for (const auto& [field, why] : fields) asked[field] = any_has(results, field);
    std::vector<std::size_t> paired;
    for (const std::size_t i : passing) {
        const auto* missing = std::find_if(fields.begin(), fields.end(), [&](const auto& field) {
            return asked[field.first] && results[i]->get(field.first).value_or(0) <= 0;
        });
        if (missing == fields.end()) {
            paired.push_back(i);
        } else {
            left_out.push_back({names[i], missing->second});
        }
    }
    return paired;
}

}  // namespace

bool is_in_no_total(const Result& result, const std::string& base) {
    const bool of_base = !base.empty() && result.backend == base;
    return is_of_both(result.status) || (of_base && is_unsupported(result.status));
}

double geometric_mean(std::span<const double> values) {
    VIGIL_ASSERT(!values.empty());
    double sum = 0;
    for (const double value : values) sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.size()));
}

double arithmetic_mean(std::span<const double> values) {
    VIGIL_ASSERT(!values.empty());
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double middle_of(std::vector<double> values) {
    VIGIL_ASSERT(!values.empty());
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> spreads_off(const std::vector<double>& values) {
    constexpr std::size_t least = 8;
    constexpr double of_a_normal = 1.4826;
    if (values.size() < least) return {};
    const double middle = middle_of(values);
    std::vector<double> distances;
    for (const double value : values) distances.push_back(std::fabs(value - middle));
    const double spread = of_a_normal * middle_of(distances);
    if (spread <= 0) return {};
    std::vector<double> off;
    for (const double value : values) off.push_back((value - middle) / spread);
    return off;
}

std::vector<std::string> model_names(Results results) {
    std::map<std::string, std::size_t> times;
    for (const auto* result : results) ++times[result->model];
    std::vector<std::string> names;
    for (const auto* result : results) {
        const bool one_of_several = times[result->model] > 1 && result->batch != 0;
        const std::string batch =
            result->batch == unbatched ? "unbatched" : "batch " + std::to_string(result->batch);
        names.push_back(result->model + (one_of_several ? " (" + batch + ")" : ""));
    }
    return names;
}

Headline headline_of(Results all, Rule rule, const std::string& base) {
    std::vector<const Result*> tried;
    for (const auto* result : all) {
        if (!is_in_no_total(*result, base)) tried.push_back(result);
    }
    const Results results(tried);
    Headline headline;
    headline.rule = rule;
    headline.total = results.size();
    const auto names = model_names(results);
    auto entering = passing_of(results, names, headline);
    std::vector<LeftOut> unpaired;
    if (rule == Rule::paired_v1) entering = paired_of(results, names, entering, unpaired);
    const auto make = [&](Field field, Mean mean, double least) {
        auto aggregate = aggregate_of(results, names, entering, field, mean, least);
        auto& left_out = aggregate.left_out;
        left_out.insert(left_out.begin(), unpaired.begin(), unpaired.end());
        left_out.insert(left_out.begin(), headline.failing.begin(), headline.failing.end());
        return aggregate;
    };
    const double least = rule == Rule::runner_v1 ? 1.0 : 0.0;
    const Mean of_ratios = rule == Rule::paired_v1 ? Mean::geometric : Mean::arithmetic;
    headline.speedup = make(Field::speedup, Mean::geometric, least);
    headline.compile_s = make(Field::compile_s, Mean::arithmetic, 0);
    headline.memory_ratio = make(Field::memory_ratio, of_ratios, 0);
    return headline;
}

}  // namespace vigil::tables
