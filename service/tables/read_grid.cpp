#include "service/tables/read_grid.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "schema/model/error.hpp"
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
    GridTaker(
        const Grid& grid,
        const std::string& file,
        const std::string& suite,
        const ColumnNames& names,
        ResultList& list)
        : grid_(grid), file_(file), list_(list), title_(meaning_of(grid.title)) {
        start_.suite = grid.suite.empty() ? suite : grid.suite;
        start_.device = grid.device;
        start_.batch = grid.batch;
        start_.setting = grid.setting;
        for (const auto& header : grid.header) {
            const auto named = names.find(header);
            headers_.push_back(named == names.end() ? header : named->second);
            columns_.push_back(parse_column(headers_.back()));
        }
    }

    void take() {
        if (grid_.header.empty() || is_made_anew(grid_.title)) return;
        const bool models = has(Column::Kind::model) || has(Column::Kind::task_model);
        const bool domains = any([](const Column& one) { return one.text == &Result::domain; });
        const bool shares = any([](const Column& one) { return is_share(one); });
        by_domain_ = !models && domains && shares;
        if (!models && !by_domain_) {
            const std::string first = text::joined(words_of(headers_.front()), " ");
            if (first == "rule" || first == "compiler") return;  // aggregates: they are made anew
            list_.note(fmt::format(
                "{}, line {}: a table without a column 'model' is passed over; --columns "
                "model=HEADER names one",
                file_,
                grid_.line));
            return;
        }
        choose_backends();
        in_percent_ = has_percentages();
        for (const auto& why : grid_.dropped) list_.note(file_ + ": left out: " + why);
        for (const auto& row : grid_.rows) {
            if (row.cells != grid_.header) {
                try_row(row);
                continue;
            }
            list_.note(fmt::format(
                "{}, line {}: the header again where a row could stand; passed over",
                file_,
                row.line));
        }
    }

  private:
    template <class Holds>
    bool any(Holds holds) const {
        return std::any_of(columns_.begin(), columns_.end(), holds);
    }

    bool has(Column::Kind kind) const {
        return any([&](const Column& column) { return column.kind == kind; });
    }

    static bool is_share(const Column& column) {
        return column.field && *column.field >= Field::active;
    }

    bool is_unknown(std::size_t i) const { return columns_[i].kind == Column::Kind::unknown; }

    /// "compile" beside "eager" is a backend as that is, and so is "gpu" beside "cpu".
    void settle_ambiguous() {
        bool bare = false, cpu = false;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!is_unknown(i)) continue;
            bare = bare || !parse_backend_column(headers_[i]).scale;
            cpu = cpu || text::lower_case(headers_[i]) == "cpu";
            has_base_ = has_base_ || is_base_name(headers_[i]);
        }
        const bool other_values = any([](const Column& one) {
            const bool says = one.kind == Column::Kind::value || one.kind == Column::Kind::status;
            return says && !one.ambiguous;
        });
        const bool only_times = has_base_ || (bare && !other_values);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!columns_[i].ambiguous) continue;
            const bool is_count = columns_[i].kind == Column::Kind::count;
            if (is_count ? cpu : only_times) columns_[i] = Column{.ambiguous = true};
        }
    }

    /// Its cells are "1.2x" or "3%": no times.
    bool holds_ratios(std::size_t i) const {
        return std::any_of(grid_.rows.begin(), grid_.rows.end(), [&](const GridRow& row) {
            const Cell cell = parse_cell(row.cells[i]);
            return cell.number && (cell.is_times || cell.percent);
        });
    }

    /// Headers that mean nothing else are names of backends, where there is nothing else to read;
    /// else they are kept by their name.
    void choose_backends() {
        settle_ambiguous();
        const bool about_something = title_.field || title_.status;
        const bool has_values = has(Column::Kind::value) || has(Column::Kind::status);
        std::string in_ms, kept;
        backends_.resize(columns_.size());
        details_.resize(columns_.size());
        const auto add = [](std::string& to, const std::string& name) {
            to += (to.empty() ? "" : ", ") + name;
        };
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!is_unknown(i)) continue;
            auto backend = parse_backend_column(headers_[i]);
            const bool bare = !backend.scale && !(about_something && !has_values);
            const bool named = has_base_ && (columns_[i].ambiguous || is_base_name(headers_[i]));
            if (bare && ((has_values && !named) || holds_ratios(i))) {
                details_[i] = text::joined(words_of(headers_[i]), "_");
                add(kept, headers_[i]);
                continue;
            }
            if (bare) add(in_ms, headers_[i]);
            backends_[i] = std::move(backend);
        }
        if (!in_ms.empty()) list_.note(file_ + ": read as times of backends, in ms: " + in_ms);
        if (!kept.empty()) list_.note(file_ + ": in no table, kept under metrics: " + kept);
        choose_own();
    }

    /// Where one backend is held against the base, what has no backend's name is that one's.
    void choose_own() {
        const BackendColumn* other = nullptr;
        bool base = false;
        for (const auto& one : backends_) {
            if (!one) continue;
            if (is_base_name(one->backend)) {
                base = true;
            } else if (other != nullptr && other->backend != one->backend) {
                return;
            } else {
                other = &*one;
            }
        }
        if (!base || other == nullptr) return;
        own_.emplace();
        own_->backend = other->backend;
    }

    const BackendColumn* own() const { return own_ ? &*own_ : nullptr; }

    /// Some share without a percent sign is above 1, so all of them are percentages.
    bool has_percentages() const {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!is_share(columns_[i])) continue;
            for (const auto& row : grid_.rows) {
                const Cell cell = parse_cell(row.cells[i]);
                if (cell.number && !cell.percent && *cell.number > most_of_a_share) return true;
            }
        }
        return false;
    }

    void try_row(const GridRow& row) {
        try {
            take_row(row);
        } catch (const Error& error) {  // the others are read all the same
            list_.note(fmt::format("left out: {}", error.what()));
        }
    }

    void take_row(const GridRow& row) {
        Result base = start_;
        for (std::size_t i = 0; i < columns_.size(); ++i) take_name(row, i, base);
        if (by_domain_ && base.domain == "all") return;  // the mean of the other rows
        if (by_domain_) base.model = base.domain;
        if (base.model.empty()) refuse_line(file_, row.line, "no model");
        parts_.clear();
        for (std::size_t i = 0; i < columns_.size(); ++i) take_value(row, i, base);
        for (auto& part : parts_) settle_shares(part);
        // A list of models by domain, and nothing more.
        if (parts_.empty() && !base.domain.empty() && !by_domain_)
            parts_.push_back(std::move(base));
        for (auto& part : parts_) {
            list_.add(std::move(part), fmt::format("{}: line {}", file_, row.line));
        }
    }

    /// A row whose shares sum to 1 has no percentages, whatever the others have.
    void settle_shares(Result& part) const {
        if (!in_percent_) return;
        std::vector<double*> shares;
        double sum = 0;
        for (const Field field : {Field::active, Field::movement, Field::idle}) {
            const auto found = part.values.find(field);
            if (found == part.values.end()) continue;
            shares.push_back(&found->second);
            sum += found->second;
        }
        if (shares.size() == 3 && sum <= most_of_a_share) return;
        for (double* share : shares) *share *= percent;
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
                file_, row.line, fmt::format("'{}' is no {}", text.substr(0, 60), headers_[i]));
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
        const bool is_status = column.kind == Column::Kind::status;
        const bool is_value = column.kind == Column::Kind::value;
        const bool is_detail = !details_[i].empty();
        if (is_status && nothing) return;
        if (!is_status && !is_value && !is_detail && !backends_[i]) return;
        // A cell without anything still says that there is such a result.
        const bool named = backends_[i].has_value();
        Result& result = part(base, is_value ? column.mode : "", named ? &*backends_[i] : own());
        if (nothing) return;
        if (is_status || (named && title_.status)) {
            result.status = row.cells[i];
        } else if (is_value) {
            put(row, cell, column, result);
        } else if (named) {
            Column of_title{.field = title_.field.value_or(Field::time_s)};
            if (!title_.field) of_title.scale = backends_[i]->scale.value_or(1e-3);
            put(row, cell, of_title, result);
        } else if (cell.number) {
            result.metrics.emplace(details_[i], *cell.number * (cell.percent ? percent : 1));
        } else {
            result.facts.emplace(details_[i], cell.word.substr(0, max_text_bytes));
        }
    }

    /// A share is 0..1 or in percent. A ratio is 1.12, "112%", or how it differs from 1: "+12%". A
    /// time is no multiple of anything.
    static std::optional<double> value_of(const Cell& cell, const Column& column) {
        const Field field = *column.field;
        const double number = *cell.number;
        if (field >= Field::active) return number * (cell.percent ? percent : 1);
        const bool ratio = field == Field::speedup || field == Field::memory_ratio;
        if (!ratio && (cell.percent || cell.is_times)) return std::nullopt;
        double value = number * column.scale;
        if (cell.percent) value = (cell.is_signed ? 100 + number : number) * percent;
        if (column.inverse) return value > 0 ? std::optional(1 / value) : std::nullopt;
        return value;
    }

    /// A word in the place of a number says why there is none: "OOM".
    void put(const GridRow& row, const Cell& cell, const Column& column, Result& result) const {
        if (!cell.number) {
            if (result.status.empty() || is_passing(result)) result.status = cell.word;
            return;
        }
        const auto value = value_of(cell, column);
        if (!value) refuse_line(file_, row.line, "a ratio or percentage where none can be");
        if (*value < 0) refuse_line(file_, row.line, "a number below 0");
        if (!result.values.emplace(*column.field, *value).second)
            refuse_line(file_, row.line, "a number twice");
    }

    static constexpr double percent = 0.01;
    static constexpr double most_of_a_share = 1.02;  // rounded ones sum to a little more than 1

    const Grid& grid_;
    const std::string& file_;
    ResultList& list_;
    TitleMeaning title_;
    Result start_;
    bool by_domain_ = false;
    bool has_base_ = false;    // a column of times with the base's name
    bool in_percent_ = false;  // shares without a percent sign
    std::optional<BackendColumn> own_;
    std::vector<std::string> headers_;  // with the names that the caller gave them
    std::vector<Column> columns_;
    std::vector<std::optional<BackendColumn>> backends_;
    std::vector<std::string> details_;  // by column: the name that its numbers are kept by
    std::vector<Result> parts_;         // of the row at hand
};

}  // namespace

void take_grid(
    const Grid& grid,
    const std::string& file,
    const std::string& suite,
    const ColumnNames& names,
    ResultList& list) {
    GridTaker(grid, file, suite, names, list).take();
}

}  // namespace vigil::tables
