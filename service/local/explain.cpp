#include "service/local/explain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/text/lines.hpp"
#include "service/local/answer.hpp"
#include "service/local/progress.hpp"
#include "service/local/story.hpp"

namespace vigil::local {

namespace {

constexpr std::size_t max_reported = 3;  // suspects named after each step

/// The lines of a log in steps: each begins where the search was asked.
class Steps {
  public:
    explicit Steps(const std::vector<LogEntry>& entries) : entries_(entries) {}

    bool at_end() const { return at_ >= entries_.size(); }

    /// Adds what stands before the next probes. @return those probes; none at the end of the log
    std::vector<ProbeRequested> advance(Story& story) {
        for (; !at_end(); ++at_) {
            if (std::holds_alternative<ProbeRequested>(entries_[at_])) break;
            story.add(entries_[at_]);
        }
        std::vector<ProbeRequested> asked;
        for (std::size_t i = at_; i < entries_.size(); ++i) {
            const auto* one = std::get_if<ProbeRequested>(&entries_[i]);
            if (one == nullptr) break;
            asked.push_back(*one);
        }
        return asked;
    }

    void take(Story& story, const std::vector<ProbeRequested>& asked) {
        for (const auto& one : asked) story.add(one);
        at_ += asked.size();
    }

  private:
    const std::vector<LogEntry>& entries_;
    std::size_t at_ = 0;
};

std::string sequence_text(const std::vector<int>& commits) {
    return fmt::format("{}", fmt::join(commits, " "));
}

/// A kill may have cut the list of probes asked for together.
std::string difference_of(
    const search::Decision& decision, const std::vector<ProbeRequested>& asked) {
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const bool same = i < decision.probes.size() &&
                          decision.probes[i].commits == asked[i].request.commits &&
                          decision.probes[i].purpose == asked[i].request.purpose;
        if (same) continue;
        return fmt::format(
            "probe {} was {}; now it would be {}",
            asked[i].number,
            sequence_text(asked[i].request.commits),
            i < decision.probes.size() ? sequence_text(decision.probes[i].commits)
            : decision.done            ? "the end"
                                       : "none");
    }
    return "";
}

std::string difference_of_end(const search::Decision& decision, const SearchEnded& ended) {
    if (!decision.done) return "the log ends; now the search would go on";
    const auto& ending = decision.endings.front();
    const bool same =
        ending.ending == ended.ending && ending.first == ended.first && ending.last == ended.last;
    if (same) return "";
    return fmt::format(
        "it ended with {} {} to {}; now it would be {} {} to {}",
        to_string(ended.ending),
        ended.first,
        ended.last,
        to_string(ending.ending),
        ending.first,
        ending.last);
}

std::string belief_text(const Story& story, const search::Decision& decision, std::size_t width) {
    const auto& posterior = decision.posterior.front();
    std::vector<int> order;
    for (int commit = 1; commit <= story.last(); ++commit) order.push_back(commit);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return posterior[static_cast<std::size_t>(a) - 1] >
               posterior[static_cast<std::size_t>(b) - 1];
    });
    order.resize(std::min(order.size(), max_reported));
    std::string likely;
    for (const int commit : order) {
        likely += fmt::format(
            "{}{} ({}) {:.1f} %",
            likely.empty() ? "" : ", ",
            commit,
            story.revision(commit).brief(),
            100 * posterior[static_cast<std::size_t>(commit) - 1]);
    }
    return fmt::format(
        "  belief  {}\n          |{}|\n          most likely: {}\n",
        range_text(story, decision),
        bars(posterior, width),
        likely);
}

std::string seen_text(const Story& story, const search::ProbeState& probe) {
    std::string text;
    for (const auto& run : probe.runs) {
        text += fmt::format(
            "          commit {:>4} {}  {}\n",
            run.commit,
            story.revision(run.commit).brief(),
            run.gave_value() ? value_text(run.value, unit_of(story.order()))
                             : "nothing: " + text::one_line(run.why, 200));
    }
    for (const int commit : probe.request.commits) {
        const auto& mine = story.commit(commit);
        if (!probe.build_failed || !does_not_build(mine)) continue;
        text += fmt::format(
            "          commit {:>4} {}  does not build: {}\n",
            commit,
            story.revision(commit).brief(),
            text::one_line(mine.build_failure, 200));
        break;
    }
    return text.empty() ? "          nothing yet\n" : text;
}

std::string requested_text(const Story& story, const std::vector<ProbeRequested>& asked) {
    std::string text;
    for (const auto& one : asked) {
        text += fmt::format(
            "  asked   probe {}: commits {}\n  why     {}\n",
            one.number,
            sequence_text(one.request.commits),
            text::one_line(one.request.why, 200));
        text += "  seen\n" + seen_text(story, story.probe(one.number));
    }
    return text;
}

/// Asks each search of a log anew at each of its steps, and tells `see` the story so far, the
/// decision, and the probes that were asked for then: none at the search's end.
/// @throws Error{invalid_argument} when the lines are no log
template <class See>
SearchAccount follow(const std::vector<LogEntry>& entries, const See& see) {
    std::vector<Found> found;
    for (const auto& search : searches_of(entries)) {
        Story story =
            found.empty() ? Story() : Story::inside_of(found.back().story, found.back().decision);
        Steps steps(search);
        while (true) {
            const auto asked = steps.advance(story);
            if (!story.started()) replay_story(search);  // says what is wrong
            auto decision = story.decide();
            see(story, decision, asked);
            if (asked.empty()) {
                found.push_back({std::move(story), std::move(decision)});
                break;
            }
            steps.take(story, asked);
        }
    }
    if (found.empty()) replay_story(entries);
    return account_of(std::move(found));
}

std::string heading_text(const Story& story) {
    const auto& inside = story.start().inside;
    return fmt::format(
        "{}{} suspects, {} to {}, {}, threshold {:.4g} %\n",
        !inside                     ? ""
        : inside->submodule.empty() ? "\ninside of a merge: "
                                    : "\ninside of a submodule: ",
        story.last(),
        story.revision(0).brief(),
        story.revision(story.last()).brief(),
        measure_text(story.order()),
        100 * story.order().threshold);
}

}  // namespace

SearchReplay replay(const std::vector<LogEntry>& entries) {
    SearchReplay all;
    static_cast<SearchAccount&>(all) =
        follow(entries, [&](const Story& story, const auto& decision, const auto& asked) {
            ++all.steps;
            if (!all.difference.empty()) return;
            if (!asked.empty()) {
                all.difference = difference_of(decision, asked);
            } else if (story.ended()) {
                all.difference = difference_of_end(decision, *story.ended());
            }
        });
    return all;
}

std::string explain(const std::vector<LogEntry>& entries, std::size_t width) {
    std::string text;
    std::vector<ProbeRequested> before;  // none: the search begins
    int step = 0;
    const auto account =
        follow(entries, [&](const Story& story, const auto& decision, const auto& asked) {
            step = before.empty() ? 0 : step + 1;
            text += before.empty()
                        ? heading_text(story)
                        : fmt::format("\nstep {}\n", step) + requested_text(story, before) +
                              belief_text(story, decision, width);
            before = asked;
        });
    return text + answer_text(account);
}

}  // namespace vigil::local
