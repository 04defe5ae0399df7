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
    const char* key;
    std::string_view word;
    std::string_view meaning;
};

constexpr std::array suspicion_words{
    CountWords{"confirmed", "confirmed", "measured again, it is worse above the threshold"},
    CountWords{"drift", "drift", "real, and not above the threshold"},
    CountWords{"not_reproduced", "not reproduced", "measured again, it is not there"},
    CountWords{"environment", "environment", "it was the machine"},
    CountWords{"improvement", "improvement", "it got better"},
    CountWords{"undecided", "undecided", "the runs did not decide it"},
    CountWords{"waiting", "waited", "the night had no runs left for it"},
    CountWords{"open", "open", "it is being measured again"}};

constexpr std::array answer_words{
    CountWords{"upheld", "upheld", "a person acknowledged or accepted it"},
    CountWords{"refuted", "refuted", "a person says that it is none: a false one"},
    CountWords{"not_found_again", "not found again", "the search could not see it again"},
    CountWords{"recovered", "recovered", "it closed by itself, without a word"}};

std::int64_t count_in(const json& counts, const char* key) {
    const auto& value = member(counts, key);
    return value.is_number() ? value.get<std::int64_t>() : 0;
}

template <class Words>
json count_rows(const json& counts, const Words& words) {
    const auto all = count_in(counts, "opened");
    auto rows = json::array();
    for (const auto& [key, word, meaning] : words) {
        const auto count = count_in(counts, key);
        const auto share = all == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(all);
        rows.push_back(
            {{"word", word},
             {"count", count},
             {"share", all == 0 ? "" : text::share(share)},
             {"meaning", meaning}});
    }
    return rows;
}

json figure(std::string_view term, std::string value, std::string more = "") {
    return {{"term", term}, {"value", std::move(value)}, {"more", std::move(more)}};
}

std::string duration_of(const json& seconds) {
    return seconds.is_number() ? text::duration(seconds.get<std::int64_t>()) : "not known";
}

/// "9 found, 2 missed, of which 1 undecided"
std::string recall_words(const json& recall) {
    std::string words =
        fmt::format("{} found, {} missed", count_in(recall, "found"), count_in(recall, "missed"));
    std::string_view before = ", of which ";
    for (const auto& [key, word] :
         {std::pair{"measuring", "being measured"}, std::pair{"undecided", "undecided"}}) {
        if (count_in(recall, key) == 0) continue;
        words += fmt::format("{}{} {}", before, count_in(recall, key), word);
        before = ", ";
    }
    return words;
}

}  // namespace

std::string trust_title(const json& facts) {
    const auto& regressions = facts.at("regressions");
    const auto upheld = count_in(regressions, "upheld");
    const auto answered = upheld + count_in(regressions, "refuted");
    if (answered == 0) {
        return count_in(regressions, "opened") == 0 ? "Nothing was found yet"
                                                    : "Nobody has answered a regression yet";
    }
    return fmt::format(
        "{} of {} that somebody answered {} upheld",
        upheld,
        text::counted(answered, "regression"),
        upheld == 1 ? "was" : "were");
}

json trust_figures(const json& facts) {
    const auto& runs = facts.at("runs");
    const auto& taken = facts.at("time_to_verdict");
    const auto again = count_in(runs, "confirm") + count_in(runs, "search");
    auto figures = json::array();
    figures.push_back(figure("Nights", std::to_string(count_in(facts, "nights"))));
    figures.push_back(figure(
        "From judging a night to the verdict",
        duration_of(taken.at("median_s")),
        taken.at("nine_of_ten_s").is_number()
            ? "nine of ten within " + duration_of(taken.at("nine_of_ten_s"))
            : ""));
    const auto& recall = facts.at("recall");
    const auto& share = recall.at("share");
    figures.push_back(figure(
        "Recall",
        share.is_number() ? text::share(share.get<double>(), 0) : "not known",
        recall_words(recall)));
    figures.push_back(figure("Runs of nights", std::to_string(count_in(runs, "nightly"))));
    figures.push_back(figure(
        "Runs to be sure",
        std::to_string(again),
        fmt::format(
            "{} to confirm, {} to search", count_in(runs, "confirm"), count_in(runs, "search"))));
    return figures;
}

json suspicion_rows(const json& facts) {
    return count_rows(facts.at("suspicions"), suspicion_words);
}

json answered_rows(const json& facts) {
    return count_rows(facts.at("regressions"), answer_words);
}

json noisy_rows(const json& facts) {
    auto rows = json::array();
    for (const auto& one : facts.at("noisiest")) {
        const auto& spread = one.at("spread_ratio");
        rows.push_back(
            {{"series", one.at("series")},
             {"name", series_words(one)},
             {"not_reproduced", one.at("not_reproduced")},
             {"undecided", one.at("undecided")},
             {"runs", one.at("runs")},
             {"spread", spread.is_number() ? text::share(spread.get<double>()) : ""}});
    }
    return rows;
}

json threshold_rows(const json& other) {
    auto rows = json::array();
    for (const auto& one : other.at("thresholds")) {
        auto row = one;
        row["threshold"] = text::share(one.at("threshold").get<double>(), 0);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace vigil::service
