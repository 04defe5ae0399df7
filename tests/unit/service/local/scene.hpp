#pragma once

#include <string>
#include <vector>

#include "service/local/log_entry.hpp"
#include "service/local/story.hpp"

namespace vigil::local::test {

inline Revision hash_of(int commit) {
    std::string digits = std::to_string(1000 + commit);
    return Revision(digits + std::string(40 - digits.size(), 'a'));
}

inline Started started(int suspects) {
    Started start;
    start.order.repository = "/src/it";
    start.order.good = hash_of(0);
    start.order.bad = hash_of(suspects);
    start.order.build = "make 'all'";
    start.order.bench = "./bench";
    start.order.measure = Measure::samples;
    for (int i = 1; i <= suspects; ++i) {
        history::Commit commit;
        commit.revision = hash_of(i);
        commit.parent = hash_of(i - 1);
        commit.subject = "change " + std::to_string(i);
        commit.author = "author";
        start.suspects.push_back(commit);
        start.touches.push_back(i % 2 == 0);
    }
    return start;
}

/// Plays a search on a world whose level rises by `effect` at `culprit`, and writes its log.
inline std::vector<LogEntry> played(Started start, int culprit, double effect, int broken = -1) {
    std::vector<LogEntry> log{start, Resumed{1'700'000'000, 1, {}}};
    Story story;
    for (const auto& entry : log) story.add(entry);
    const auto note = [&](const LogEntry& entry) {
        log.push_back(entry);
        story.add(entry);
    };
    int turn = 0;
    while (true) {
        const auto decision = story.decide();
        if (decision.done) {
            const auto& ending = decision.endings.front();
            note(SearchEnded{ending.ending, ending.first, ending.last});
            return log;
        }
        const int number = static_cast<int>(story.probes().size());
        const auto probe = decision.probes.front();
        note(ProbeRequested{number, probe});
        bool works = true;
        for (const int commit : probe.commits) {
            if (story.commit(commit).built || !works) continue;
            works = commit != broken;
            note(BuildBegun{number, commit});
            note(BuildEnded{
                number, commit, works, false, works ? hash_of(commit).str() : "", 20, "no rule"});
        }
        for (int position = 0; works && position < static_cast<int>(probe.commits.size());
             ++position) {
            const int commit = probe.commits[static_cast<std::size_t>(position)];
            const double wobble = 1 + 0.002 * (turn++ % 3 - 1);
            const double value = 100 * wobble * (commit >= culprit ? 1 + effect : 1);
            note(RunBegun{number, position});
            note(RunEnded{number, position, value, 2, ""});
        }
    }
}

}  // namespace vigil::local::test
