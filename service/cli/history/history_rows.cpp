#include "service/cli/history/history_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "service/cli/common/option.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t max_series = 100'000;
constexpr std::size_t max_name_bytes = 500;

}  // namespace

void refuse_at(const std::string& file, text::FilePosition at, const std::string& why) {
    refuse(fmt::format("reading {}: line {}, column {}: {}", file, at.line, at.column, why));
}

void HistoryRows::count(std::size_t rows, text::FilePosition at) {
    count_ += rows;
    if (count_ > max_history_rows) {
        refuse_at(file_, at, fmt::format("more than {} values", max_history_rows));
    }
    if (order_.size() > max_series) {
        refuse_at(file_, at, fmt::format("more than {} series", max_series));
    }
}

void HistoryRows::add(const std::string& named, HistoryRow row, text::FilePosition at) {
    std::string series = named;
    const auto first = definitions_.emplace(named, row.definition).first;
    if (first->second != row.definition) {
        series += " (definition " + (row.definition.empty() ? "not given" : row.definition) + ")";
        redefined_ += rows_.contains(series) ? 0 : 1;
    }
    const auto unit = units_.emplace(series, row.unit).first;
    if (unit->second != row.unit) {
        refuse_at(
            file_,
            at,
            "series '" + series + "' has values in '" + unit->second + "' and in '" + row.unit +
                "'");
    }
    if (series.size() > max_name_bytes) {
        refuse_at(file_, at, fmt::format("a series name of more than {} bytes", max_name_bytes));
    }
    if (whole_.contains(series)) {
        refuse_at(file_, at, "series '" + series + "' was given as a whole before");
    }
    if (rows_.empty()) kind_ = row.key.kind;
    if (row.key.kind != kind_) {
        refuse_at(file_, at, "numbers and times are mixed as nights: '" + row.night + "'");
    }
    auto& mine = rows_[series];
    if (mine.empty()) order_.push_back(series);
    mine.push_back(std::move(row));
    count(1, at);
}

void HistoryRows::add(History whole, text::FilePosition at) {
    const std::string name = whole.name;
    if (name.size() > max_name_bytes) {
        refuse_at(file_, at, fmt::format("a series name of more than {} bytes", max_name_bytes));
    }
    const std::size_t values = whole.values.size();
    if (rows_.contains(name) || !whole_.emplace(name, std::move(whole)).second) {
        refuse_at(file_, at, "series '" + name + "' is given twice");
    }
    order_.push_back(name);
    count(values, at);
}

History HistoryRows::history_of(const std::string& name, std::vector<HistoryRow> rows) {
    const auto earlier = [](const HistoryRow& a, const HistoryRow& b) {
        return a.key.value < b.key.value;
    };
    if (!std::is_sorted(rows.begin(), rows.end(), earlier)) {
        ++unsorted_;
        std::stable_sort(rows.begin(), rows.end(), earlier);
    }
    History history;
    history.name = name;
    history.labelled = labelled_;
    for (std::size_t i = 0; i < rows.size();) {
        std::vector<double> measured;
        std::string environment;
        bool label = false;
        std::size_t end = i;
        for (; end < rows.size() && rows[end].key.value == rows[i].key.value; ++end) {
            if (std::isfinite(rows[end].value)) measured.push_back(rows[end].value);
            if (environment.empty()) environment = rows[end].environment;
            label |= rows[end].label;
        }
        merged_ += end - i > 1 ? 1 : 0;
        if (label) history.labels.push_back(history.values.size());
        if (measured.size() > 1) history.samples[history.values.size()] = measured;
        history.nights.push_back(rows[i].night);
        history.values.push_back(stats::median(measured));
        history.environments.push_back(std::move(environment));
        i = end;
    }
    return history;
}

HistoryFile HistoryRows::take() {
    HistoryFile file;
    for (const auto& name : order_) {
        const auto whole = whole_.find(name);
        file.series.push_back(
            whole != whole_.end() ? std::move(whole->second)
                                  : history_of(name, std::move(rows_[name])));
    }
    file.notes = std::move(notes_);
    if (redefined_ > 0) {
        file.notes.push_back(fmt::format(
            "the definition changed {} times within a series: each is a series of its own",
            redefined_));
    }
    if (unsorted_ > 0) {
        file.notes.push_back(
            fmt::format("rows were not in the order of nights in {} series: sorted", unsorted_));
    }
    if (merged_ > 0) {
        file.notes.push_back(
            fmt::format("{} nights have several rows: the median of each counts", merged_));
    }
    return file;
}

}  // namespace vigil::cli
