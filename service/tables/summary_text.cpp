#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/numbers.hpp"
#include "service/tables/summary.hpp"
#include "service/tables/ways.hpp"

namespace vigil::tables {

namespace {

std::string cell_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    }
    return out;
}

/// A table of GitHub's Markdown, its columns padded so that it reads well as plain text too: the
/// first one to the left, the others to the right.
class MarkdownTable {
  public:
    explicit MarkdownTable(std::vector<std::string> headers) { add(std::move(headers)); }

    /// @param cells  as many as headers; bars are escaped, line ends become spaces
    void add(std::vector<std::string> cells) {
        VIGIL_ASSERT(rows_.empty() || cells.size() == rows_.front().size());
        for (auto& cell : cells) cell = cell_text(cell);
        rows_.push_back(std::move(cells));
    }

    std::string text() const {
        std::vector<std::size_t> widths(rows_.front().size(), 4);
        for (const auto& row : rows_) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                widths[i] = std::max(widths[i], text::columns(row[i]));
            }
        }
        std::string out;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            out += "|";
            for (std::size_t i = 0; i < widths.size(); ++i) {
                const std::string& cell = rows_[r][i];
                const std::string room(widths[i] - text::columns(cell), ' ');
                out += " " + (i == 0 ? cell + room : room + cell) + " |";
            }
            out += "\n";
            if (r > 0) continue;
            out += "|";
            for (std::size_t i = 0; i < widths.size(); ++i) {
                const std::string dashes(widths[i] - 1, '-');
                out += i == 0 ? " -" + dashes + " |" : " " + dashes + ": |";
            }
            out += "\n";
        }
        return out;
    }

  private:
    std::vector<std::vector<std::string>> rows_;  // the header first
};

/// As text::rounded(); a value that is not finite is "-".
std::string rounded(double value, int decimals) {
    return std::isfinite(value) ? text::rounded(value, decimals) : "-";
}

/// "91%, 49/54": the percentage is rounded half up from the two counts.
std::string rate_words(std::size_t part, std::size_t whole) {
    if (whole == 0) return "-";
    return fmt::format("{}%, {}/{}", (200 * part + whole) / (2 * whole), part, whole);
}

/// "## torchbench suite: time by batch", or "## Time by batch" where no suite is said.
std::string suite_heading(const std::string& suite, const std::string& about) {
    if (!suite.empty()) return "## " + suite + " suite: " + about + "\n\n";
    std::string heading = about;
    heading.front() = static_cast<char>(heading.front() - 'a' + 'A');
    return "## " + heading + "\n\n";
}

std::string number_words(std::optional<double> value, int decimals, const char* unit) {
    return value ? rounded(*value, decimals) + unit : "-";
}

std::string left_out_words(const std::vector<LeftOut>& left_out) {
    std::string words;
    for (const auto& one : left_out) {
        words += (words.empty() ? "" : ", ") + one.model + " (" + one.why + ")";
    }
    return words;
}

std::string left_out_clause(const std::vector<LeftOut>& left_out) {
    return left_out.empty() ? "" : "; left out: " + left_out_words(left_out);
}

using HeadlineWords = std::function<std::string(const Headline&)>;

/// One of the four tables; rules that say the same share a row.
std::string headline_table(const Summary& summary, const HeadlineWords& words) {
    std::vector<std::string> headers{"Rule"};
    for (const auto& suite : summary.dashboard) headers.push_back(suite.label);
    MarkdownTable table(headers);
    std::vector<std::vector<std::string>> rows;
    bool any = false;
    for (std::size_t i = 0; i < summary.dashboard.front().headlines.size(); ++i) {
        std::vector<std::string> row{
            std::string(to_string(summary.dashboard.front().headlines[i].rule))};
        for (const auto& suite : summary.dashboard) {
            row.push_back(words(suite.headlines[i]));
            any = any || row.back() != "-";
        }
        bool same = false;
        for (auto& known : rows) {
            same = std::equal(row.begin() + 1, row.end(), known.begin() + 1);
            if (same) known.front() += ", " + row.front();
            if (same) break;
        }
        if (!same) rows.push_back(row);
    }
    if (!any) return "No result has a number for this.\n";
    for (auto& row : rows) table.add(row);
    return table.text();
}

std::string headlines_text(const Summary& summary) {
    const auto section = [&](const char* title, const HeadlineWords& words) {
        return fmt::format("## {}\n\n{}\n", title, headline_table(summary, words));
    };
    return section(
               "Pass rate",
               [](const Headline& line) { return rate_words(line.passing, line.total); }) +
           section(
               "Geometric mean speedup",
               [](const Headline& line) { return number_words(line.speedup.value, 2, "x"); }) +
           section(
               "Mean compile time, s",
               [](const Headline& line) { return number_words(line.compile_s.value, 2, ""); }) +
           section("Peak memory ratio", [](const Headline& line) {
               return number_words(line.memory_ratio.value, 2, "x");
           });
}

