#include "service/tables/night.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "bisect/stats/summary.hpp"
#include "service/tables/cell.hpp"
#include "service/tables/dashboard.hpp"
#include "service/tables/ways.hpp"

namespace vigil::tables {

namespace {

constexpr double ns_per_s = 1e9;
constexpr double max_count = 1e9;
constexpr double bytes_in_gb = 1e9;  // as benchmarks/dynamo counts

/// "b16" with the mark "b": 16. One alone would be a word.
std::optional<std::int64_t> marked_count(
    std::string_view word, std::initializer_list<std::string_view> marks) {
    for (const auto mark : marks) {
        if (!word.starts_with(mark) || word.size() == mark.size()) continue;
        if (const auto count = parse_count(word.substr(mark.size())); count && *count > 0) {
            return count;
        }
    }
    return std::nullopt;
}

/// "+cu126" at the end of "infer+cu126": which of several builds of one version. "+cpu" is a
/// device.
std::string local_version_in(const std::string& name) {
    const auto at = std::min(name.rfind('+'), name.size());
    const std::string_view local = std::string_view(name).substr(at);
    for (const std::string_view start : {"+cu", "+rocm", "+xpu"}) {
        if (!local.starts_with(start)) continue;
        const auto rest = local.substr(start.size());
        if (rest.find_first_not_of("0123456789.") == rest.npos) return std::string(local);
    }
    return "";
}

void take_word(const std::string& word, Result& result) {
    static const std::set<std::string> precisions{"fp32", "tf32", "bf16", "fp16", "amp"};
    const std::string mode = mode_word(word);
    if (mode == "train" || mode == "infer") {
        result.mode = mode;
    } else if (word == "cpu" || word == "cuda") {
        result.device = word;
    } else if (precisions.contains(word)) {
        const bool narrow = word == "fp16" && result.precision == "amp";
        result.precision = narrow ? "amp_fp16" : word;
    } else if (const auto batch = marked_count(word, {"batch", "bs", "b"})) {
        result.batch = *batch;
    } else if (const auto threads = marked_count(word, {"threads", "t"})) {
        result.threads = *threads;
    } else if (const auto gpus = marked_count(word, {"gpus", "g"})) {
        result.gpus = *gpus;
    } else {
        result.backend += (result.backend.empty() ? "" : "-") + word;
    }
}

void take_said(const std::string& name, double value, Result& result) {
    static const std::map<std::string, std::pair<Field, double>> fields{
        {"compile_time_ns", {Field::compile_s, 1 / ns_per_s}},
        {"first_step_ns", {Field::first_step_s, 1 / ns_per_s}},
        {"gpu_time_ns", {Field::gpu_time_s, 1 / ns_per_s}},
        {"throughput", {Field::throughput_per_s, 1}},
        {"throughput_of_one_process", {Field::throughput_alone_per_s, 1}},
        {"leak", {Field::leak_bytes, 1}},
        {"compared.speedup", {Field::speedup, 1}},
        {"compared.cpu_speedup", {Field::cpu_speedup, 1}},
        {"memory_ratio", {Field::memory_ratio, 1}},
        {"breakdown.active", {Field::active, 1}},
        {"breakdown.data_movement", {Field::movement, 1}},
        {"breakdown.idle", {Field::idle, 1}}};
    static const std::map<std::string, std::int64_t Result::*> counts{
        {"batch", &Result::batch},
        {"threads", &Result::threads},
        {"processes", &Result::processes}};
    const auto field = fields.find(name);
    const auto count = counts.find(name);
    if (field != fields.end()) {
        result.values.emplace(field->second.first, value * field->second.second);
    } else if (count != counts.end() && value >= 1 && value <= max_count) {
        result.*count->second = static_cast<std::int64_t>(value);
    } else {
        result.metrics.emplace(name, value);
    }
}

/// What a run said of the way it ran; the name of its variant may say something else, or nothing.
void take_words(const std::map<std::string, std::string>& words, Result& result) {
    const std::string of_name = result.setting;
    static const std::map<std::string, std::string Result::*> parts{
        {"domain", &Result::domain},
        {"mode", &Result::mode},
        {"device", &Result::device},
        {"precision", &Result::precision},
        {"backend", &Result::backend},
        {"setting", &Result::setting},
        {"torch_version", &Result::version}};
    for (const auto& [name, text] : words) {
        const auto part = parts.find(name);
        if (part == parts.end()) {
            result.facts.emplace(name, text.substr(0, max_text_bytes));
        } else if (text.size() <= max_text_bytes && !text.empty()) {
            result.*part->second = name == "mode" ? mode_word(text) : text;
        }
    }
    if (!of_name.empty() && result.setting != of_name) result.setting += ", " + of_name;
    const auto layout = words.find("layout");
    if (layout == words.end() || layout->second != "channels_last") return;
    result.setting += (result.setting.empty() ? "" : ", ") + layout->second;
}

/// Variants whose runs say that they ran in one way are told apart by their names.
void name_twins(std::vector<Result>& results, const std::set<std::string>& said) {
    const auto key_of = [](const Result& result) {
        const Result* pointer = &result;
        return Ways({&pointer, 1}, {}).key(result) + result.model + '\n' +
               std::to_string(result.batch);
    };
    std::map<std::string, int> seen;
    for (const auto& result : results) ++seen[key_of(result)];
    for (auto& result : results) {
        const std::string& variant = result.facts.at("variant");
        if (seen[key_of(result)] < 2 || !said.contains(variant)) continue;
        result.setting += (result.setting.empty() ? "" : ", ") + variant;
    }
}

/// The first that is none of a right answer stays.
void take_status(const std::string& status, Result& result) {
    if (result.status.empty() || result.status == "pass") result.status = status;
}

void take_outcome(const std::string& outcome, Result& result) {
    take_status(outcome == "passed" ? "pass" : outcome, result);
}

/// What the name says, where the variant is a quantity of benchmarks/dynamo.
std::optional<harness::DynamoName> sent_by_dynamo(const NightRun& run) {
    static const std::set<std::string> quantities{
        harness::dynamo_latency,
        harness::dynamo_speedup,
        harness::dynamo_compile_time,
        harness::dynamo_compression,
        harness::dynamo_peak,
        harness::dynamo_eager_peak,
        harness::dynamo_accuracy};
    if (!quantities.contains(run.variant)) return std::nullopt;
    return harness::find_dynamo_name(run.benchmark);
}

Result result_of(const harness::DynamoName& name) {
    Result result;
    result.model = name.model;
    result.mode = name.mode;
    result.device = name.device;
    result.precision = name.precision;
    result.backend = name.backend.empty() ? "compile" : name.backend;
    result.setting = name.setting;
    result.batch = name.batch;
    return result;
}

}  // namespace

void take_variant(const std::string& name, Result& result) {
    std::string word;
    const auto local = local_version_in(name);
    result.setting = local;
    for (const char c : name.substr(0, name.size() - local.size()) + "-") {
        if (std::string_view("-_+.").find(c) == std::string_view::npos) {
            word += c;
            continue;
        }
        if (!word.empty()) take_word(word, result);
        word.clear();
    }
    if (result.backend.empty() || result.backend == "default") result.backend = plain_backend;
}

void NightResults::add(const NightRun& run) {
    if (const auto name = sent_by_dynamo(run)) return add_dynamo(run, *name);
    Processes& processes = processes_[run.suite + "\n" + run.benchmark + "\n" + run.variant];
    if (processes.result.status.empty()) {
        processes.result.suite = run.suite;
        processes.result.model = run.benchmark;
        take_variant(run.variant, processes.result);
        processes.result.facts["variant"] = run.variant;
    }
    take_outcome(run.outcome, processes.result);
    for (const auto& [metric, unit, value] : run.medians) {
        std::string name = metric;
        if (name == "reported_value") name = unit.ends_with("/s") ? "throughput" : "";
        if (!name.empty() && value > 0) processes.medians[name].push_back(value);
    }
    for (const auto& [name, value, text] : run.said) {
        if (value) processes.said[name].push_back(*value);
        if (!text.empty()) processes.words.emplace(name, text);
    }
}

void NightResults::add_dynamo(const NightRun& run, const harness::DynamoName& name) {
    const auto whole = run.suite + "\n" + run.benchmark.substr(0, run.benchmark.rfind("/batch "));
    const bool is_accuracy = run.variant == harness::dynamo_accuracy;
    Processes& processes =
        is_accuracy ? accuracy_[whole] : processes_[whole + "\n" + std::to_string(name.batch)];
    if (processes.result.status.empty()) {
        processes.result = result_of(name);
        processes.result.suite = run.suite + (name.suite.empty() ? "" : ", " + name.suite);
        processes.result.facts["variant"] = run.variant;
        processes.whole = whole;
    }
    take_outcome(run.outcome, processes.result);
    static const std::map<std::string, std::string> said{
        {harness::dynamo_speedup, "compared.speedup"},
        {harness::dynamo_compile_time, "compile_time_ns"},
        {harness::dynamo_compression, "memory_ratio"}};
    const auto into = said.find(run.variant);
    for (const auto& [metric, unit, value] : run.medians) {
        if (into != said.end()) {
            processes.said[into->second].push_back(value);
        } else if (run.variant == harness::dynamo_peak) {
            processes.medians["peak_process_bytes"].push_back(value * bytes_in_gb);
        } else if (run.variant == harness::dynamo_latency) {
            processes.medians[metric].push_back(value);
        }
    }
}

bool NightResults::are_compared(const std::string& base) const {
    const auto is_other = [&](const auto& one) {
        const auto said = one.second.words.find("backend");
        return (said == one.second.words.end() ? one.second.result.backend : said->second) != base;
    };
    return std::ranges::any_of(processes_, is_other) || std::ranges::any_of(accuracy_, is_other);
}

std::vector<Result> NightResults::results() const {
    std::vector<Result> results;
    std::set<std::string> said_variants;
    std::set<std::string> measured;  // those whose accuracy is said with their speed
    for (const auto& [key, processes] : processes_) {
        Result result = processes.result;
        const auto set = [&, &processes = processes](
                             Field field, const char* metric, double scale) {
            const auto found = processes.medians.find(metric);
            if (found == processes.medians.end()) return;
            result.values.emplace(
                field, stats::median(found->second) * scale);  // the first one stays
        };
        set(Field::time_s, "wall_time_ns", 1 / ns_per_s);
        set(Field::time_s, "cpu_time_ns", 1 / ns_per_s);
        set(Field::peak_bytes, "peak_gpu_bytes", 1);
        set(Field::peak_bytes, "peak_alloc_bytes", 1);
        set(Field::peak_bytes, "peak_process_bytes", 1);
        set(Field::gpu_time_s, "gpu_time_ns", 1 / ns_per_s);
        set(Field::throughput_per_s, "throughput", 1);
        take_words(processes.words, result);
        if (!processes.words.empty()) said_variants.insert(result.facts.at("variant"));
        for (const auto& [name, values] : processes.said) {
            take_said(name, stats::median(values), result);
        }
        if (const auto accuracy = accuracy_.find(processes.whole); accuracy != accuracy_.end()) {
            take_status(accuracy->second.result.status, result);
            measured.insert(processes.whole);
        }
        results.push_back(std::move(result));
    }
    for (const auto& [whole, processes] : accuracy_) {
        if (!measured.contains(whole)) results.push_back(processes.result);
    }
    name_twins(results, said_variants);
    return results;
}

ResultList NightResults::take() const {
    ResultList list;
    for (auto& result : results()) list.add(std::move(result), "the night's runs");
    return list;
}

std::vector<NightRatio> night_ratios(
    const std::vector<Result>& results, const std::string& base, Rule rule) {
    const std::array rules{rule};
    auto suites = make_dashboard(with_ratios(results, base), base, rules);
    // Of the base alone nothing is compared. Another way in which nothing passes has its pass rate.
    std::erase_if(suites, [&](const DashboardSuite& suite) {
        const auto& headline = suite.headlines.front();
        return suite.rows.front().backend == base && !headline.speedup.value &&
               !headline.memory_ratio.value && !headline.compile_s.value;
    });
    std::vector<const Result*> firsts;
    for (const auto& suite : suites) firsts.push_back(&suite.rows.front());
    const Ways ways(firsts, {Part::backend});
    std::vector<NightRatio> ratios;
    for (auto& suite : suites) {
        const auto& first = suite.rows.front();  // its backend is said where all have the same
        ratios.push_back(
            {ways.label(first) + ", " + first.backend, std::move(suite.headlines.front())});
    }
    return ratios;
}

}  // namespace vigil::tables
