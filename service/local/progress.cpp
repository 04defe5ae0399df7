#include "service/local/progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "service/local/answer.hpp"
#include "service/local/explained.hpp"

namespace vigil::local {

namespace {

constexpr std::size_t least_width = 30;
constexpr std::size_t most_bar_width = 100;
constexpr std::array<const char*, 9> heights{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// The first value of column `column` of `width` over `count` values.
std::size_t first_of(std::size_t column, std::size_t width, std::size_t count) {
    return column * count / width;
}

const std::vector<double>& posterior_of(const search::Decision& decision) {
    static const std::vector<double> none;
    return decision.posterior.empty() ? none : decision.posterior.front();
}

double bits_missing(const std::vector<double>& posterior) {
    double total = 0;
    for (const double p : posterior) total += p;
    double bits = 0;
    for (const double p : posterior) {
        if (p > 0 && total > 0) bits -= p / total * std::log2(p / total);
    }
    return bits;
}

/// Another commit with the product of this one: nothing of it needs to be measured.
std::optional<int> same_product_as(const Story& story, int commit) {
    const auto& mine = story.commit(commit).product;
    for (int other = 0; !mine.empty() && other <= story.last(); ++other) {
        if (other != commit && story.commit(other).product == mine) return other;
    }
    return std::nullopt;
}

}  // namespace

std::string bars(const std::vector<double>& values, std::size_t width) {
    const std::size_t columns_used = std::min(width, values.size());
    std::vector<double> sums(columns_used, 0);
    for (std::size_t i = 0; i < columns_used; ++i) {
        const auto end = first_of(i + 1, columns_used, values.size());
        for (auto k = first_of(i, columns_used, values.size()); k < end; ++k) sums[i] += values[k];
    }
    const double highest = sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
    std::string text;
    for (const double sum : sums) {
        const double share = highest > 0 ? sum / highest : 0;
        // What is possible at all is seen.
        const auto height = share <= 1e-4 ? 0L : std::max(1L, std::lround(8 * share));
        text += heights[static_cast<std::size_t>(std::min(height, 8L))];
    }
    return text;
}

std::string range_bar(const Story& story, const search::Decision& decision, std::size_t width) {
    const auto count = static_cast<std::size_t>(story.last());
    const auto set = search::credible_set(posterior_of(decision));
    const std::size_t columns_used = std::min(width, count);
    std::string text;
    for (std::size_t i = 0; i < columns_used; ++i) {
        bool possible = false, measured = false, broken = false;
        const auto end = first_of(i + 1, columns_used, count);
        for (auto k = first_of(i, columns_used, count); k < end; ++k) {
            const int commit = static_cast<int>(k) + 1;
            possible |= std::binary_search(set.begin(), set.end(), commit);
            measured |= !story.commit(commit).values.empty();
            broken |= does_not_build(story.commit(commit));
        }
        text += broken ? "x" : possible ? (measured ? "▓" : "█") : measured ? "|" : "·";
    }
    return text;
}

std::string range_text(const Story& story, const search::Decision& decision) {
    const std::string verified = verified_text(story, decision);
    if (!verified.empty()) return verified + ", looking for further changes";
    const auto set = search::credible_set(posterior_of(decision));
    if (set.empty()) return fmt::format("{} suspects", story.last());
    return fmt::format("{} of {} suspects left", set.size(), story.last());
}

std::string measuring_text(const Story& story, int probe, const std::vector<int>& group) {
    const auto& request = story.probe(probe).request;
    std::string text = "measuring";
    for (const int position : group) {
        const int commit = request.commits[static_cast<std::size_t>(position)];
        text += " " + story.revision(commit).brief();
    }
    return fmt::format(
        "{}{} ({} of {}): {}",
        text,
        group.size() > 1 ? " at once" : "",
        group.back() + 1,
        request.commits.size(),
        request.why);
}

double seconds_left(const Story& story, const search::Decision& decision) {
    if (story.runs() == 0 || decision.posterior.empty()) return 0;
    // Of a hunt for further changes nobody knows how long it takes, only how long it may.
    if (!decision.verified.empty()) return 0;
    const double probes = bits_missing(posterior_of(decision));
    const double runs_each =
        static_cast<double>(story.runs()) / static_cast<double>(story.probes().size());
    const double verification = 8 * story.run_seconds() + story.build_seconds();
    return probes * (story.build_seconds() + runs_each * story.run_seconds()) + verification;
}

std::vector<std::string> progress_lines(
    const Story& story,
    const search::Decision& decision,
    const std::string& now,
    double elapsed,
    std::size_t width) {
    const std::size_t used = std::max(width, least_width);
    const std::size_t bar = std::min(used - 14, most_bar_width);
    const double left = seconds_left(story, decision);
    std::vector<std::string> lines{
        "range        " + range_bar(story, decision, bar),
        "probability  " + bars(posterior_of(decision), bar),
        fmt::format(
            "{}; {} runs, {} builds{}; {} elapsed{}",
            range_text(story, decision),
            story.runs(),
            story.builds(),
            story.builds_failed() > 0 ? fmt::format(" ({} failed)", story.builds_failed()) : "",
            text::short_duration(elapsed),
            left > 0 ? ", about " + text::short_duration(left) + " to go" : ""),
        now};
    for (auto& line : lines) line = text::fitted(line, used);
    return lines;
}

std::string event_line(const Story& story, const LogEntry& entry) {
    const auto commit_text = [&](int commit) { return story.revision(commit).brief(); };
    if (const auto* asked = std::get_if<ProbeRequested>(&entry)) {
        return fmt::format("probe {}: {}", asked->number, asked->request.why);
    }
    if (const auto* build = std::get_if<BuildEnded>(&entry)) {
        const std::string which = commit_text(build->commit);
        if (!build->built)
            return "  " + which + ": the build failed: " + text::one_line(build->message, 200);
        const auto same = same_product_as(story, build->commit);
        return fmt::format(
            "  {} built {}{}",
            which,
            build->cached ? "earlier" : "in " + text::short_duration(build->seconds),
            same ? ", the same product as " + commit_text(*same) : "");
    }
    if (const auto* run = std::get_if<RunEnded>(&entry)) {
        const auto& probe = story.probes().at(static_cast<std::size_t>(run->probe));
        const int commit = probe.request.commits.at(static_cast<std::size_t>(run->position));
        if (!run->value) {
            return "  " + commit_text(commit) +
                   " gave nothing: " + text::one_line(run->message, 200);
        }
        return fmt::format(
            "  {} {}", commit_text(commit), value_text(*run->value, unit_of(story.order())));
    }
    return "";
}

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
