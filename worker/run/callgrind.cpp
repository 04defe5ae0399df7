#include "worker/run/callgrind.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/run_fact_json.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr const char* logs_folder = ".vigil-callgrind";
constexpr std::size_t log_end_bytes = 4096;       // the count is at the end
constexpr std::int64_t most_counted = 1LL << 53;  // doubles hold all whole numbers below
constexpr std::string_view count_words = "Collected :";

/// As valgrind's options, with nothing that files or variables of the run could change.
Command counted_command(const Command& command, const fs::path& logs) {
    Command counted{
        find_valgrind().string(),
        "--command-line-only=yes",
        "--tool=callgrind",
        "--trace-children=yes",
        "--vgdb=no",
        "--callgrind-out-file=/dev/null",
        "--log-file=" + (logs / "%p").string()};
    counted.insert(counted.end(), command.begin(), command.end());
    return counted;
}

/// The end of a file that is one; a link, a pipe or what cannot be read is none.
std::optional<std::string> end_of_file(int folder, const char* name) {
    const int file = ::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    struct stat status {};
    std::optional<std::string> end;
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        std::array<char, log_end_bytes> bytes{};
        const auto from = std::max<off_t>(status.st_size - off_t{log_end_bytes}, 0);
        const auto got = ::pread(file, bytes.data(), bytes.size(), from);
        if (got >= 0) end.emplace(bytes.data(), static_cast<std::size_t>(got));
    }
    ::close(file);
    return end;
}

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
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* entries = opened < 0 ? nullptr : ::fdopendir(opened);
    if (entries == nullptr) {
        if (opened >= 0) ::close(opened);
        written.why_none = "the run removed what callgrind wrote";
        return written;
    }
    std::size_t processes = 0;
    std::size_t without = 0;
    while (const auto* entry = ::readdir(entries)) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (++processes > max_counted_processes) break;
        const auto log = end_of_file(opened, entry->d_name);
        const auto count = count_in(log.value_or(""));
        if (log) written.last = *log;
        without += !count;
        written.sum = std::min(written.sum + count.value_or(0), most_counted);
    }
    ::closedir(entries);
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

RunReport run_by_callgrind(Runner& runner, const RunRequest& request) {
    if (const auto why = why_no_callgrind(); !why.empty()) {
        throw Error(Errc::unavailable, "counting by callgrind: " + why);
    }
    const auto logs = request.scratch / logs_folder;
    std::error_code error;
    fs::create_directory(logs, error);
    if (error) {
        throw Error(
            Errc::unavailable, "making " + logs.string() + " for callgrind: " + error.message());
    }
    auto counted = request;
    const auto shown = runner.sandboxed() ? fs::path(scratch_path) : request.scratch;
    counted.command = counted_command(request.command, shown / logs_folder);
    auto report = runner.run(counted);
    const auto written = read_logs(logs);
    if (written.why_none.empty()) {
        report.counted = written.sum;
    } else {
        report.facts.push_back({.name = wire::not_counted, .text = written.why_none});
    }
    if (report.end == RunEnd::signalled) report.errors.insert(0, written.last);
    return report;
}

}  // namespace vigil::worker
