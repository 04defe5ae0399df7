#include "service/tables/against.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric.hpp"
#include "schema/wire/json_types.hpp"
#include "service/tables/text_parts.hpp"
#include "service/tables/ways.hpp"

namespace vigil::tables {

static void to_json(nlohmann::json& value, const NumberPair& pair) {
    value = {
        {"model", pair.model},
        {"batch", pair.batch},
        {"way", pair.way},
        {"number", pair.number},
        {"before", pair.before},
        {"after", pair.after},
        {"change_ratio", pair.change_ratio},
        {"variant", pair.variant},
        {"suspect", pair.suspect}};
}

static void to_json(nlohmann::json& value, const StatusPair& pair) {
    value = {
        {"model", pair.model},
        {"batch", pair.batch},
        {"way", pair.way},
        {"before", pair.before},
        {"after", pair.after},
        {"variant", pair.variant},
        {"suspect", pair.suspect}};
}

namespace {

using ResultPointers = std::vector<const Result*>;

struct Compared {
    Field field;
    Direction direction;
    Field instead_of;  ///< only where nothing says this one; itself: always
};

constexpr std::array compared{
    Compared{Field::time_s, Direction::lower_is_better, Field::time_s},
    Compared{Field::cpu_time_s, Direction::lower_is_better, Field::time_s},
    Compared{Field::compile_s, Direction::lower_is_better, Field::compile_s},
    Compared{Field::peak_bytes, Direction::lower_is_better, Field::peak_bytes},
    Compared{Field::throughput_per_s, Direction::higher_is_better, Field::time_s},
    Compared{Field::speedup, Direction::higher_is_better, Field::time_s},
    Compared{Field::memory_ratio, Direction::higher_is_better, Field::peak_bytes}};

bool fails(const Result& result) {
    return !result.status.empty() && !is_passing(result);
}

std::string status_of(const Result& result) {
    return result.status.empty() ? "pass" : result.status;
}

/// Both lists, in an order and with names that they share.
class Pairing {
  public:
    Pairing(const std::vector<Result>& before, const std::vector<Result>& after)
        : all_(pointers(before, after)), ways_(all_, {Part::version}) {
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const Result& result = *all_[i];
            const std::string key =
                ways_.key(result) + result.model + '\n' + std::to_string(result.batch);
            const auto [at, is_new] = known_.emplace(key, pairs_.size());
            if (is_new) {
                pairs_.push_back({result.model, batch_words(result.batch), ways_.label(result)});
            }
            Pair& pair = pairs_[at->second];
            (i < before.size() ? pair.before : pair.after) = &result;
        }
    }

    struct Pair {
        std::string model;
        std::string batch;
        std::string way;
        const Result* before = nullptr;
        const Result* after = nullptr;

        std::string variant() const {
            const auto& facts = (after != nullptr ? after : before)->facts;
            const auto found = facts.find("variant");
            return found == facts.end() ? "" : found->second;
        }
        LeftOut left_out(const char* why) const {
            return {batch == "-" ? model : model + " (batch " + batch + ")", why};
        }
    };
    const std::vector<Pair>& pairs() const { return pairs_; }

  private:
    static ResultPointers pointers(
        const std::vector<Result>& before, const std::vector<Result>& after) {
        ResultPointers all;
        for (const auto& result : before) all.push_back(&result);
        for (const auto& result : after) all.push_back(&result);
        return all;
    }

