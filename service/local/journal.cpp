#include "service/local/journal.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <fmt/format.h>

#include "schema/model/error.hpp"

namespace vigil::local {

namespace {

namespace fs = std::filesystem;

std::string whole_text(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in || fs::is_directory(file)) {
        throw Error(Errc::not_found, "reading the log " + file.string() + ": it cannot be opened");
    }
    return {std::istreambuf_iterator<char>(in), {}};
}

[[noreturn]] void fail_log(const std::string& what, const fs::path& file) {
    throw Error(
        Errc::unavailable, what + " the log " + file.string() + ": " + std::strerror(errno));
}

}  // namespace

std::vector<LogEntry> read_log(const fs::path& file) {
    std::size_t whole = 0;
    auto entries = parse_log(whole_text(file), file.string(), whole);
    if (entries.empty() || !std::holds_alternative<Started>(entries.front())) {
        throw Error(
            Errc::invalid_argument,
            "reading the log " + file.string() + ": it does not begin like the log of a search");
    }
    return entries;
}

void check_rules(const Started& start, const fs::path& log) {
    if (start.planner == search::planner_version) return;
    throw Error(
        Errc::conflict,
        fmt::format(
            "going on with the search in {}: it was begun under version {} of the rules, this "
            "vigil has version {}; begin anew with --again (builds are kept)",
            log.string(),
            start.planner,
            search::planner_version));
}

Journal::Journal(fs::path file) : file_(std::move(file)) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (descriptor_ < 0) fail_log("opening", file_);
    try {
        std::size_t whole = 0;
        before_ = parse_log(whole_text(file_), file_.string(), whole);
        length_ = static_cast<long long>(whole);
        if (::ftruncate(descriptor_, length_) != 0) fail_log("cutting", file_);
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

Journal::~Journal() {
    ::close(descriptor_);
}

void Journal::append(const std::vector<LogEntry>& entries) {
    std::string text;
    for (const LogEntry& entry : entries) text += write_entry(entry) + "\n";
    std::size_t written = 0;
    while (written < text.size()) {
        const auto count = ::write(descriptor_, text.data() + written, text.size() - written);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            const int error = errno;
            // Half a line would spoil the next one.
            if (::ftruncate(descriptor_, length_) != 0) errno = error;
            errno = error;
            fail_log("writing", file_);
        }
        written += static_cast<std::size_t>(count);
    }
    if (::fdatasync(descriptor_) != 0) fail_log("writing", file_);
    length_ += static_cast<long long>(text.size());
}

}  // namespace vigil::local