/// Whom the aggregates of a suite leave out; those that leave out the same share a line.
std::string left_out_lines(const DashboardSuite& suite) {
    struct Said {
        std::string models;
        std::string by;
        std::size_t aggregates = 0;
    };
    std::vector<Said> said;
    std::size_t aggregates = 0;
    for (const auto& line : suite.headlines) {
        for (const auto& [name, aggregate] :
             {std::pair{"speedup", &line.speedup},
              std::pair{"compile time", &line.compile_s},
              std::pair{"memory ratio", &line.memory_ratio}}) {
            if (!aggregate->value) continue;
            ++aggregates;
            if (aggregate->left_out.empty()) continue;
            const auto words = left_out_words(aggregate->left_out);
            auto known = std::find_if(
                said.begin(), said.end(), [&](const Said& one) { return one.models == words; });
            if (known == said.end()) known = said.insert(known, Said{words, "", 0});
            known->by +=
                (known->by.empty() ? "" : ", ") + fmt::format("{} {}", to_string(line.rule), name);
            ++known->aggregates;
        }
    }
    std::string lines;
    for (const auto& one : said) {
        const bool all = one.aggregates == aggregates;
        lines += fmt::format(
            "- {}, {}: {}\n", suite.label, all ? "everywhere" : "by " + one.by, one.models);
    }
    return lines;
}

std::string left_out_text(const Summary& summary) {
    std::string lines;
    for (const auto& suite : summary.dashboard) lines += left_out_lines(suite);
    return lines.empty() ? "" : "## Left out\n\n" + lines + "\n";
}

std::string batch_words(std::int64_t batch) {
    return batch > 0 ? std::to_string(batch) : "-";
}

std::string status_words(const Result& result) {
    if (is_oom(result.status) && result.status.size() <= 3) return "OOM";
    return result.status.empty() ? "-" : result.status;
}

std::string models_text(const DashboardSuite& suite) {
    std::vector<const Result*> results;
    for (const auto& row : suite.rows) results.push_back(&row);
    const WayColumns ways(results, {});
    std::vector<std::string> headers{"Model"};
    ways.add_headers(headers);
    for (const char* header : {"Batch", "Speedup", "Accuracy", "Compile, s", "Memory ratio"}) {
        headers.push_back(header);
    }
    MarkdownTable table(headers);
    for (const auto& row : suite.rows) {
        std::vector<std::string> cells{row.model};
        ways.add_cells(row, cells);
        cells.push_back(batch_words(row.batch));
        cells.push_back(number_words(row.get(Field::speedup), 4, "x"));
        cells.push_back(status_words(row));
        cells.push_back(number_words(row.get(Field::compile_s), 4, ""));
        cells.push_back(number_words(row.get(Field::memory_ratio), 4, "x"));
        table.add(cells);
    }
    return suite_heading(suite.rows.front().suite, "models") + table.text() + "\n";
}

std::string time_words(const Result* result) {
    if (result == nullptr) return "-";
    if (!result->status.empty() && !is_passing(*result)) return status_words(*result);
    const auto time_s = result->get(Field::time_s);
    return time_s ? rounded(1000 * *time_s, 3) : "-";
}

std::string gain_words(const Result* base, const Result* other) {
    const bool both = base != nullptr && other != nullptr &&
                      base->get(Field::time_s).value_or(0) > 0 &&
                      other->get(Field::time_s).value_or(0) > 0;
    if (!both || is_oom(base->status) || is_oom(other->status)) return "-";
    return rounded(*base->get(Field::time_s) / *other->get(Field::time_s), 2) + "x";
}

const Result* any_of_row(const BatchRow& row) {
    return *std::find_if(
        row.backends.begin(), row.backends.end(), [](const Result* one) { return one != nullptr; });
}

