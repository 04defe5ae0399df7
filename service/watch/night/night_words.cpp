#include "service/watch/night/night_words.hpp"

#include <fmt/format.h>

namespace vigil::service {

namespace {

constexpr std::size_t longest_message = 300;

std::string with_undone(const std::string& words, const std::vector<UndoneJobs>& undone) {
    const auto rest = undone_words(undone);
    return rest.empty() ? words : words + "; " + rest;
}

}  // namespace

std::string why_unmeasured(const Unmeasured& known) {
    if (known.build) return "its build failed: " + *known.build;
    if (known.canary) {
        return "what was measured is not judged, the canary of worker " + *known.canary + " moved";
    }
    if (known.value) return "what was measured cannot be judged: " + *known.value;
    if (known.job) return "its jobs failed: " + *known.job;
    return "no judged series was measured";
}

std::optional<std::string> why_withdrawn(const std::vector<Withdrawal>& standing) {
    if (standing.empty() || !standing.front().worker.empty()) return std::nullopt;
    return words_of(standing.front());
}

std::string words_of(const Withdrawal& withdrawal) {
    const auto what = withdrawal.worker.empty()
                          ? std::string("withdrawn")
                          : "what worker " + withdrawal.worker + " measured is withdrawn";
    return what + " by " + withdrawal.by + ": " + withdrawal.reason;
}

std::string judged_words(const NightCounts& counts) {
    auto words = fmt::format(
        "{} series judged, {} suspicions, {} without an earlier night",
        counts.series,
        counts.suspicions + counts.silent,
        counts.first);
    if (counts.quarantine == 0) return words;
    return words + fmt::format(", {} excluded: they cannot be judged", counts.quarantine);
}

std::string confirmed_words(const ConfirmedCounts& counts) {
    return fmt::format(
        "{} regressions opened, {} recovered, {} drifts found",
        counts.opened,
        counts.recovered,
        counts.drifts);
}

std::string undone_words(const std::vector<UndoneJobs>& undone) {
    std::string words;
    for (const auto& jobs : undone) {
        words += fmt::format(
            "{}{} {} {}{}",
            words.empty() ? "" : "; ",
            jobs.count,
            jobs.count == 1 ? "job was" : "jobs were",
            jobs.state == JobState::failed ? "ended" : to_string(jobs.state),
            jobs.message.empty() ? "" : ": " + jobs.message.substr(0, longest_message));
    }
    return words;
}

std::string done_words(std::optional<int> compared_series, const std::vector<UndoneJobs>& undone) {
    if (compared_series.value_or(0) > 0) return undone_words(undone);
    return with_undone("nothing was compared: no series has an earlier night", undone);
}

std::string beside_words(const std::string& beside, const std::vector<UndoneJobs>& undone) {
    return with_undone("measured beside the nights: " + beside + "; nothing was judged", undone);
}

std::string past_words(BackfillId backfill, const std::vector<UndoneJobs>& undone) {
    return with_undone("measured by backfill " + to_string(backfill) + ", not judged", undone);
}

}  // namespace vigil::service