    ResultPointers all_;
    Ways ways_;
    std::map<std::string, std::size_t> known_;
    std::vector<Pair> pairs_;
};

std::optional<NumberPair> pair_of(const Pairing::Pair& pair, const Compared& one) {
    const auto number = [&](const Result* of, Field field) { return of->get(field).value_or(0); };
    const double before = number(pair.before, one.field);
    const double after = number(pair.after, one.field);
    if (before <= 0 || after <= 0) return std::nullopt;
    const bool has_better = one.instead_of != one.field &&
                            number(pair.before, one.instead_of) > 0 &&
                            number(pair.after, one.instead_of) > 0;
    if (has_better) return std::nullopt;
    return NumberPair{
        pair.model,
        pair.batch,
        pair.way,
        std::string(to_string(one.field)),
        before,
        after,
        change_ratio(before, after, one.direction),
        pair.variant()};
}

void add_outliers(const std::vector<NumberPair>& pairs, std::vector<NumberPair>& outliers) {
    std::vector<double> logs;
    for (const auto& pair : pairs) logs.push_back(log_of_change(pair.change_ratio));
    const auto off = spreads_off(logs);
    for (std::size_t i = 0; i < off.size(); ++i) {
        if (std::fabs(off[i]) > outlier_spreads) outliers.push_back(pairs[i]);
    }
}

void take_numbers(const Pairing& pairing, ResultChanges& changes) {
    for (const auto& one : compared) {
        std::vector<NumberPair> pairs;
        std::vector<double> ratios;
        NumberChange change{std::string(to_string(one.field)), {}};
        for (const auto& pair : pairing.pairs()) {
            if (pair.before == nullptr || pair.after == nullptr) continue;
            if (fails(*pair.before) || fails(*pair.after)) continue;
            auto numbers = pair_of(pair, one);
            if (!numbers) continue;
            ratios.push_back(1 + numbers->change_ratio);
            pairs.push_back(*std::move(numbers));
        }
        if (pairs.empty()) continue;
        for (const auto& pair : pairing.pairs()) {
            if (pair.before == nullptr || pair.after == nullptr) {
                change.ratio.left_out.push_back(pair.left_out("in one list only"));
            } else if (fails(*pair.before) || fails(*pair.after)) {
                change.ratio.left_out.push_back(pair.left_out("does not pass"));
            } else if (!pair_of(pair, one)) {
                change.ratio.left_out.push_back(pair.left_out("no number"));
            }
        }
        change.ratio.count = ratios.size();
        change.ratio.value = geometric_mean(ratios);
        changes.numbers.push_back(std::move(change));
        add_outliers(pairs, changes.outliers);
        changes.pairs.insert(changes.pairs.end(), pairs.begin(), pairs.end());
    }
}

void take_statuses(const Pairing& pairing, ResultChanges& changes) {
    for (const auto& pair : pairing.pairs()) {
        StatusPair statuses{pair.model, pair.batch, pair.way, "", "", pair.variant()};
        if (pair.before != nullptr) statuses.before = status_of(*pair.before);
        if (pair.after != nullptr) statuses.after = status_of(*pair.after);
        if (pair.before == nullptr) {
            changes.added.push_back(statuses);
        } else if (pair.after == nullptr) {
            changes.gone.push_back(statuses);
        } else {
            ++changes.paired;
            const bool failed_before = fails(*pair.before);
            const bool fails_now = fails(*pair.after);
            if (!failed_before && fails_now) changes.new_failures.push_back(statuses);
            if (failed_before && !fails_now) changes.fixed.push_back(statuses);
            if (failed_before && fails_now) changes.still_failing.push_back(statuses);
        }
    }
}

// Text -------------------------------------------------------------------------------------------

std::string signed_percent(double ratio) {
    const std::string words = percent_words(ratio);
    return ratio > 0 ? "+" + words : words;
}

/// In a unit that people read.
std::string number_with_unit(const NumberPair& pair, double value) {
    if (pair.number.ends_with("_bytes")) return rounded_words(value / 1048576, 1) + " MiB";
    if (pair.number.ends_with("_per_s")) return rounded_words(value, 2) + "/s";
    if (!pair.number.ends_with("_s")) return rounded_words(value, 4) + "x";
    return pair.number == "compile_s" ? rounded_words(value, 2) + " s"
                                      : rounded_words(1000 * value, 3) + " ms";
}

std::string number_words_of(const std::string& field) {
    static const std::map<std::string, std::string> all{
        {"time_s", "wall time"},
        {"cpu_time_s", "CPU time"},
        {"compile_s", "compile time"},
        {"peak_bytes", "peak memory"},
        {"throughput_per_s", "throughput"},
        {"memory_ratio", "memory ratio"}};
    const auto found = all.find(field);
    return found == all.end() ? field : found->second;
}

std::string pairs_section(const std::string& title, const std::vector<NumberPair>& pairs) {
    if (pairs.empty()) return "";
    const bool any_suspect = std::any_of(
        pairs.begin(), pairs.end(), [](const NumberPair& pair) { return !pair.suspect.empty(); });
    std::vector<std::string> headers{
        "What changed", "Way", "Batch", "Number", "Before", "After", "Worse by"};
    if (any_suspect) headers.emplace_back("Suspected");
    MarkdownTable table(headers);
    for (const auto& pair : pairs) {
        std::vector<std::string> cells{
            pair.model,
            pair.way,
            pair.batch,
            number_words_of(pair.number),
            number_with_unit(pair, pair.before),
            number_with_unit(pair, pair.after),
            signed_percent(pair.change_ratio)};
        if (any_suspect) cells.push_back(pair.suspect.empty() ? "-" : pair.suspect);
        table.add(std::move(cells));
    }
    return fmt::format("## {}\n\n{}\n", title, table.text());
}

std::string statuses_section(const std::string& title, const std::vector<StatusPair>& pairs) {
    std::string lines;
    for (const auto& pair : pairs) {
        const std::string way = pair.way == "all results" ? "" : ", " + pair.way;
        const std::string to = pair.after.empty()    ? pair.before
                               : pair.before.empty() ? pair.after
                                                     : pair.before + " -> " + pair.after;
        lines += fmt::format(
            "- {}{}{}: {}{}\n",
            pair.model,
            pair.batch == "-" ? "" : ", batch " + pair.batch,
            way,
            to,
            pair.suspect.empty() ? "" : "; suspected: " + pair.suspect);
    }
    return lines.empty() ? "" : fmt::format("## {}\n\n{}\n", title, lines);
}

}  // namespace

