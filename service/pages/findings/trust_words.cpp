#include "service/pages/findings/trust_words.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

struct CountWords {
    int PrecisionFacts::*count;
    std::string_view word;
    std::string_view meaning;
};

using Facts = PrecisionFacts;

constexpr std::array suspicion_words{
    CountWords{&Facts::confirmed, "confirmed", "measured again, it is worse above the threshold"},
    CountWords{&Facts::drifts, "drift", "real, and not above the threshold"},
    CountWords{&Facts::not_reproduced, "not reproduced", "measured again, it is not there"},
    CountWords{&Facts::environment, "environment", "it was the machine"},
    CountWords{&Facts::improvements, "improvement", "it got better"},
    CountWords{&Facts::undecided, "undecided", "the runs did not decide it"},
    CountWords{&Facts::waited, "waited", "the night had no runs left for it"},
    CountWords{&Facts::open, "open", "it is being measured again"}};

constexpr std::array answer_words{
    CountWords{&Facts::upheld, "upheld", "a person acknowledged or accepted it"},
    CountWords{&Facts::refuted, "refuted", "a person says that it is none: a false one"},
    CountWords{&Facts::not_found_again, "not found again", "the search could not see it again"},
    CountWords{&Facts::recovered, "recovered", "it closed by itself, without a word"}};

template <class Words>
json count_rows(const PrecisionFacts& facts, int all, const Words& words) {
    auto rows = json::array();
    for (const auto& [member, word, meaning] : words) {
        const int count = facts.*member;
        rows.push_back(
            {{"word", word},
             {"count", count},
             {"share", all == 0 ? "" : text::share(static_cast<double>(count) / all)},
             {"meaning", meaning}});
    }
    return rows;
}

json figure(std::string_view term, std::string value, std::string more = "") {
    return {{"term", term}, {"value", std::move(value)}, {"more", std::move(more)}};
}

/// "9 found, 2 missed, of which 1 undecided"
std::string recall_words(const RecallCounts& recall) {
    auto words = fmt::format("{} found, {} missed", recall.found, recall.missed());
    std::string_view before = ", of which ";
    for (const auto& [count, word] :
         {std::pair{recall.told_measuring, "being measured"},
          std::pair{recall.told_undecided, "undecided"}}) {
        if (count == 0) continue;
        words += fmt::format("{}{} {}", before, count, word);
        before = ", ";
    }
    return words;
}

}  // namespace

std::string trust_title(const PrecisionFacts& facts) {
    const int answered = facts.upheld + facts.refuted;
    if (answered == 0) {
        return facts.regressions == 0 ? "Nothing was found yet"
                                      : "Nobody has answered a regression yet";
    }
    return fmt::format(
        "{} of {} that somebody answered {} upheld",
        facts.upheld,
        text::counted(answered, "regression"),
        facts.upheld == 1 ? "was" : "were");
}

json trust_figures(const PrecisionFacts& facts) {
    const bool is_timed = facts.timed > 0;
    const auto again = facts.confirm_runs + facts.search_runs;
    const auto share = facts.recall();
    auto figures = json::array();
    figures.push_back(figure("Nights", std::to_string(facts.nights)));
    figures.push_back(figure(
        "From judging a night to the verdict",
        is_timed ? text::duration(facts.median_verdict_s) : "not known",
        is_timed ? "nine of ten within " + text::duration(facts.slow_verdict_s) : ""));
    figures.push_back(
        figure("Recall", share ? text::share(*share, 0) : "not known", recall_words(facts)));
    figures.push_back(figure("Runs of nights", std::to_string(facts.nightly_runs)));
    figures.push_back(figure(
        "Runs to be sure",
        std::to_string(again),
        fmt::format("{} to confirm, {} to search", facts.confirm_runs, facts.search_runs)));
    return figures;
}

json suspicion_rows(const PrecisionFacts& facts) {
    return count_rows(facts, facts.suspicions, suspicion_words);
}

json answered_rows(const PrecisionFacts& facts) {
    return count_rows(facts, facts.regressions, answer_words);
}

json noisy_rows(const PrecisionFacts& facts) {
    auto rows = json::array();
    for (const auto& one : facts.noisiest) {
        rows.push_back(
            {{"series", one.id.value},
             {"name", series_words(names_of(one))},
             {"not_reproduced", one.not_reproduced},
             {"undecided", one.undecided},
             {"runs", one.runs},
             {"spread", one.spread ? text::share(*one.spread) : ""}});
    }
    return rows;
}

json threshold_rows(const std::vector<ThresholdCounts>& thresholds) {
    auto rows = json::array();
    for (const auto& one : thresholds) {
        rows.push_back(
            {{"threshold", text::share(one.threshold, 0)},
             {"worse", one.worse},
             {"drift", one.drift},
             {"not_there", one.not_there},
             {"undecided", one.undecided}});
    }
    return rows;
}

}  // namespace vigil::service
