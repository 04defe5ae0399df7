#pragma once

#include <chrono>
#include <string>

#include "bisect/search/search.hpp"
#include "service/local/story.hpp"
#include "service/local/world.hpp"

namespace vigil::local {

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
