#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/wire/object_reader.hpp"
#include "service/tables/cell.hpp"
#include "service/tables/read_json.hpp"

namespace vigil::tables {

namespace {

using nlohmann::json;

constexpr double gib = 1073741824.0;
constexpr const char* suite_name = "torchbench";

struct TorchMetric {
    std::optional<Field> field;  ///< none: the status
    double scale = 1;
    bool of_cpu = false;  ///< on a GPU it stands beside the GPU's
};

std::optional<TorchMetric> find_metric(const std::string& name) {
    static const std::map<std::string, TorchMetric> all{
        {"latencies", {Field::time_s, 1e-3}},
        {"latency", {Field::time_s, 1e-3}},
        {"throughputs", {Field::throughput_per_s, 1}},
        {"throughput", {Field::throughput_per_s, 1}},
        {"cpu_peak_mem", {Field::peak_bytes, gib, true}},
        {"gpu_peak_mem", {Field::peak_bytes, gib}},
        {"cmem", {Field::peak_bytes, gib, true}},
        {"gmem", {Field::peak_bytes, gib}},
        {"pt2_compilation_time", {Field::compile_s, 1}},
        {"accuracy", {std::nullopt, 1}}};
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

/// The backend that the arguments of a run ask for.
std::string backend_in(const std::string& arguments) {
    for (const char* name : {"inductor", "aot_eager", "torch_trt", "fx2trt"}) {
        if (arguments.find(name) != arguments.npos) return name;
    }
    if (arguments.find("--jit") != arguments.npos ||
        arguments.find("torchscript") != arguments.npos) {
        return "jit";
    }
    if (arguments.find_first_not_of("[]' ") == arguments.npos) return "eager";
    return arguments.substr(0, 100);
}

/// A metric's key, taken apart.
struct TorchKey {
    Result result;
    std::string metric;
};

/// "model=llama, test=eval, device=cuda, bs=None, extra_args=[], metric=latencies"
std::optional<TorchKey> parse_long_key(const std::string& key) {
    constexpr std::array<const char*, 6> names{
        "model=", ", test=", ", device=", ", bs=", ", extra_args=", ", metric="};
    std::array<std::string, names.size()> parts;
    std::size_t at = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name = names[i];
        if (key.compare(at, name.size(), name) != 0) return std::nullopt;
        at += name.size();
        const auto end = i + 1 < names.size() ? key.find(names[i + 1], at) : key.size();
        if (end == key.npos) return std::nullopt;
        parts[i] = key.substr(at, end - at);
        at = end;
    }
    TorchKey parsed;
    parsed.result.model = parts[0];
    parsed.result.mode = mode_word(parts[1]);
    parsed.result.device = parts[2];
    parsed.result.batch = parse_count(parts[3]).value_or(0);
    parsed.result.backend = backend_in(parts[4]);
    parsed.metric = parts[5];
    return parsed;
}

/// "resnet50-eval_latency"
std::optional<TorchKey> parse_short_key(const std::string& key) {
    const auto dash = key.rfind('-');
    const auto line = key.find('_', dash == key.npos ? 0 : dash);
    if (dash == key.npos || line == key.npos || dash == 0) return std::nullopt;
    TorchKey parsed;
    parsed.result.model = key.substr(0, dash);
    parsed.result.mode = mode_word(key.substr(dash + 1, line - dash - 1));
    parsed.result.backend = "eager";
    parsed.metric = key.substr(line + 1);
    return parsed;
}

/// "test_eval[resnet18-cpu-eager]"
std::optional<Result> parse_test_name(const std::string& name) {
    const auto open = name.find('[');
    const auto last = name.rfind('-');
    if (!name.starts_with("test_") || open == name.npos || !name.ends_with("]") ||
        last == name.npos || last < open) {
        return std::nullopt;
    }
    const auto device = name.rfind('-', last - 1);
    if (device == name.npos || device <= open + 1) return std::nullopt;
    Result result;
    result.suite = suite_name;
    result.mode = mode_word(name.substr(5, open - 5));
    result.model = name.substr(open + 1, device - open - 1);
    result.device = name.substr(device + 1, last - device - 1);
    result.backend = name.substr(last + 1, name.size() - last - 2);
    return result;
}

/// "test_eval[dlrm-cuda-eager]_latency"
std::optional<TorchKey> parse_nightly_key(const std::string& key) {
    const auto close = std::min(key.rfind("]_"), key.size());
    const auto result = parse_test_name(key.substr(0, close + 1));
    if (!result || close == key.size()) return std::nullopt;
    return TorchKey{*result, key.substr(close + 2)};
}

/// Where a model has a peak on the GPU, the CPU's stands beside it.
void put_number(const TorchMetric& metric, bool has_gpu_peak, double value, Result& result) {
    if (metric.of_cpu && (has_gpu_peak || result.device.starts_with("cuda"))) {
        result.metrics.emplace("peak_cpu_bytes", value * metric.scale);
    } else {
        result.values.emplace(*metric.field, value * metric.scale);
    }
}

/// Whether a key has a sibling of the same model and way for the GPU's peak.
bool has_gpu_peak(const json& metrics, const std::string& key) {
    for (const auto& [of_cpu, of_gpu] :
         {std::pair<std::string, std::string>{"cpu_peak_mem", "gpu_peak_mem"}, {"cmem", "gmem"}}) {
        if (!key.ends_with(of_cpu)) continue;
        return metrics.contains(key.substr(0, key.size() - of_cpu.size()) + of_gpu);
    }
    return false;
}

void note_passed_over(
    const std::vector<std::string>& names, const std::string& file, ResultList& list) {
    if (names.empty()) return;
    const std::size_t shown = std::min<std::size_t>(names.size(), 3);
    const auto first =
        fmt::format("{}", fmt::join(names.begin(), names.begin() + std::ptrdiff_t(shown), ", "));
    const auto more = names.size() - shown;
    list.note(fmt::format(
        "{}: not read: {}{}", file, first, more > 0 ? fmt::format(" and {} more", more) : ""));
}

}  // namespace

void read_torchbench(const json& root, const std::string& file, ResultList& list) {
    wire::ObjectReader reader(root, file);
    std::vector<std::string> passed_over;
    const json& metrics = root.at("metrics");
    std::string version;
    if (auto environment = reader.find_object("environ")) {
        for (const char* name : {"pytorch_git_version", "pytorch_version"}) {
            if (const auto said = environment->find_text(name)) {
                version = said->substr(0, max_text_bytes);
            }
        }
    }
    for (const auto& [key, item] : reader.members("metrics", max_results)) {
        auto parsed = parse_long_key(key);
        if (!parsed) parsed = parse_nightly_key(key);
        if (!parsed) parsed = parse_short_key(key);
        const auto metric = parsed ? find_metric(parsed->metric) : std::nullopt;
        if (!metric) {
            passed_over.push_back(key.substr(0, 100));
            continue;
        }
        Result& result = parsed->result;
        result.suite = suite_name;
        result.version = version;
        if (item.value->is_number() && metric->field) {
            const double value = wire::number_of(item, {0, 1e290});
            put_number(*metric, has_gpu_peak(metrics, key), value, result);
        } else if (item.value->is_string()) {
            // In the place of a number stands why there is none.
            const std::string words = wire::text_of(item);
            result.status =
                is_oom(words) ? "oom" : words.substr(0, words.find('\n')).substr(0, 100);
        } else {
            wire::refuse(item.path, "is neither a number nor a text");
        }
        list.add(std::move(result), item.path);
    }
    note_passed_over(passed_over, file, list);
}

void read_torchbench_pytest(const json& root, const std::string& file, ResultList& list) {
    wire::ObjectReader reader(root, file);
    std::vector<std::string> passed_over;
    for (const auto& item : reader.items("benchmarks", max_results)) {
        wire::ObjectReader benchmark(item);
        const std::string name = benchmark.text("name");
        auto result = parse_test_name(name);
        if (!result) {
            passed_over.push_back(name.substr(0, 100));
            continue;
        }
        auto stats = benchmark.object("stats");
        result->values.emplace(Field::time_s, stats.number("median", {0, 1e300}));
        list.add(std::move(*result), item.path);
    }
    note_passed_over(passed_over, file, list);
}

}  // namespace vigil::tables
