#include "tests/bench/bisect/tables.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "tests/bench/bisect/dice.hpp"

namespace vigil::bench {

namespace {

void print(const std::string& line) {
    std::puts(line.c_str());
    std::fflush(stdout);
}

void print_total(const std::string& days, const std::string& rule, const Tally& t) {
    print(fmt::format(
        "| {} | {} | {} | {} | {:.2f} | {:.1f} | {:.0f}, {}, {:.0f} | {:.1f} | {:.1f} | {:.0f} ± "
        "{:.0f} |",
        rule,
        days,
        with_interval(t.right(), t.days()),
        with_interval(t.wrong(), t.days()),
        100 * t.missed(),
        100 * t.named(),
        100 * t.holds(),
        t.open(),
        t.median_set(),
        t.runs(),
        t.builds(),
        t.cost(),
        t.cost_margin()));
}

World steps_world(int suspects, int kind, std::uint64_t seed) {
    World world;
    world.seed = seed;
    world.suspects = suspects;
    Dice dice(seed, {121});
    SeriesTruth truth{.noise = {.spread = kind == 1 ? 0.05 : 0.02}};
    truth.changes = {{dice.integer(1, suspects / 2), 0.1}};
    if (kind == 2) truth.changes.push_back({dice.integer(suspects / 2 + 1, suspects), 0.1});
    if (kind == 3) world.workers = 4;
    world.series = {truth};
    return world;
}

}  // namespace

void Result::add(
    const World& world, const std::vector<Answer>& answers, const Bill& bill, bool odd) {
    all.add(world, answers, bill);
    halves[odd ? 1 : 0].add(world, answers, bill);
}

Results play_days(
    const Family& family,
    const std::vector<Rule>& rules,
    std::uint64_t first,
    int days,
    Results& total) {
    Results results(rules.size());
    total.resize(rules.size());
    for (int day = 0; day < days; ++day) {
        const std::uint64_t seed = first + static_cast<std::uint64_t>(day);
        const World world = family.day(seed);
        for (std::size_t r = 0; r < rules.size(); ++r) {
            Lab lab(world);
            const auto answers = rules[r].play(world, lab);
            results[r].add(world, answers, lab.bill(), seed % 2 == 1);
            total[r].add(world, answers, lab.bill(), seed % 2 == 1);
        }
    }
    return results;
}

void print_totals(
    const std::string& title, const std::vector<Rule>& rules, const Results& results) {
    print("\n" + title + "\n");
    print(
        "| Rule | Seeds | Right % | Wrong % | Missed % | All named % | Open: held %, of, median "
        "set "
        "| Runs | Builds | Cost |");
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (std::size_t r = 0; r < rules.size(); ++r) {
        print_total("all", rules[r].name, results[r].all);
        print_total("even", "", results[r].halves[0]);
        print_total("odd", "", results[r].halves[1]);
    }
}

void print_family_header(const std::vector<Rule>& rules) {
    std::string names = "| Days | What | Right | Wrong | Named | Runs | Builds | Cost | Time |";
    std::string line = "| --- | --- | --- | --- | --- | --- | --- | --- | --- |";
    for (std::size_t r = 1; r < rules.size(); ++r) {
        names += " " + rules[r].name + " |";
        line += " --- |";
    }
    print("\n" + names);
    print(line);
}

void print_family(const Family& family, const Results& results) {
    const Tally& t = results.front().all;
    std::string row = fmt::format(
        "| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.0f} | {:.1f} | {:.0f} | {:.0f} |",
        family.name,
        family.about,
        100 * t.right(),
        100 * t.wrong(),
        100 * t.named(),
        t.runs(),
        t.builds(),
        t.cost(),
        t.time());
    for (std::size_t r = 1; r < results.size(); ++r) {
        const Tally& other = results[r].all;
        row += fmt::format(
            " {:.0f} / {:.0f} / {:.0f} |", 100 * other.right(), 100 * other.wrong(), other.cost());
    }
    print(row);
}

void print_many(const std::vector<Rule>& rules, std::uint64_t first, int days) {
    print("\n| Days | What | Right | Wrong | Runs | Builds | One series: right | Builds | Ratio |");
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (const Family& family : many_families()) {
        Tally many;
        Tally one;
        for (int day = 0; day < days; ++day) {
            const World world = family.day(first + static_cast<std::uint64_t>(day));
            const World alone = one_series_of(world);
            Lab lab(world);
            many.add(world, rules.front().play(world, lab), lab.bill());
            Lab other(alone);
            one.add(alone, rules.front().play(alone, other), other.bill());
        }
        print(fmt::format(
            "| {} | {} | {:.1f} | {:.2f} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} |",
            family.name,
            family.about,
            100 * many.right(),
            100 * many.wrong(),
            many.runs(),
            many.builds(),
            100 * one.right(),
            one.builds(),
            many.builds() / one.builds()));
    }
}

void print_several(
    const std::vector<Rule>& rules, std::uint64_t first, int days, const std::string& prefix) {
    print("\n| Changes | Right | Wrong | All named | Issues a day | Runs | Builds | Cost |");
    print("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (const Family& family : several_families()) {
        if (!family.name.starts_with(prefix)) continue;
        Tally tally;
        int filed = 0;
        for (int day = 0; day < days; ++day) {
            const World world = family.day(first + static_cast<std::uint64_t>(day));
            Lab lab(world);
            const auto answers = rules.front().play(world, lab);
            tally.add(world, answers, lab.bill());
            filed += answers.front().filed;
        }
        print(fmt::format(
            "| {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.0f} | {:.1f} | {:.0f} |",
            family.name,
            100 * tally.right(),
            100 * tally.wrong(),
            100 * tally.named(),
            static_cast<double>(filed) / days,
            tally.runs(),
            tally.builds(),
            tally.cost()));
    }
}

void print_steps(std::uint64_t first, int days) {
    print("\n| Suspects | Steps | p50 ms | p99 ms | Most ms |");
    print("| --- | --- | --- | --- | --- |");
    for (const int suspects : {70, 1000, 10'000}) {
        std::vector<double> ms;
        for (int day = 0; day < days; ++day) {
            const World world =
                steps_world(suspects, day % 4, first + static_cast<std::uint64_t>(day));
            Lab lab(world);
            std::vector<double> step_s;
            play_vigil(world, lab, &step_s);
            for (const double s : step_s) ms.push_back(1000 * s);
        }
        print(fmt::format(
            "| {} | {} | {:.2f} | {:.2f} | {:.2f} |",
            suspects,
            ms.size(),
            stats::quantile(ms, 0.5),
            stats::quantile(ms, 0.99),
            stats::quantile(ms, 1)));
    }
}

void print_machines(
    const std::vector<Rule>& rules, std::uint64_t first, int days, const std::string& prefix) {
    print("");
    print("| Days | Machines | Right % | Wrong % | All named % | Runs | Builds | Cost |");
    print("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (const Family& family : deceived_families()) {
        if (!family.name.starts_with(prefix)) continue;
        for (const int repeaters : {0, 1}) {
            Tally tally;
            for (int day = 0; day < days; ++day) {
                World world = family.day(first + static_cast<std::uint64_t>(day));
                world.repeaters = repeaters;
                Lab lab(world);
                const auto answers = rules.front().play(world, lab);
                tally.add(world, answers, lab.bill());
            }
            print(fmt::format(
                "| {} | {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.0f} ± {:.0f} |",
                family.name,
                1 + repeaters,
                with_interval(tally.right(), days),
                with_interval(tally.wrong(), days),
                100 * tally.named(),
                tally.runs(),
                tally.builds(),
                tally.cost(),
                tally.cost_margin()));
        }
    }
}

}  // namespace vigil::bench
