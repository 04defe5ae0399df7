#include "tests/bench/bisect/sensitivity.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "tests/bench/bisect/rules.hpp"
#include "tests/bench/bisect/score.hpp"

namespace vigil::bench {

namespace {

using search::SearchRules;

struct Day {
    double right = 0;
    double wrong = 0;
    double named = 0;  ///< right, and every change named
    double cost = 0;
};

std::vector<Family> families_of(const std::string& prefix) {
    auto all = single_families();
    for (auto& family : many_families()) {
        if (!family.name.starts_with("50")) all.push_back(std::move(family));
    }
    if (prefix.empty()) return all;
    all.push_back(random_family());
    all.push_back(smooth_family());
    std::erase_if(all, [&](const Family& family) { return !family.name.starts_with(prefix); });
    return all;
}

/// Days at random; every fifth is one of the families in turn, some of these with many series.
std::vector<World> worlds_of(const Episodes& episodes) {
    const auto families = families_of(episodes.family);
    std::vector<World> worlds;
    for (int day = 0; day < episodes.days && !families.empty(); ++day) {
        const std::uint64_t seed = episodes.first + static_cast<std::uint64_t>(day);
        const bool mixed = episodes.family.empty();
        const auto turn = static_cast<std::size_t>(mixed ? day / 5 : day) % families.size();
        const bool any = mixed && day % 5 != 4;
        worlds.push_back((any ? random_family() : families[turn]).day(seed));
    }
    return worlds;
}

Day play(const World& world) {
    Lab lab(world);
    const auto answers = play_vigil(world, lab, nullptr);
    Tally tally;
    tally.add(world, answers, lab.bill());
    return {tally.right(), tally.wrong(), tally.named(), lab.bill().cost};
}

/// Plays the days once more by the rules as they are set now.
/// @param usual  [days] by the usual rules
std::string against(const std::vector<World>& worlds, const std::vector<Day>& usual) {
    const int enough = static_cast<int>(usual.size()) / 3;  // days without a difference
    constexpr double known = 0.001;
    Mean right, wrong, named, cost;
    int days = 0, differ = 0;
    for (; days < static_cast<int>(usual.size()); ++days) {
        if (days >= enough && (differ == 0 || (days >= 2 * enough && cost.error() < known))) break;
        const Day& before = usual[static_cast<std::size_t>(days)];
        const Day now = play(worlds[static_cast<std::size_t>(days)]);
        differ += now.cost != before.cost || now.named != before.named;
        right.add(now.right - before.right);
        wrong.add(now.wrong - before.wrong);
        named.add(now.named - before.named);
        cost.add(std::log(now.cost / before.cost));
    }
    const auto shown = [](const Mean& m) {
        return fmt::format("{:+.2f} ± {:.2f}", 100 * m.mean(), 196 * m.error());
    };
    if (differ == 0) return fmt::format("none of {} | | | | |", days);
    return fmt::format(
        "{} of {} | {} | {} | {} | {} |",
        differ,
        days,
        shown(right),
        shown(wrong),
        shown(named),
        shown(cost));
}

std::vector<Day> play_usual(const Episodes& episodes, const std::vector<World>& worlds) {
    std::vector<Day> days;
    Mean right, wrong, cost;
    for (const World& world : worlds) {
        days.push_back(play(world));
        right.add(days.back().right);
        wrong.add(days.back().wrong);
        cost.add(days.back().cost);
    }
    std::printf(
        "%d days from %llu: right %.2f %%, wrong %.2f %%, cost %.1f\n\n",
        episodes.days,
        static_cast<unsigned long long>(episodes.first),
        100 * right.mean(),
        100 * wrong.mean(),
        cost.mean());
    std::puts(
        "| Rule | Value | Days that differ | Right, points | Wrong, points | All named, points | "
        "Cost, % |");
    std::puts("| --- | --- | --- | --- | --- | --- | --- |");
    return days;
}

}  // namespace

const std::vector<NamedRule<SearchRules>>& search_rules() {
#define VIGIL_RULE(name) named_rule(#name, &SearchRules::name),
    static const std::vector<NamedRule<SearchRules>> all{
#include "search_rule_names.inc"
    };
#undef VIGIL_RULE
    return all;
}

std::uint64_t first_day(const std::string& word) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash >> 16;
}

void print_sensitivity(const Episodes& episodes, const std::string& prefix) {
    const auto worlds = worlds_of(episodes);
    const auto usual = play_usual(episodes, worlds);
    for (const auto& rule : search_rules()) {
        if (!rule.name.starts_with(prefix)) continue;
        const auto value = rule.get(search::rule);
        for (const double factor : {0.5, 2.0}) {
            rule.set(search::rule, varied(value, factor));
            const auto name = factor < 1 ? rule.name : "";
            print_row(name, words_of(rule.get(search::rule)), against(worlds, usual));
        }
        rule.set(search::rule, value);
    }
}

bool print_changes(const Episodes& episodes, const std::vector<std::string>& texts) {
    const SearchRules before = search::rule;
    std::vector<SearchRules> changes(texts.size(), before);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!set_rules(search_rules(), texts[i], changes[i])) return false;
    }
    const auto worlds = worlds_of(episodes);
    const auto usual = play_usual(episodes, worlds);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        search::rule = changes[i];
        print_row(texts[i], "", against(worlds, usual));
        search::rule = before;
    }
    return true;
}

}  // namespace vigil::bench
