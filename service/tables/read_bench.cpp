#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/tables/cell.hpp"
#include "service/tables/read_json.hpp"
#include "service/tables/rules.hpp"

// vigil-bench's output. What has a field of its own goes there, everything else stands beside it
// under the name that vigil-bench gives it: nothing that was measured is lost.

namespace vigil::tables {

namespace {

using nlohmann::json;
using wire::Item;
using wire::ObjectReader;

constexpr double ns = 1e-9;

/// The processes of one model run in one way.
struct Processes {
    Result result;
    int count = 0;
    std::map<Field, std::vector<double>> values;
    std::map<std::string, std::vector<double>> metrics;
};

struct FieldUnit {
    Field field;
    double scale = 1;
};

const std::map<std::string, FieldUnit>& fields_of_bench() {
    static const std::map<std::string, FieldUnit> all{
        {"wall_time_ns", {Field::time_s, ns}},
        {"cpu_time_ns", {Field::cpu_time_s, ns}},
        {"gpu_time_ns", {Field::gpu_time_s, ns}},
        {"peak_alloc_bytes", {Field::peak_bytes, 1}},
        {"first_step_ns", {Field::first_step_s, ns}},
        {"compile_time_ns", {Field::compile_s, ns}},
        {"throughput", {Field::throughput_per_s, 1}},
        {"memory_ratio", {Field::memory_ratio, 1}},
        {"leak", {Field::leak_bytes, 1}}};
    return all;
}

void take_number(Processes& all, const std::string& name, double value) {
    const auto field = fields_of_bench().find(name);
    if (field == fields_of_bench().end()) {
        all.metrics[name].push_back(value);
    } else {
        all.values[field->second.field].push_back(value * field->second.scale);
    }
}

/// What one process said is kept; a leak that one of several saw is a leak.
void take_fact(Processes& all, const std::string& name, const std::string& text) {
    auto& known = all.result.facts.try_emplace(name, text).first->second;
    if (name == "leak" && text == "leak") known = text;
}

void take_samples(ObjectReader& reader, Processes& all) {
    auto samples = reader.find_object("samples");
    if (!samples) return;
    for (const auto& [name, item] : reader.members("samples", max_details)) {
        std::vector<double> values;
        for (const Item& value : wire::items_of(item, max_results)) {
            values.push_back(wire::number_of(value));
        }
        if (values.empty()) continue;
        // On a GPU its memory is what a model takes.
        const bool is_gpu = name == "peak_gpu_bytes";
        if (is_gpu) all.values[Field::peak_bytes] = {middle_of(values)};
        const bool is_other = name == "peak_alloc_bytes" && samples->has("peak_gpu_bytes");
        if (is_gpu || is_other) {
            all.metrics[name].push_back(middle_of(std::move(values)));
        } else {
            take_number(all, name, middle_of(std::move(values)));
        }
    }
}

/// {"value": 1, "unit": ..., "interval": [0, 2], "verdict": "none"}, or {"absent": why}.
void take_metric(const std::string& name, const Item& item, Processes& all) {
    ObjectReader metric(item);
    if (const auto why = metric.find_text("absent")) {
        return take_fact(all, "no " + name, why->substr(0, max_text_bytes));
    }
    // Of the data-parallel run the number is the shared one.
    if (const auto value = metric.find("value")) take_number(all, name, wire::number_of(*value));
    if (const auto alone = metric.find("of_one_process")) {
        all.values[Field::throughput_alone_per_s].push_back(wire::number_of(*alone));
    }
    const auto interval = metric.items_or_none("interval", 2);
    if (interval.size() == 2) {
        all.metrics[name + "_low"].push_back(wire::number_of(interval[0]));
        all.metrics[name + "_high"].push_back(wire::number_of(interval[1]));
    }
    if (const auto verdict = metric.find_text("verdict", max_text_bytes)) {
        take_fact(all, name, *verdict);
    }
}

void take_breakdown(ObjectReader& breakdown, Processes& all) {
    for (const auto& [name, field] :
         {std::pair{"active", Field::active},
          std::pair{"data_movement", Field::movement},
          std::pair{"idle", Field::idle}}) {
        if (breakdown.has(name)) all.values[field].push_back(breakdown.number(name, {0, 1}));
    }
    for (const std::string name : {"wall_time_ns", "traced_wall_time_ns"}) {
        if (breakdown.has(name)) {
            all.metrics["breakdown_" + name].push_back(breakdown.number(name));
        }
    }
    if (const auto why = breakdown.find_text("absent")) {
        take_fact(all, "no breakdown", why->substr(0, max_text_bytes));
    }
}

/// Of backends that measured in turns: the ratio of the same moments, which counts more than that
/// of two medians.
void take_compared(const Item& item, Processes& all) {
    for (const auto& [name, value] : wire::members_of(item)) {
        if (name == "base") {
            take_fact(all, "compared_with", wire::text_of(value).substr(0, max_text_bytes));
        } else if (name == "speedup") {
            all.values[Field::speedup].push_back(wire::number_of(value));
        } else if (name == "cpu_speedup") {
            all.values[Field::cpu_speedup].push_back(wire::number_of(value));
        } else {
            all.metrics[name].push_back(wire::number_of(value));
        }
    }
}

/// A member of `info` that is none of the way's.
void take_detail(const std::string& name, const Item& item, Processes& all) {
    const json& value = *item.value;
    if (value.is_number()) {
        all.metrics[name].push_back(wire::number_of(item));
    } else if (value.is_string()) {
        take_fact(all, name, wire::text_of(item).substr(0, max_text_bytes));
    } else if (value.is_boolean()) {
        take_fact(all, name, value.get<bool>() ? "yes" : "no");
    } else if (name == "metrics") {
        for (const auto& [metric, one] : wire::members_of(item)) take_metric(metric, one, all);
    } else if (name == "compared") {
        take_compared(item, all);
    } else if (name == "breakdown") {
        ObjectReader breakdown(item);
        take_breakdown(breakdown, all);
    } else if (value.is_object()) {  // accuracy, batch_search
        for (const auto& [key, one] : wire::members_of(item)) take_detail(key, one, all);
    } else if (value.is_array() && !value.empty()) {
        take_fact(all, name, value.dump().substr(0, max_text_bytes));
    }
}

constexpr std::array way_texts{
    std::pair{"domain", &Result::domain},
    std::pair{"mode", &Result::mode},
    std::pair{"device", &Result::device},
    std::pair{"precision", &Result::precision},
    std::pair{"backend", &Result::backend},
    std::pair{"setting", &Result::setting},
    std::pair{"torch_version", &Result::version}};

constexpr std::array way_counts{
    std::pair{"batch", &Result::batch},
    std::pair{"threads", &Result::threads},
    std::pair{"processes", &Result::processes}};

/// Model and way; the rest of `info` is left to take_detail().
Result way_of_line(ObjectReader& info) {
    Result result;
    result.model = info.text("model", max_text_bytes);
    result.backend = "eager";
    for (const auto& [name, member] : way_texts) {
        result.*member = info.text_or(name, result.*member, max_text_bytes);
    }
    for (const auto& [name, member] : way_counts) {
        result.*member = info.integer_or(name, 0, any_count);
    }
    result.mode = mode_word(result.mode);
    if (info.text_or("layout", "", max_text_bytes) == "channels_last") {
        result.setting += result.setting.empty() ? "channels_last" : ", channels_last";
    }
    const bool gpu_each = result.processes > 1 && result.device.starts_with("cuda");
    if (gpu_each) result.gpus = result.processes;
    return result;
}

/// What way_of_line() reads, and what the metric `leak` says.
bool is_of_way(std::string_view name) {
    const auto named = [&](const auto& member) { return member.first == name; };
    return name == "model" || name == "layout" || name == "leak_bytes_per_iteration" ||
           std::any_of(way_texts.begin(), way_texts.end(), named) ||
           std::any_of(way_counts.begin(), way_counts.end(), named);
}

class BenchLines {
  public:
    void take(const json& line, const std::string& where, int number) {
        ObjectReader reader(line, where);
        const std::string outcome = reader.text("outcome", max_text_bytes);
        auto info = reader.find_object("info");
        Result result;
        if (info && info->has("model")) {
            result = way_of_line(*info);
        } else {
            result.model = fmt::format("(line {} names no model)", number);
        }
        result.status = outcome == "passed" ? "pass" : outcome;
        const std::string key = way_of(result) + "," + std::to_string(result.batch);
        const auto [at, is_new] = known_.emplace(key, all_.size());
        if (is_new) all_.push_back({std::move(result), 0, {}, {}});
        Processes& one = all_[at->second];
        if (one.result.status == "pass" && outcome != "passed") one.result.status = outcome;
        if (const auto why = reader.find_text("message")) {
            take_fact(one, "message", why->substr(0, max_text_bytes));
        }
        ++one.count;
        take_samples(reader, one);
        if (!info) return;
        for (const auto& [name, item] : reader.members("info", max_details)) {
            if (!is_of_way(name)) take_detail(name, item, one);
        }
    }

    void give(const std::string& file, ResultList& list) {
        for (auto& one : all_) {
            for (auto& [field, values] : one.values) {
                one.result.values[field] = middle_of(std::move(values));
            }
            one.metrics["measured_processes"] = {static_cast<double>(one.count)};
            for (auto& [name, values] : one.metrics) {
                one.result.metrics[name] = middle_of(std::move(values));
            }
            list.add(std::move(one.result), file);
        }
    }

  private:
    std::vector<Processes> all_;
    std::map<std::string, std::size_t> known_;
};

}  // namespace

void read_bench_lines(std::string_view text, const std::string& file, ResultList& list) {
    BenchLines lines;
    int number = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.find_first_not_of(" \t\r") == line.npos) continue;
        const std::string where = fmt::format("{}: line {}", file, number);
        lines.take(
            wire::parse_json(line, where, {.max_bytes = std::size_t{64} << 20}), where, number);
    }
    lines.give(file, list);
}

}  // namespace vigil::tables
