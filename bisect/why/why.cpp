#include "bisect/why/why.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "bisect/why/function_pair.hpp"
#include "bisect/why/iterations.hpp"
#include "bisect/why/limits.hpp"
#include "bisect/why/sampling.hpp"
#include "bisect/why/words.hpp"
#include "schema/model/error.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::why {

namespace {

using profile::Function;
using profile::Profile;
using profile::Why;
using profile::WhyRow;

constexpr double least_change = 0.002;       // of all instructions, that is worth to be explained
constexpr double least_timed_change = 0.02;  // the same of times, which scatter
constexpr double least_share = 0.01;         // of the change, that a row has
constexpr double enough = 0.8;               // of the change, that the telling rows explain
constexpr int most_telling = 10;

class Explainer {
  public:
    Explainer(
        const Profile& before,
        const Profile& after,
        double change_ratio,
        const std::set<std::string>& touched)
        : before_(before), after_(after), change_ratio_(change_ratio), touched_(touched) {
        out_.unit = before.unit;
        out_.before = before.total;
        out_.after = after.total;
    }

    Why explain() {
        out_.notes = limits_of(before_, after_);
        out_.words = why_not_comparable(before_, after_);
        if (!out_.words.empty()) return std::move(out_);
        for (auto& words : growth_words(before_, after_)) out_.notes.push_back(std::move(words));
        // A loop that runs less often has as much memory in use at its peak.
        if (is_of_work() || is_sampled()) take_as_many_iterations();
        if (is_sampled()) take_as_much_work();
        pair_up();
        if (is_of_operators()) {
            find_replaced(pairs_);
            if (is_timed()) noise_ = scatter_of(pairs_);
        } else {
            join_inlined();
        }
        if (is_as_before()) {
            out_.words = same_words(before_, after_, ratio());
            return std::move(out_);
        }
        fill_rows();
        say_what_they_explain();
        say_what_is_within_error();
        return std::move(out_);
    }

  private:
    double ratio() const {
        return static_cast<double>(out_.after - out_.before) /
               static_cast<double>(std::max<std::int64_t>(out_.before, 1));
    }

    bool is_of_work() const { return before_.unit == profile::CostUnit::instructions; }
    bool is_sampled() const { return before_.unit == profile::CostUnit::samples; }
    bool is_timed() const { return before_.unit == profile::CostUnit::operator_ns; }
    bool is_of_operators() const { return profile::function_word(before_.unit) == "operator"; }

    bool is_as_before() const {
        if (out_.after == out_.before) return true;  // no row has a share of nothing
        if (is_as_measured_) return false;
        if (is_sampled() && !differs_beyond_error(out_.before, out_.after, after_scale_))
            return true;
        const bool scatters = is_timed() || is_sampled();
        return std::abs(ratio()) < (scatters ? least_timed_change : least_change);
    }

    /// A benchmark that sizes its own loop runs it less often the slower it is.
    void take_as_many_iterations() {
        const auto factor = factor_between(before_, after_, change_ratio_);
        if (factor == 1) return;
        multiply_after(1 / factor);
        out_.notes.push_back(fmt::format(
            "{} ran {} times as often as before: the numbers after are scaled to the same count",
            is_sampled() ? "it" : "its loop",
            text::rounded(factor, 2)));
    }

    void take_as_much_work() {
        const auto found = as_measured(before_, after_, change_ratio_, after_scale_);
        is_as_measured_ = found.explains;
        if (found.note.empty()) return;
        multiply_after(found.factor);
        out_.notes.push_back(found.note);
    }

    void multiply_after(double factor) {
        scale(after_, 1 / factor);
        out_.after = after_.total;
        after_scale_ *= factor;
    }

    std::string_view unit() const { return profile::unit_words(out_.unit); }

    /// Inlined on one side, a function of a stack has no scope there.
    std::string name_of(const Function& one) const {
        return before_.unit == profile::CostUnit::peak_bytes ? profile::short_name(one.name)
                                                             : one.name;
    }

