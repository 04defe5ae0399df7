#include "worker/run/callgrind.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/run_fact_json.hpp"
#include "worker/run/written_files.hpp"

namespace vigil::worker {

namespace fs = std::filesystem;

namespace {

constexpr const char* logs_folder = ".vigil-callgrind";
constexpr std::size_t log_end_bytes = 4096;       // the count is at the end
constexpr std::int64_t most_counted = 1LL << 53;  // doubles hold all whole numbers below
constexpr std::string_view count_words = "Collected :";

/// "==12== Collected : 6123396", the last of such lines.
std::optional<std::int64_t> count_in(std::string_view log) {
    const auto at = log.rfind(count_words);
    if (at == log.npos) return std::nullopt;
    const auto line = log.substr(at + count_words.size());
    const auto digits = text::trimmed(line.substr(0, line.find('\n')));
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    return is_number && count > 0 && count < most_counted ? std::optional(count) : std::nullopt;
}

/// What callgrind wrote of a run.
struct Written {
    std::int64_t sum = 0;
    std::string why_none;  ///< why there is no sum; empty: there is one
    std::string last;      ///< the end of what it said of one process
};

Written read_logs(const fs::path& folder) {
    Written written;
    std::size_t processes = 0;
    std::size_t without = 0;
    const bool is_there = for_each_entry(folder, [&](int opened, const char* name) {
        if (++processes > max_counted_processes) return false;
        const auto log = read_end(opened, name, log_end_bytes);
        const auto count = count_in(log.value_or(""));
        if (log) written.last = *log;
        without += !count;
        written.sum = std::min(written.sum + count.value_or(0), most_counted);
        return true;
    });
    if (!is_there) {
        written.why_none = "the run removed what callgrind wrote";
        return written;
    }
    if (processes > max_counted_processes) {
        written.why_none = fmt::format("it had more than {} processes", max_counted_processes);
    } else if (processes == 0) {
        written.why_none = "callgrind wrote nothing";
    } else if (without > 0) {
        written.why_none = fmt::format(
            "callgrind gave no count for {} of {}: who is killed by SIGKILL is not counted",
            without,
            text::counted(static_cast<std::int64_t>(processes), "process", "processes"));
    } else if (written.sum >= most_counted) {
        written.why_none = "callgrind's count is too large to be one";
    }
    return written;
}

}  // namespace

fs::path find_valgrind(const fs::path& root) {
    for (const char* folder : {"usr/local/bin", "usr/bin"}) {
        const auto program = fs::path(folder) / "valgrind";
        if (::access((root / program).c_str(), X_OK) == 0) return "/" / program;
    }
    return {};
}

std::string why_no_callgrind() {
    return find_valgrind().empty() ? "valgrind is not installed: apt-get install valgrind" : "";
}

void check_valgrind() {
    if (const auto why = why_no_callgrind(); !why.empty()) {
        throw Error(Errc::unavailable, "counting by callgrind: " + why);
    }
}

Command counted_command(
    const Command& command, const std::string& log, const std::string& out, const Command& more) {
    Command counted{
        find_valgrind().string(),
        "--command-line-only=yes",
        "--tool=callgrind",
        "--trace-children=yes",
        "--vgdb=no",
        "--callgrind-out-file=" + out,
        "--log-file=" + log};
    counted.insert(counted.end(), more.begin(), more.end());
    counted.insert(counted.end(), command.begin(), command.end());
    return counted;
}

RunReport run_by_callgrind(Runner& runner, const RunRequest& request) {
    check_valgrind();
    const auto shown = make_folder(runner, request, logs_folder);
    auto counted = request;
    counted.command = counted_command(request.command, (shown / "%p").string(), "/dev/null");
    auto report = runner.run(counted);
    const auto written = read_logs(request.scratch / logs_folder);
    if (written.why_none.empty()) {
        report.counted = written.sum;
    } else {
        report.facts.push_back({.name = wire::not_counted, .text = written.why_none});
    }
    if (report.end == RunEnd::signalled) report.errors.insert(0, written.last);
    return report;
}

}  // namespace vigil::worker
