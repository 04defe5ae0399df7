#include "service/tables/read.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/nearest.hpp"
#include "schema/wire/json.hpp"
#include "service/tables/cell.hpp"
#include "service/tables/column.hpp"
#include "service/tables/grid.hpp"
#include "service/tables/read_json.hpp"

namespace vigil::tables {

namespace {

enum class FileKind { json, markdown, csv };

FileKind kind_of_text(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first != text.npos && (text[first] == '{' || text[first] == '[')) return FileKind::json;
    for (std::size_t at = 0; at < text.size();) {
        const auto line = text.substr(at, text.find('\n', at) - at);
        const auto begin = line.find_first_not_of(" \t");
        if (begin != line.npos && line[begin] == '|') return FileKind::markdown;
        at += line.size() + 1;
    }
    return FileKind::csv;
}

/// The runner's files are called inductor_torchbench_float32_inference_cpu_accuracy.csv.
std::string suite_in_name(const std::string& file) {
    const auto slash = file.rfind('/');
    const std::string name = slash == file.npos ? file : file.substr(slash + 1);
    constexpr std::array<const char*, 3> known{"torchbench", "huggingface", "timm_models"};
    for (const char* suite : known) {
        if (name.find(suite) != name.npos) return suite;
    }
    return "";
}

/// What a table of one number a model is about, when its title says so.
struct TitleMeaning {
    std::optional<Field> field;
    bool status = false;
};

TitleMeaning meaning_of(const std::string& title) {
    const std::string words = text::joined(words_of(title), " ");
    const auto has = [&](const char* part) { return words.find(part) != words.npos; };
    if (has("speedup")) return {Field::speedup, false};
    if (has("accuracy")) return {std::nullopt, true};
    if (has("compil")) return {Field::compile_s, false};
    if (has("memory") || has("compression")) return {Field::memory_ratio, false};
    return {};
}

/// Puts a table's rows into the list, by its headers. A table without a column of models or domains
/// holds no results: it is noted and passed over.
class GridTaker {
  public:
    GridTaker(const Grid& grid, const std::string& file, const std::string& suite, ResultList& list)
        : grid_(grid), file_(file), list_(list), title_(meaning_of(grid.title)) {
        start_.suite = grid.suite.empty() ? suite : grid.suite;
        for (const auto& header : grid.header) columns_.push_back(parse_column(header));
    }

    void take() {
        if (grid_.header.empty()) return;
        const bool models = has(Column::Kind::model);
        const bool domains = std::any_of(columns_.begin(), columns_.end(), [](const Column& one) {
            return one.kind == Column::Kind::text && one.text == &Result::domain;
        });
        const bool shares = std::any_of(columns_.begin(), columns_.end(), [](const Column& one) {
            return one.field && *one.field >= Field::active;
        });
        by_domain_ = !models && domains && shares;
        if (!models && !by_domain_) {
            const std::string first = text::joined(words_of(grid_.header.front()), " ");
            if (first == "rule" || first == "compiler") return;  // aggregates: they are made anew
            list_.note(fmt::format(
                "{}, line {}: a table without a column 'model' is passed over", file_, grid_.line));
            return;
        }
        choose_backends();
        for (const auto& row : grid_.rows) take_row(row);
    }

  private:
    bool has(Column::Kind kind) const {
        return std::any_of(columns_.begin(), columns_.end(), [&](const Column& column) {
            return column.kind == kind;
        });
    }

