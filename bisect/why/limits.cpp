#include "bisect/why/limits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bisect/why/iterations.hpp"
#include "schema/profile/interpreter.hpp"
#include "schema/profile/why.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::why {

namespace {

using profile::Profile;

constexpr double unnamed_share = 0.2;  // of a run, above which the product counts as stripped

bool is_cut(const Profile& before, const Profile& after) {
    return before.cut_after_s > 0 || after.cut_after_s > 0;
}

/// Of the costs: what belongs to functions of the program that have no file.
double share_without_file(const Profile& one) {
    double cost = 0;
    for (const auto& function : one.functions) {
        if (function.is_own && function.file.empty()) cost += static_cast<double>(function.cost);
    }
    return cost / static_cast<double>(std::max<std::int64_t>(one.total, 1));
}

/// @param one  of a program that runs itself; empty: nothing is hidden
std::string what_build_hides(const Profile& one) {
    const auto hidden = static_cast<double>(one.unnamed) /
                        static_cast<double>(std::max<std::int64_t>(one.total, 1));
    if (hidden >= unnamed_share) {
        return fmt::format(
            "{} of the {} are of functions without a name: build without -s and strip, with -g, to "
            "see them",
            text::share(hidden, 0),
            profile::unit_words(one.unit));
    }
    if (profile::function_word(one.unit) == "operator") return "";
    const double without = share_without_file(one);
    if (without < unnamed_share) return "";
    return fmt::format(
        "{} of the {} are of functions without a file: build with -g to see files, and which of "
        "them the commit changes",
        text::share(without, 0),
        profile::unit_words(one.unit));
}

std::string how_cut(const Profile& before, const Profile& after) {
    const bool both = before.cut_after_s > 0 && after.cut_after_s > 0;
    return fmt::format(
        "{} did not end under callgrind, and {} cut after {}",
        both                     ? "both sides"
        : before.cut_after_s > 0 ? "before"
                                 : "after",
        both ? "were" : "was",
        text::duration(std::max(before.cut_after_s, after.cut_after_s)));
}

}  // namespace

std::vector<std::string> limits_of(const Profile& before, const Profile& after) {
    std::vector<std::string> notes;
    if (is_cut(before, after)) notes.push_back(how_cut(before, after));
    if (before.is_marked && after.is_marked) {
        notes.emplace_back("only what the benchmark marks is counted, not its start and end");
    }
    const bool is_sampled = after.unit == profile::CostUnit::samples;
    if (is_sampled && (before.stacks.empty() || after.stacks.empty())) {
        notes.emplace_back(
            "who calls whom is not known, for the program keeps no frame pointers: build with "
            "-fno-omit-frame-pointer to see it");
    }
    const auto& name = after.interpreter.empty() ? before.interpreter : after.interpreter;
    if (!name.empty()) {
        notes.push_back(fmt::format(
            "{0} runs it: the rows are functions of {0}, not of the program. The program's own are "
            "shown by: {1}",
            name,
            profile::profiler_for(name)));
    }
    for (const auto* one : {&before, &after}) {
        auto words = what_build_hides(*one);
        if (words.empty() || !name.empty()) continue;
        notes.push_back(std::move(words));
        break;
    }
    return notes;
}

std::string why_not_comparable(const Profile& before, const Profile& after) {
    if (before.is_marked != after.is_marked) {
        return fmt::format(
            "not comparable: {} marks what it measures, and {} was profiled from its start to its "
            "end; mark it on both sides, or on none",
            before.is_marked ? "before" : "after",
            before.is_marked ? "after" : "before");
    }
    const bool is_known = before.iterations > 0 && after.iterations > 0;
    if (is_cut(before, after) && !is_known && !common_factor(before, after)) {
        return "not comparable: a run was cut, and does not repeat one thing, so the sides did "
               "different parts of it; give the benchmark less to do, or more time";
    }
    return "";
}

}  // namespace vigil::why