    /// By name and file. What is left, by its name where each side has one such function: a file is
    /// that of a function's first instruction, which may be inlined. Then by its name without
    /// types: a function that takes its argument otherwise is the same to a person.
    void pair_up() {
        std::map<std::pair<std::string, std::string>, FunctionPair> pairs;
        for (const auto& one : before_.functions) pairs[{name_of(one), one.file}].before = &one;
        for (const auto& one : after_.functions) pairs[{name_of(one), one.file}].after = &one;
        std::vector<FunctionPair> single;
        for (const auto& [key, pair] : pairs) {
            const bool is_both = pair.before != nullptr && pair.after != nullptr;
            (is_both ? pairs_ : single).push_back(pair);
        }
        single = pair_by(single, [&](const Function& one) { return name_of(one); });
        single = pair_by(single, [](const Function& one) { return profile::bare_name(one.name); });
        pairs_.insert(pairs_.end(), single.begin(), single.end());
    }

    /// @return  those that are left
    template <class NameOf>
    std::vector<FunctionPair> pair_by(
        const std::vector<FunctionPair>& single, const NameOf& name_of) {
        std::map<std::string, std::pair<std::vector<FunctionPair>, std::vector<FunctionPair>>>
            by_name;
        for (const auto& pair : single) {
            auto& [gone, fresh] = by_name[name_of(pair.any())];
            (pair.before != nullptr ? gone : fresh).push_back(pair);
        }
        std::vector<FunctionPair> left;
        for (const auto& [name, sides] : by_name) {
            const auto& [gone, fresh] = sides;
            if (gone.size() == 1 && fresh.size() == 1) {
                pairs_.push_back({gone.front().before, fresh.front().after});
                continue;
            }
            left.insert(left.end(), gone.begin(), gone.end());
            left.insert(left.end(), fresh.begin(), fresh.end());
        }
        return left;
    }

    /// A change that scatter alone makes.
    bool is_noise(const FunctionPair& pair) const {
        if (is_sampled()) {
            return !differs_beyond_error(pair.cost_before(), pair.cost_after(), after_scale_);
        }
        const double before = static_cast<double>(pair.cost_before());
        const bool is_both = pair.before != nullptr && pair.after != nullptr && !pair.is_replaced;
        return is_both && std::abs(static_cast<double>(pair.change())) <= noise_ * before;
    }

