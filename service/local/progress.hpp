#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bisect/search/search.hpp"
#include "service/local/builds/world.hpp"
#include "service/local/story.hpp"

namespace vigil::local {

/// Blocks of eight heights, one column for each stretch of the values; the highest is full.
std::string bars(const std::vector<double>& values, std::size_t width);

/// One column for each stretch of suspects: left out, possible, likely, measured or broken.
std::string range_bar(const Story& story, const search::Decision& decision, std::size_t width);

/// How many suspects hold the change with 95 %; or what is verified, once only further changes are
/// looked for.
std::string range_text(const Story& story, const search::Decision& decision);

/// Which commits are being measured, which runs of the probe they are, and why.
/// @param group  positions in the probe's commits, those that are run at once
std::string measuring_text(const Story& story, int probe, const std::vector<int>& group);

/// How long the search is likely to take still, seconds; 0: not known yet. A guess: one probe for
/// each bit that is missing, and the verification.
double seconds_left(const Story& story, const search::Decision& decision);

/// What is on a terminal while a search runs, each line at most `width` characters.
/// @param now      what is being done
/// @param elapsed  seconds since this program began
std::vector<std::string> progress_lines(
    const Story& story,
    const search::Decision& decision,
    const std::string& now,
    double elapsed,
    std::size_t width);

/// An event as one line, "" for those that nobody waits for.
std::string event_line(const Story& story, const LogEntry& entry);

/// Shows a search while it runs: on a terminal a few lines that are drawn over, elsewhere a line
/// for each event.
class Display {
  public:
    explicit Display(const World& world);

    void note(const std::string& line);
    void event(const Story& story, const LogEntry& entry);
    /// What is being done now.
    void now(const Story& story, const search::Decision& decision, const std::string& text);
    /// Leaves the terminal clean for what follows.
    void end();

  private:
    void erase();

    const World& world_;
    std::chrono::steady_clock::time_point begin_;
    std::size_t drawn_ = 0;  ///< lines on the terminal that are ours
};

}  // namespace vigil::local
