#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "schema/text/csv.hpp"
#include "service/cli/history/history.hpp"
#include "service/cli/history/night_key.hpp"

// Shared by the readers of history files.

namespace vigil::cli {

/// @throws Error{invalid_argument} "reading FILE: line L, column C: why"
[[noreturn]] void refuse_at(const std::string& file, text::FilePosition at, const std::string& why);

/// One measured value.
struct HistoryRow {
    std::string night;
    NightKey key;
    double value = std::numeric_limits<double>::quiet_NaN();
    std::string environment;
    std::string unit;        ///< a name; one a series
    std::string definition;  ///< of the metric; each is a series of its own
    bool label = false;
};

/// Gathers rows by series and makes histories of them.
class HistoryRows {
  public:
    explicit HistoryRows(std::string file) : file_(std::move(file)) {}

    /// @param at  of the night, for messages
    void add(const std::string& series, HistoryRow row, text::FilePosition at);
    void add(History whole, text::FilePosition at);
    void note(const std::string& text) { notes_.push_back(text); }
    void has_labels() { labelled_ = true; }
    HistoryFile take();

  private:
    void count(std::size_t rows, text::FilePosition at);
    History history_of(const std::string& name, std::vector<HistoryRow> rows);

    std::string file_;
    std::vector<std::string> order_;
    std::map<std::string, std::vector<HistoryRow>> rows_;
    std::map<std::string, History> whole_;
    std::map<std::string, std::string> units_;
    std::map<std::string, std::string> definitions_;  ///< of a series' first row
    std::size_t redefined_ = 0;
    std::vector<std::string> notes_;
    NightKey::Kind kind_ = NightKey::Kind::number;
    std::size_t count_ = 0;
    std::size_t merged_ = 0;
    std::size_t unsorted_ = 0;
    bool labelled_ = false;
};

}  // namespace vigil::cli
