#include "service/tables/read_grid.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "schema/text/characters.hpp"
#include "schema/text/nearest.hpp"
#include "service/tables/cell.hpp"
#include "service/tables/column.hpp"

namespace vigil::tables {

namespace {

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

/// Our own tables of what stands in another one.
bool is_made_anew(const std::string& title) {
    const std::string words = text::joined(words_of(title), " ");
    return words.find("time by device") != words.npos ||
           words.find("time by version") != words.npos ||
           words.find("time by setting") != words.npos;
}

/// Puts a table's rows into the list.
class GridTaker {
  public:
    GridTaker(const Grid& grid, const std::string& file, const std::string& suite, ResultList& list)
        : grid_(grid), file_(file), list_(list), title_(meaning_of(grid.title)) {
        start_.suite = grid.suite.empty() ? suite : grid.suite;
        start_.device = grid.device;
        start_.batch = grid.batch;
        start_.setting = grid.setting;
        for (const auto& header : grid.header) columns_.push_back(parse_column(header));
    }

    void take() {
        if (grid_.header.empty() || is_made_anew(grid_.title)) return;
        const bool models = has(Column::Kind::model) || has(Column::Kind::task_model);
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
        for (const auto& row : grid_.rows) {
            if (row.cells != grid_.header) {
                take_row(row);
                continue;
            }
            list_.note(fmt::format(
                "{}, line {}: the header again where a row could stand; passed over",
                file_,
                row.line));
        }
    }

  private:
    bool has(Column::Kind kind) const {
        return std::any_of(columns_.begin(), columns_.end(), [&](const Column& column) {
            return column.kind == kind;
        });
    }

    /// Headers that mean nothing else are names of backends, where there is nothing else to read;
    /// else they are kept by their name.
    void choose_backends() {
        const bool about_something = title_.field || title_.status;
        const bool has_values = has(Column::Kind::value) || has(Column::Kind::status);
        std::string in_ms;
        backends_.resize(columns_.size());
        details_.resize(columns_.size());
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].kind != Column::Kind::unknown) continue;
            auto backend = parse_backend_column(grid_.header[i]);
            const bool bare = !backend.scale && !(about_something && !has_values);
            if (bare && has_values) {
                details_[i] = text::joined(words_of(grid_.header[i]), "_");
                continue;
            }
            if (bare) in_ms += (in_ms.empty() ? "" : ", ") + grid_.header[i];
            backends_[i] = std::move(backend);
        }
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
        if (column.kind == Column::Kind::task_model) {
            const auto slash = text.find('/');
            if (slash != text.npos) result.domain = text.substr(0, slash);
            result.model = text.substr(slash == text.npos ? 0 : slash + 1);
        }
        if (column.kind == Column::Kind::text && text != "-" && !text.empty()) {
            result.*column.text = column.text == &Result::mode ? mode_word(text) : text;
        }
        if (column.kind != Column::Kind::count) return;
        if (column.count == &Result::batch && text::lower_case(text) == "unbatched") {
            result.batch = unbatched;
            return;
        }
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
        if (backend != nullptr && !backend->version.empty()) wanted.version = backend->version;
        if (backend != nullptr && backend->batch > 0) wanted.batch = backend->batch;
        for (auto& known : parts_) {
            if (std::tie(known.mode, known.backend, known.version, known.batch) ==
                std::tie(wanted.mode, wanted.backend, wanted.version, wanted.batch)) {
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
        } else if (!details_[i].empty()) {
            Result& result = part(base, "", nullptr);
            if (cell.number) {
                result.metrics.emplace(details_[i], *cell.number * (cell.percent ? 0.01 : 1));
            } else if (!nothing) {
                result.facts.emplace(details_[i], cell.word.substr(0, max_text_bytes));
            }
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

    /// A share is 0..1 or in percent. A ratio is 1.12, "112%", or how it differs from 1: "+12%".
    static std::optional<double> value_of(const Cell& cell, Field field, double scale) {
        const double number = *cell.number;
        if (field >= Field::active) return number * (cell.percent || number > 1 ? 0.01 : 1);
        if (!cell.percent) return number * scale;
        if (field != Field::speedup && field != Field::memory_ratio) return std::nullopt;
        return cell.is_signed ? 1 + number / 100 : number / 100;
    }

    /// A word in the place of a number says why there is none: "OOM".
    void put(
        const GridRow& row, const Cell& cell, Field field, double scale, Result& result) const {
        if (!cell.number) {
            if (result.status.empty() || is_passing(result)) result.status = cell.word;
            return;
        }
        const auto value = value_of(cell, field, scale);
        if (!value) refuse_line(file_, row.line, "a percentage where none can be");
        if (*value < 0) refuse_line(file_, row.line, "a number below 0");
        if (!result.values.emplace(field, *value).second)
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
    std::vector<std::string> details_;  // by column: the name that its numbers are kept by
    std::vector<Result> parts_;         // of the row at hand
};

}  // namespace

void take_grid(
    const Grid& grid, const std::string& file, const std::string& suite, ResultList& list) {
    GridTaker(grid, file, suite, list).take();
}

}  // namespace vigil::tables