ResultChanges compare_results(
    const std::vector<Result>& before, const std::vector<Result>& after, double threshold) {
    const Pairing pairing(before, after);
    ResultChanges changes;
    changes.threshold = threshold;
    take_statuses(pairing, changes);
    take_numbers(pairing, changes);
    for (const auto& pair : changes.pairs) {
        if (pair.change_ratio > threshold) changes.worse.push_back(pair);
        if (pair.change_ratio < -threshold) changes.better.push_back(pair);
    }
    std::stable_sort(changes.worse.begin(), changes.worse.end(), [](const auto& a, const auto& b) {
        return a.change_ratio > b.change_ratio;
    });
    std::stable_sort(
        changes.better.begin(), changes.better.end(), [](const auto& a, const auto& b) {
            return a.change_ratio < b.change_ratio;
        });
    return changes;
}

std::string changes_text(const ResultChanges& changes) {
    const std::string limit = rounded_words(100 * changes.threshold, 0) + " %";
    std::string text = fmt::format(
        "## Against the list before\n\n{} in both lists, {} only before, {} only after.\n\n",
        changes.paired,
        changes.gone.size(),
        changes.added.size());
    for (const auto& number : changes.numbers) {
        text += fmt::format(
            "- {}: worse by {} (paired_v1, geometric mean of {}){}\n",
            number_words_of(number.number),
            signed_percent(*number.ratio.value - 1),
            number.ratio.count,
            left_out_clause(number.ratio.left_out));
    }
    text += changes.numbers.empty() ? "" : "\n";
    text += statuses_section("New failures", changes.new_failures);
    text += pairs_section("Worse by more than " + limit, changes.worse);
    text += statuses_section("Mended", changes.fixed);
    text += pairs_section("Better by more than " + limit, changes.better);
    text += pairs_section("Measured again that night, and not there", changes.noise);
    text += pairs_section("Outliers", changes.outliers);
    text += statuses_section("Fails in both", changes.still_failing);
    text += statuses_section("Only before", changes.gone);
    text += statuses_section("Only after", changes.added);
    return text +
           "One list against one: what is worse here was not measured again, and may be noise.\n";
}

nlohmann::json changes_json(const ResultChanges& changes) {
    nlohmann::json numbers = nlohmann::json::object();
    for (const auto& number : changes.numbers) {
        nlohmann::json left_out = nlohmann::json::array();
        for (const auto& one : number.ratio.left_out) {
            left_out.push_back({{"model", one.model}, {"why", one.why}});
        }
        numbers[number.number] = {
            {"rule", Rule::paired_v1},
            {"ratio", number.ratio.value},
            {"count", number.ratio.count},
            {"left_out", left_out}};
    }
    return {
        {"threshold", changes.threshold},
        {"paired", changes.paired},
        {"numbers", numbers},
        {"new_failures", changes.new_failures},
        {"mended", changes.fixed},
        {"still_failing", changes.still_failing},
        {"only_before", changes.gone},
        {"only_after", changes.added},
        {"worse", changes.worse},
        {"better", changes.better},
        {"noise", changes.noise},
        {"outliers", changes.outliers},
        {"pairs", changes.pairs}};
}

}  // namespace vigil::tables