    /// Headers that mean nothing else are names of backends, where there is something to read in
    /// them.
    void choose_backends() {
        const bool about_something = title_.field || title_.status;
        const bool has_values = has(Column::Kind::value) || has(Column::Kind::status);
        std::string passed_over;
        std::string in_ms;
        backends_.resize(columns_.size());
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].kind != Column::Kind::unknown) continue;
            auto backend = parse_backend_column(grid_.header[i]);
            const bool bare = !backend.scale && !(about_something && !has_values);
            if (bare && has_values) {
                passed_over += (passed_over.empty() ? "" : ", ") + grid_.header[i];
                continue;
            }
            if (bare) in_ms += (in_ms.empty() ? "" : ", ") + grid_.header[i];
            backends_[i] = std::move(backend);
        }
        if (!passed_over.empty()) list_.note(file_ + ": columns that are not read: " + passed_over);
        if (!in_ms.empty()) list_.note(file_ + ": read as times of backends, in ms: " + in_ms);
    }

    void take_row(const GridRow& row) {
        Result base = start_;
        for (std::size_t i = 0; i < columns_.size(); ++i) take_name(row, i, base);
        if (by_domain_ && base.domain == "all") return;  // the mean of the other rows
        if (by_domain_) base.model = base.domain;
        if (base.model.empty()) refuse_line(file_, row.line, "no model");
        parts_.clear();
        for (std::size_t i = 0; i < columns_.size(); ++i) take_value(row, i, base);
        for (auto& part : parts_) {
            list_.add(std::move(part), fmt::format("{}: line {}", file_, row.line));
        }
    }

    void take_name(const GridRow& row, std::size_t i, Result& result) const {
        const Column& column = columns_[i];
        const std::string& text = row.cells[i];
        if (column.kind == Column::Kind::model) result.model = text;
        if (column.kind == Column::Kind::text && text != "-" && !text.empty()) {
            result.*column.text = column.text == &Result::mode ? mode_word(text) : text;
        }
        if (column.kind != Column::Kind::count) return;
        const auto count = parse_count(text);
        const Cell cell = parse_cell(text);
        if (!count && (cell.number || !cell.word.empty())) {
            refuse_line(
                file_, row.line, fmt::format("'{}' is no {}", text.substr(0, 60), grid_.header[i]));
        }
        result.*column.count = count.value_or(0);
    }

    /// The result of this row with another mode, backend or batch.
    Result& part(const Result& base, const std::string& mode, const BackendColumn* backend) {
        Result wanted = base;
        if (!mode.empty()) wanted.mode = mode;
        if (backend != nullptr) wanted.backend = backend->backend;
        if (backend != nullptr && backend->batch > 0) wanted.batch = backend->batch;
        for (auto& known : parts_) {
            if (std::tie(known.mode, known.backend, known.batch) ==
                std::tie(wanted.mode, wanted.backend, wanted.batch)) {
                return known;
            }
        }
        parts_.push_back(std::move(wanted));
        return parts_.back();
    }

    void take_value(const GridRow& row, std::size_t i, const Result& base) {
        const Column& column = columns_[i];
        const Cell cell = parse_cell(row.cells[i]);
        const bool nothing = !cell.number && cell.word.empty();
        if (column.kind == Column::Kind::status) {
            if (!nothing) part(base, "", nullptr).status = row.cells[i];
        } else if (column.kind == Column::Kind::value) {
            Result& result = part(base, column.mode, nullptr);
            if (!nothing) put(row, cell, *column.field, column.scale, result);
        } else if (backends_[i]) {
            Result& result = part(base, "", &*backends_[i]);
            if (nothing) return;
            if (title_.status) {
                result.status = row.cells[i];
            } else {
                const Field field = title_.field.value_or(Field::time_s);
                const double unit = title_.field ? 1 : backends_[i]->scale.value_or(1e-3);
                put(row, cell, field, unit, result);
            }
        }
    }

    /// A word in the place of a number says why there is none: "OOM".
    void put(
        const GridRow& row, const Cell& cell, Field field, double scale, Result& result) const {
        if (!cell.number) {
            if (result.status.empty() || is_passing(result)) result.status = cell.word;
            return;
        }
        const bool share = field >= Field::active;
        double value =
            *cell.number * (share ? (cell.percent || *cell.number > 1 ? 0.01 : 1) : scale);
        if (value < 0) refuse_line(file_, row.line, "a number below 0");
        if (!result.values.emplace(field, value).second)
            refuse_line(file_, row.line, "a number twice");
    }

    const Grid& grid_;
    const std::string& file_;
    ResultList& list_;
    TitleMeaning title_;
    Result start_;
    bool by_domain_ = false;
    std::vector<Column> columns_;
    std::vector<std::optional<BackendColumn>> backends_;
    std::vector<Result> parts_;  // of the row at hand
};

}  // namespace

void read_results(std::string_view text, const std::string& file, ResultList& list) {
    if (text.size() > max_file_bytes) {
        throw Error(Errc::invalid_argument, "reading " + file + ": larger than 64 MiB");
    }
    const std::size_t before = list.results().size();
    wire::check_utf8(text, file);
    switch (kind_of_text(text)) {
        case FileKind::json: read_json_results(text, file, list); break;
        case FileKind::csv:
            GridTaker(read_csv_grid(text, file), file, suite_in_name(file), list).take();
            break;
        case FileKind::markdown:
            for (const auto& grid : read_markdown_grids(text, file)) {
                GridTaker(grid, file, suite_in_name(file), list).take();
            }
            break;
    }
    if (list.results().size() > before) return;
    list.note(file + ": nothing new in it");
}

}  // namespace vigil::tables