    /// A function that is there on one side only, and whose caller changed the other way: it was
    /// inlined, or no longer is. Its cost counts for the caller.
    void join_inlined() {
        std::map<std::string, std::size_t> both;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const bool is_both = pairs_[i].before != nullptr && pairs_[i].after != nullptr;
            if (is_both) both[name_of(pairs_[i].any())] = i;
        }
        std::vector<std::pair<std::size_t, std::size_t>> joined;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            if (pairs_[i].before != nullptr && pairs_[i].after != nullptr) continue;
            // What is of a library, or counts for its caller already, was not inlined.
            if (!pairs_[i].any().is_own || pairs_[i].change() == 0) continue;
            if (const auto into = find_caller(pairs_[i], both)) joined.emplace_back(i, *into);
        }
        for (const auto& [from, into] : joined) {
            auto& whole = pairs_[into];
            whole.more_before = profile::sum(whole.more_before, pairs_[from].cost_before());
            whole.more_after = profile::sum(whole.more_after, pairs_[from].cost_after());
            pairs_[into].inlined.push_back(pairs_[from].any().name);
            pairs_[from].is_joined = true;
        }
        std::erase_if(pairs_, [](const FunctionPair& pair) { return pair.is_joined; });
    }

    std::optional<std::size_t> find_caller(
        const FunctionPair& single, const std::map<std::string, std::size_t>& both) const {
        for (const auto& name : single.any().called_by) {
            const auto found = both.find(name);
            if (found == both.end()) continue;
            const auto change = pairs_[found->second].change();
            const bool opposite = (change > 0) != (single.change() > 0) && change != 0;
            // As much as half of it came, or went.
            if (opposite && 2 * std::abs(change) >= std::abs(single.change())) {
                return found->second;
            }
        }
        return std::nullopt;
    }

    bool is_touched(const std::string& file) const {
        return std::ranges::any_of(touched_, [&](const std::string& path) {
            return file == path || file.ends_with("/" + path);
        });
    }

    void fill_rows() {
        const auto whole = static_cast<double>(out_.after - out_.before);
        for (const auto& pair : pairs_) {
            WhyRow row;
            row.share = static_cast<double>(pair.change()) / whole;
            if (std::abs(row.share) < least_share) continue;
            if (is_noise(pair)) {
                ++within_error_;
                continue;
            }
            row.function = pair.any().name;
            row.file = pair.any().file;
            row.before = pair.cost_before();
            row.after = pair.cost_after();
            row.calls_before = pair.before != nullptr ? pair.before->calls : 0;
            row.calls_after = pair.after != nullptr ? pair.after->calls : 0;
            const auto inlined_file = grown_part(pair, &Function::inlined);
            row.touched = is_touched(row.file) || is_touched(inlined_file);
            row.inlined = pair.inlined;
            row.mostly_in = grown_part(pair, &Function::libraries);
            if (row.mostly_in.empty() && !inlined_file.empty()) {
                row.mostly_in = inlined_file + ", inlined";
            }
            row.line = grown_line(pair);
            if (pair.before != nullptr) {
                row.bytes_before = pair.before->bytes;
                row.shapes_before = pair.before->shapes;
            }
            if (pair.after != nullptr) {
                row.bytes_after = pair.after->bytes;
                row.shapes_after = pair.after->shapes;
            }
            if (pair.is_replaced) row.in_place_of = pair.before->name;
            out_.rows.push_back(std::move(row));
        }
        std::ranges::stable_sort(out_.rows, std::ranges::greater{}, &WhyRow::share);
        if (out_.rows.size() > max_rows) {
            // Both ends tell: what grew, and what got cheaper instead.
            std::ranges::stable_sort(out_.rows, std::ranges::greater{}, [](const WhyRow& row) {
                return std::abs(row.share);
            });
            out_.rows.resize(max_rows);
            std::ranges::stable_sort(out_.rows, std::ranges::greater{}, &WhyRow::share);
        }
    }

    void say_what_is_within_error() {
        if (!is_sampled() || within_error_ == 0) return;
        out_.notes.push_back(fmt::format(
            "{} {} not shown: their difference is within twice the error of the sampling itself",
            text::counted(within_error_, "function"),
            within_error_ == 1 ? "is" : "are"));
    }

    void say_what_they_explain() {
        for (const auto& row : out_.rows) {
            if (out_.telling == most_telling || out_.explained >= enough || row.share <= 0) break;
            ++out_.telling;
            out_.explained += row.share;
        }
        const auto change = text::percent(ratio());
        if (out_.explained < enough / 2) {
            out_.words = fmt::format("{} {}, spread over many functions", change, unit());
            if (out_.telling > 0) {
                out_.words += fmt::format(
                    ": the first {} are {} of it",
                    text::counted(out_.telling, "row", "rows"),
                    text::share(out_.explained, 0));
            }
        } else {
            out_.words = fmt::format(
                "{} {} {} of the {} {}",
                out_.telling == 1 ? "this row" : fmt::format("these {} rows", out_.telling),
                out_.telling == 1 ? "is" : "are",
                text::share(out_.explained, 0),
                change,
                unit());
        }
        if (change_ratio_ != 0 && (ratio() > 0) != (change_ratio_ > 0)) {
            out_.notes.push_back(disagreement(out_, after_, change_ratio_));
        }
    }

    const Profile& before_;
    Profile after_;  ///< for as many iterations as before_
    double change_ratio_;
    const std::set<std::string>& touched_;
    std::vector<FunctionPair> pairs_;
    double noise_ = 0;             ///< of a cost, as a part of it
    double after_scale_ = 1;       ///< by which the costs of after were multiplied
    bool is_as_measured_ = false;  ///< the total of samples is the one that was measured
    int within_error_ = 0;         ///< functions that changed by less than samples can tell
    Why out_;
};

}  // namespace

Why explain(
    const Profile& before,
    const Profile& after,
    double change_ratio,
    const std::set<std::string>& touched) {
    if (before.unit != after.unit) {
        throw Error(Errc::invalid_argument, "the profiles of both sides are in different units");
    }
    return Explainer(before, after, change_ratio, touched).explain();
}

std::optional<Why> one_of(std::vector<Why> found, const std::string& why_none) {
    if (found.empty()) return std::nullopt;
    Why first = std::move(found.front());
    if (!why_none.empty()) first.notes.push_back("not profiled in another way: " + why_none);
    for (std::size_t i = 1; i < found.size(); ++i) first.beside.push_back(std::move(found[i]));
    return first;
}

}  // namespace vigil::why
