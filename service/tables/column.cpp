#include "service/tables/column.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "schema/text/characters.hpp"
#include "schema/text/nearest.hpp"
#include "service/tables/cell.hpp"

namespace vigil::tables {

namespace {

constexpr double milli = 1e-3;
constexpr double giga = 1e9;  // dynamo's runner divides bytes by it

Column text_column(std::string Result::*member) {
    return {.kind = Column::Kind::text, .text = member};
}

Column count_column(std::int64_t Result::*member) {
    return {.kind = Column::Kind::count, .count = member};
}

Column value_column(Field field, double scale = 1, const std::string& mode = "") {
    return {.kind = Column::Kind::value, .field = field, .scale = scale, .mode = mode};
}

Column plain_column(Column::Kind kind) {
    return {.kind = kind};
}

/// Headers without a unit, word for word.
const std::map<std::string, Column>& plain_columns() {
    static const std::map<std::string, Column> all = [] {
        std::map<std::string, Column> columns;
        const auto set = [&](std::initializer_list<const char*> names, const Column& column) {
            for (const char* name : names) columns[name] = column;
        };
        set({"model", "name", "benchmark", "network", "model name"},
            plain_column(Column::Kind::model));
        set({"task model"}, plain_column(Column::Kind::task_model));
        set({"suite"}, text_column(&Result::suite));
        set({"domain", "task", "category"}, text_column(&Result::domain));
        set({"mode", "test"}, text_column(&Result::mode));
        set({"device", "dev"}, text_column(&Result::device));
        set({"precision", "dtype"}, text_column(&Result::precision));
        set({"setting"}, text_column(&Result::setting));
        set({"version"}, text_column(&Result::version));
        set({"backend", "compiler"}, text_column(&Result::backend));
        set({"status", "accuracy", "outcome"}, plain_column(Column::Kind::status));
        set({"batch", "bs", "batch size"}, count_column(&Result::batch));
        set({"threads", "thread", "num threads"}, count_column(&Result::threads));
        set({"processes"}, count_column(&Result::processes));
        Column gpu = count_column(&Result::gpus);
        gpu.ambiguous = true;
        set({"gpu"}, gpu);
        set({"gpus", "num gpus", "n gpus", "number of gpus", "gpu count"},
            count_column(&Result::gpus));
        set({"speedup", "speed up"}, value_column(Field::speedup));
        Column slowdown = value_column(Field::speedup);
        slowdown.inverse = true;
        set({"slowdown", "slow down"}, slowdown);
        set({"mem", "memory ratio", "compression ratio"}, value_column(Field::memory_ratio));
        set({"compilation latency"}, value_column(Field::compile_s));
        Column compile = value_column(Field::compile_s);
        compile.ambiguous = true;
        set({"compile"}, compile);
        set({"latency", "abs latency"}, value_column(Field::time_s, milli));
        set({"dynamo peak mem"}, value_column(Field::peak_bytes, giga));
        set({"scaling factor", "parallel efficiency", "models", "flags"},
            plain_column(Column::Kind::ignored));
        return columns;
    }();
    return all;
}

std::optional<Field> share_of(const std::string& name) {
    static const std::map<std::string, Field> all{
        {"active", Field::active},
        {"activeness", Field::active},
        {"gpu active", Field::active},
        {"movement", Field::movement},
        {"data movement", Field::movement},
        {"datamovement", Field::movement},
        {"idle", Field::idle},
        {"idleness", Field::idle}};
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

/// "active", "Train: data movement", "infer models".
std::optional<Column> share_column(std::vector<std::string> words) {
    std::string mode;
    if (words.size() > 1 &&
        (mode_word(words.front()) == "train" || mode_word(words.front()) == "infer")) {
        mode = mode_word(words.front());
        words.erase(words.begin());
    }
    if (const auto field = share_of(text::joined(words, " "))) return value_column(*field, 1, mode);
    if (!mode.empty() && text::joined(words, " ") == "models")
        return plain_column(Column::Kind::ignored);
    return std::nullopt;
}

/// "Throughput, 1/s", "images/s", "throughput_per_s".
bool is_throughput(const std::vector<std::string>& words) {
    static const std::set<std::string> nouns{
        "throughput", "throughputs", "images", "img", "samples", "sequences", "tokens"};
    static const std::set<std::string> rest{"1", "per", "s", "sec", "second", "images", "samples"};
    if (words.empty() || !nouns.contains(words.front())) return false;
    return std::all_of(words.begin() + 1, words.end(), [&](const std::string& word) {
        return rest.contains(word);
    });
}

/// "time_ms", "Compile time (s)", "peak memory, MiB".
std::optional<Column> column_with_unit(std::vector<std::string> words) {
    if (words.size() < 2) return std::nullopt;
    const auto seconds = seconds_of_unit(words.back());
    const auto bytes = bytes_of_unit(words.back());
    words.pop_back();
    if (words.back() == "in") words.pop_back();
    const std::string name = text::joined(words, " ");
    static const std::set<std::string> times{
        "time", "latency", "abs latency", "step time", "wall time", "median"};
    static const std::set<std::string> compile{
        "compile", "compile time", "compilation time", "compilation latency"};
    static const std::set<std::string> peaks{
        "peak", "peak memory", "memory", "peak alloc", "peak process", "peak gpu"};
    if (seconds && times.contains(name)) return value_column(Field::time_s, *seconds);
    if (seconds && compile.contains(name)) return value_column(Field::compile_s, *seconds);
    if (bytes && peaks.contains(name)) return value_column(Field::peak_bytes, *bytes);
    return std::nullopt;
}

/// Takes "torch 2.0 - " from before the name of a way.
std::string take_version(std::string& header) {
    for (const std::string_view library : {"torch ", "pytorch "}) {
        const auto dash = header.find(" - ");
        if (!text::lower_case(header).starts_with(library) || dash == header.npos) continue;
        const std::string version = header.substr(library.size(), dash - library.size());
        if (version.empty() || version.find_first_of("0123456789") != 0) continue;
        header.erase(0, dash + 3);
        return version;
    }
    return "";
}

}  // namespace

bool is_base_name(const std::string& name) {
    static const std::set<std::string> all{"eager", "no compile", "uncompiled", "baseline"};
    return all.contains(text::joined(words_of(name), " "));
}

Column parse_column(const std::string& header) {
    const auto words = words_of(header);
    const std::string name = text::joined(words, " ");
    if (name.empty() || header.find(" / ") != header.npos) {
        return plain_column(Column::Kind::ignored);
    }
    const auto found = plain_columns().find(name);
    if (found != plain_columns().end()) return found->second;
    if (const auto share = share_column(words)) return *share;
    if (is_throughput(words)) return value_column(Field::throughput_per_s);
    if (const auto column = column_with_unit(words)) return *column;
    return Column{};
}

BackendColumn parse_backend_column(const std::string& whole_header) {
    BackendColumn column;
    std::string header = whole_header;
    column.version = take_version(header);
    column.backend = header;
    auto words = words_of(header);
    if (words.size() > 1) column.scale = seconds_of_unit(words.back());
    if (column.scale) {
        // What stands before the unit, without the marks between them.
        const auto at = header.find_last_of(" ,(_");
        column.backend = header.substr(0, at == header.npos ? header.size() : at);
        words.pop_back();
    }
    const auto batch = words.size() > 2 ? take_batch(words) : std::nullopt;
    column.batch = batch.value_or(0);
    if (batch) column.backend = text::joined(words, " ");
    column.backend.resize(column.backend.find_last_not_of(" ,(_:") + 1);
    return column;
}

}  // namespace vigil::tables
