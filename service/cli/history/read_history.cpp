#include "service/cli/history/read_history.hpp"

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/history/csv.hpp"
#include "service/cli/history/json_lines.hpp"

namespace vigil::cli {

namespace {

[[noreturn]] void refuse_history(const std::string& why) {
    throw Error(Errc::invalid_argument, why);
}

}  // namespace

const char* const history_help =
    "FILE, or - for standard input, is a CSV with a header, or JSON lines, one row or one series "
    "a\n"
    "line. Columns or keys, in any order:\n"
    "  night        a number, a day (2026-11-21) or a time (2026-11-21T04:05Z); or `timestamp`\n"
    "  value        a number; empty, nan or null: not measured that night\n"
    "  series       whose value it is; without it there is one series\n"
    "  environment  machine or toolchain; another one starts a new level without a change\n"
    "  unit         a name; a series has one\n"
    "  definition   of the metric; what is measured in another way is a series of its own\n"
    "  label        for backtest: 1 on the night on which something truly got worse, else 0\n"
    "A whole series a line: {\"series\":\"mlp\",\"values\":[1.5,null,1.6],\"nights\":[...],\n"
    "\"environments\":[...],\"labels\":[2],\"direction\":\"lower_is_better\",\"start\":30,\n"
    "\"samples\":[[1.4,1.6],[],[1.6]]}; all but `values` can be left out, labels are positions\n"
    "from 0. `vigil history` exports such lines from the daemon.\n"
    "Rows of one night of a series become their median.\n"
    "Or it is what Google Benchmark (--benchmark_out_format=json) or hyperfine (--export-json)\n"
    "wrote: one file a night, several FILEs. Every benchmark is a series, repetitions are its\n"
    "samples; nights have the files' own dates (Google Benchmark's), else the files' order.\n";

HistoryFile read_history(std::string_view text, const std::string& name) {
    if (text.size() > max_history_bytes) {
        refuse_history(fmt::format(
            "reading {}: {} bytes, at most {} are read", name, text.size(), max_history_bytes));
    }
    wire::check_utf8(text, name);
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) refuse_history("reading " + name + ": it is empty");
    HistoryRows rows(name);
    if (text[first] == '{') {
        read_json_lines(text, name, rows);
    } else {
        read_csv(text, name, rows);
    }
    HistoryFile file = rows.take();
    if (file.series.empty()) refuse_history("reading " + name + ": it has a header and no rows");
    return file;
}

}  // namespace vigil::cli
