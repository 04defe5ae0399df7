#include "service/local/display.hpp"

#include "service/local/progress.hpp"

namespace vigil::local {

Display::Display(const World& world) : world_(world), begin_(std::chrono::steady_clock::now()) {}

void Display::erase() {
    for (; drawn_ > 0; --drawn_) *world_.out << "\x1b[1A\x1b[2K";
}

void Display::note(const std::string& line) {
    if (world_.quiet) return;
    erase();
    *world_.out << line << "\n" << std::flush;
}

void Display::event(const Story& story, const LogEntry& entry) {
    if (world_.quiet || world_.terminal) return;
    const std::string line = event_line(story, entry);
    if (!line.empty()) *world_.out << line << "\n" << std::flush;
}

void Display::now(const Story& story, const search::Decision& decision, const std::string& text) {
    if (world_.quiet || !world_.terminal) return;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    const auto lines = progress_lines(story, decision, text, elapsed.count(), world_.width);
    erase();
    for (const auto& line : lines) *world_.out << line << "\n";
    *world_.out << std::flush;
    drawn_ = lines.size();
}

void Display::end() {
    if (world_.quiet) return;
    erase();
    *world_.out << std::flush;
}

}  // namespace vigil::local
