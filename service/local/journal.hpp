#pragma once

#include <filesystem>
#include <vector>

#include "service/local/log_entry.hpp"

namespace vigil::local {

/// @throws Error{not_found} when it cannot be read, Error{invalid_argument} when it is no log
std::vector<LogEntry> read_log(const std::filesystem::path& file);

/// Other rules may come to another answer from the same runs.
/// @throws Error{conflict} when a search of this log was begun under others
void check_rules(const Started& start, const std::filesystem::path& log);

/// A log file that is appended to; every append is on the disk before the next thing is done.
class Journal {
  public:
    /// Makes the file when it is missing, and cuts a last line that a kill left unfinished.
    /// @throws Error{unavailable} when it cannot be opened, Error{invalid_argument} when it is no
    ///         log
    explicit Journal(std::filesystem::path file);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// What the file held when it was opened.
    const std::vector<LogEntry>& before() const { return before_; }
    const std::filesystem::path& file() const { return file_; }

    /// @throws Error{unavailable} when it cannot be written (the disk is full)
    void append(const std::vector<LogEntry>& entries);

  private:
    std::filesystem::path file_;
    std::vector<LogEntry> before_;
    int descriptor_ = -1;
    long long length_ = 0;  ///< of whole lines
};

}  // namespace vigil::local