std::string batches_text(const BatchTable& batches, Detail detail) {
    const auto name_of = [](const std::string& backend) {
        return backend.empty() ? "time" : backend;
    };
    std::vector<const Result*> shown;
    for (const auto& row : batches.rows) shown.push_back(any_of_row(row));
    const WayColumns ways(shown, {Part::backend});
    std::vector<std::string> headers{"Model"};
    ways.add_headers(headers);
    headers.push_back("Batch");
    for (const auto& backend : batches.backends) headers.push_back(name_of(backend) + ", ms");
    for (const auto& gain : batches.gains) {
        headers.push_back(name_of(batches.backends.front()) + " / " + name_of(gain.backend));
    }
    MarkdownTable table(headers);
    for (const auto& row : batches.rows) {
        std::vector<std::string> cells{row.model};
        ways.add_cells(*any_of_row(row), cells);
        cells.push_back(batch_words(row.batch));
        for (const auto* result : row.backends) cells.push_back(time_words(result));
        for (std::size_t i = 0; i < batches.gains.size(); ++i) {
            cells.push_back(gain_words(row.backends.front(), row.backends[i + 1]));
        }
        table.add(cells);
    }
    const bool rows = detail == Detail::models || batches.gains.empty();
    std::string text =
        suite_heading(shown.front()->suite, "time by batch") + (rows ? table.text() + "\n" : "");
    for (const auto& gain : batches.gains) {
        text += fmt::format(
            "{} / {}: {} (paired_v1, geometric mean of {}){}\n\n",
            name_of(batches.backends.front()),
            name_of(gain.backend),
            number_words(gain.speedup.value, 2, "x"),
            gain.speedup.count,
            left_out_clause(gain.speedup.left_out));
    }
    return text;
}

std::string percent_words(std::optional<double> ratio) {
    return ratio ? rounded(100 * *ratio, 1) + "%" : "-";
}

std::string scaling_text(const ScalingTable& scaling, Detail detail) {
    std::vector<const Result*> results;
    for (const auto& row : scaling.rows) results.push_back(row.result);
    const WayColumns ways(results, {scaling.part});
    std::vector<std::string> headers{"Model"};
    ways.add_headers(headers);
    for (const auto& header :
         {std::string("Batch"),
          scaling.workers,
          std::string("Throughput, 1/s"),
          std::string("Scaling factor"),
          std::string("Parallel efficiency")}) {
        headers.push_back(header);
    }
    MarkdownTable table(headers);
    for (const auto& row : scaling.rows) {
        std::vector<std::string> cells{row.result->model};
        ways.add_cells(*row.result, cells);
        cells.push_back(batch_words(row.result->batch));
        cells.push_back(std::to_string(row.workers));
        cells.push_back(rounded(row.throughput_per_s, 2));
        cells.push_back(number_words(row.factor, 3, ""));
        cells.push_back(percent_words(row.efficiency));
        table.add(cells);
    }
    const bool rows = detail == Detail::models || scaling.means.empty();
    std::string text = suite_heading(results.front()->suite, "throughput and scaling") +
                       (rows ? table.text() + "\n" : "");
    for (const auto& mean : scaling.means) {
        text += fmt::format(
            "{} {}: scaling factor {}, parallel efficiency {} (paired_v1, arithmetic mean of "
            "{}){}\n\n",
            mean.workers,
            scaling.workers,
            number_words(mean.factor.value, 3, ""),
            percent_words(mean.efficiency.value),
            mean.factor.count,
            left_out_clause(mean.factor.left_out));
    }
    return text;
}

std::string breakdown_text(const Breakdown& breakdown) {
    std::vector<std::string> headers{"Domain"};
    for (const auto& mode : breakdown.modes) {
        const std::string before = mode.empty() ? "" : mode + " ";
        for (const char* share : {"active", "data movement", "idle", "models"}) {
            headers.push_back(before + share);
        }
    }
    MarkdownTable table(headers);
    for (const auto& row : breakdown.rows) {
        std::vector<std::string> cells{row.domain};
        for (const auto& mode : breakdown.modes) {
            const auto found = row.modes.find(mode);
            if (found == row.modes.end()) {
                cells.insert(cells.end(), 4, "-");
                continue;
            }
            const Shares& shares = found->second;
            cells.push_back(percent_words(shares.active));
            cells.push_back(percent_words(shares.movement));
            cells.push_back(percent_words(shares.idle));
            cells.push_back(std::to_string(shares.models));
        }
        table.add(cells);
    }
    return fmt::format(
        "## Time on the GPU by domain\n\n{}\nArithmetic means of the models' shares "
        "(paired_v1){}\n\n",
        table.text(),
        left_out_clause(breakdown.left_out));
}

}  // namespace

std::string summary_text(const Summary& summary, Detail detail) {
    std::string text;
    if (!summary.dashboard.empty()) {
        text += headlines_text(summary) + left_out_text(summary);
        for (const auto& suite : summary.dashboard) {
            if (detail == Detail::models) text += models_text(suite);
        }
    }
    for (const auto& batches : summary.batches) text += batches_text(batches, detail);
    for (const auto& scaling : summary.scaling) text += scaling_text(scaling, detail);
    if (!summary.breakdown.rows.empty()) text += breakdown_text(summary.breakdown);
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

}  // namespace vigil::tables
