#include "tests/bench/nights/tables.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "tests/bench/nights/odds.hpp"

namespace vigil::nights {

namespace {

struct Title {
    const char* noise;
    const char* title;
    /// What the closed loop does alone (docs/confirmation.md): +10 % and +7.5 % by night 1, 2, 3,
    /// and runs a clean night.
    const char* ten = "";
    const char* seven = "";
    const char* runs = "";
};
constexpr std::array titles{
    Title{"G1", "Gauss 1 %", "1/1/1", ".97/.98/.99", "0.0006"},
    Title{"G3", "Gauss 3 %", ".98/1/1", ".71/.88/.95", "0.23"},
    Title{"N3", "night 3 %, run 1.5 %", ".95/1/1", ".71/.89/.94", "0.25"},
    Title{"LN5", "lognormal 5 %", ".84/.95/.98", ".53/.76/.87", "0.48"},
    Title{"SP2", "spikes", "1/1/1", ".98/.99/1", "0.01"},
    Title{"BI6", "bimodal +6 %", "1/1/1", ".83/.94/.97", "0.15"},
    Title{"AR3", "AR .8, 3 %", ".97/1/1", ".74/.88/.90", "0.145"},
    Title{"MEMd", "memory, exact", "1/1/1", "1/1/1", "0"},
    Title{"MEMq", "memory, 2 MiB", "1/1/1", ".91/.91/.91", "0.0002"},
    Title{"T3", "t3, scale 1.5 %"},
    Title{"LJ1", "layout jitter 1 %"},
    Title{"BB6", "per-build +6 %, p .3"},
    Title{"N10", "Gauss 10 %"},
    Title{"ZERO", "no noise"}};

using Fates = std::vector<const Fate*>;
using Filter = std::function<bool(const Fate&)>;

Fates pick(const Score& score, const Filter& wanted) {
    Fates some;
    for (const auto& fate : score.fates) {
        if (wanted(fate)) some.push_back(&fate);
    }
    return some;
}

Fates pick(const Score& score, std::string_view kind, const char* noise = nullptr) {
    return pick(score, [&](const Fate& fate) {
        return fate.kind == kind && (noise == nullptr || fate.noise == noise);
    });
}

Fates above_threshold(const Score& score) {
    return pick(score, [](const Fate& fate) {
        constexpr std::array kinds{"7.5", "10", "15", "30", "broad"};
        return std::find(kinds.begin(), kinds.end(), fate.kind) != kinds.end();
    });
}

int count(const Fates& some, const Filter& wanted) {
    return static_cast<int>(
        std::count_if(some.begin(), some.end(), [&](const Fate* fate) { return wanted(*fate); }));
}

int size(const Fates& some) {
    return static_cast<int>(some.size());
}

int filed_by(const Fates& some, int night) {
    return count(some, [&](const Fate& fate) { return fate.filed <= night; });
}

int named(const Fates& some, std::string_view how) {
    return count(some, [&](const Fate& fate) { return fate.named == how; });
}

std::string three_nights(const Fates& some) {
    std::string text;
    for (const int night : {1, 2, 3}) {
        text += (night == 1 ? "" : "/") + share(filed_by(some, night), size(some), false);
    }
    return text + fmt::format(" ({})", some.size());
}

std::string bounds(const Fates& some, int night) {
    const auto [low, high] = wilson(filed_by(some, night), size(some));
    return fmt::format("{:.2f}-{:.2f}", low, high);
}

std::string row_of(const Score& score, const Title* title) {
    const char* noise = title == nullptr ? nullptr : title->noise;
    const auto get = [&](const Tally& tally) {
        return noise == nullptr ? tally.sum() : tally[noise];
    };
    const double nights = get(score.clean);
    const double divisor = std::max(1.0, nights);
    const auto wrong = static_cast<int>(
        std::count_if(score.false_issues.begin(), score.false_issues.end(), [&](const False& one) {
            return one.when == "clean" && (noise == nullptr || one.noise == noise);
        }));
    const auto ten = pick(score, "10", noise);
    const auto five = pick(score, "5", noise);
    const Title none{"", "all"};
    const Title& told = title == nullptr ? none : *title;
    return fmt::format(
        "|{}|{:.0f}|{}|{:.3f} ({:.3f})|{:.2f}|{:.3g}|{}|{}|{}|{}|{}|{}|{}|{} of {}|{}|{}|\n",
        told.title,
        nights,
        wrong,
        1e3 * wrong / divisor,
        1e3 * upper(wrong) / divisor,
        1e3 * get(score.opened) / divisor,
        get(score.runs) / divisor,
        told.runs,
        three_nights(ten),
        bounds(ten, 1),
        bounds(ten, 3),
        told.ten,
        three_nights(pick(score, "7.5", noise)),
        told.seven,
        filed_by(five, 3),
        five.size(),
        three_nights(pick(score, "15", noise)),
        three_nights(pick(score, "30", noise)));
}

std::vector<const Title*> titles_in(const Score& score) {
    std::vector<const Title*> some;
    for (const auto& title : titles) {
        if (score.clean[title.noise] > 0) some.push_back(&title);
    }
    return some;
}

std::string rule(int columns) {
    std::string text;
    for (int i = 0; i < columns; ++i) text += "|---";
    return text + "|\n";
}

std::string noise_table(const Score& score) {
    std::string text =
        "|noise|clean series-nights|false issues|per 1,000 (95 % below)|opened per 1,000"
        "|runs a clean night|alone|+10 % by night 1/2/3 (n)|night 1, 95 %|night 3, 95 %|alone"
        "|+7.5 %|alone|+5 % by 3|+15 %|+30 %|\n" +
        rule(16);
    for (const auto* title : titles_in(score)) text += row_of(score, title);
    return text + row_of(score, nullptr);
}

std::string culprit_row(const std::string& label, const Fates& some) {
    const int exact = named(some, "exact");
    const int filed = count(some, [](const Fate& fate) { return fate.filed < never / 2; });
    const int lost =
        count(some, [](const Fate& fate) { return fate.lost && fate.filed > never / 2; });
    return fmt::format(
        "|{} ({})|{}: {}|{}|{}|{}|{}|{}|{}|\n",
        label,
        some.size(),
        exact,
        share(exact, filed, true),
        named(some, "merge"),
        named(some, "range"),
        named(some, "wrong"),
        size(some) - filed_by(some, 3),
        filed,
        lost);
}

std::string culprit_table(const Score& score) {
    std::string text =
        "\n|filed changes|exact|merge only|range|wrong|not filed by night 3|ever filed"
        "|confirmed, then lost|\n" +
        rule(8);
    for (const auto* title : titles_in(score)) {
        text += culprit_row("+10 %, " + std::string(title->title), pick(score, "10", title->noise));
    }
    for (const auto* kind : {"5", "7.5", "10", "15", "30"}) {
        text += culprit_row(fmt::format("+{} %", kind), pick(score, kind));
    }
    text += culprit_row("broad", pick(score, "broad"));
    text += culprit_row("two of one series", pick(score, "twice"));
    text += culprit_row("a sum of small ones", pick(score, "sum"));
    text += culprit_row("soon after a class's move", pick(score, "short"));
    const auto above = above_threshold(score);
    const auto part = [&](const Filter& wanted) {
        Fates some;
        std::copy_if(above.begin(), above.end(), std::back_inserter(some), [&](const Fate* fate) {
            return wanted(*fate);
        });
        return some;
    };
    text += culprit_row("inside of merges", part([](const Fate& f) { return f.plant.inside; }));
    const auto caused = [&](const char* label, int low, int high) {
        return culprit_row(std::string(label) + " planted that night", part([&](const Fate& f) {
                               return low <= f.causes && f.causes <= high;
                           }));
    };
    return text + caused("1 cause", 1, 1) + caused("2 or 3", 2, 3) + caused("4 and more", 4, 99);
}

std::string why_late(const Score& score) {
    std::string text = "\nwhy not on the first night (what was said of the series that night):\n";
    for (const auto* kind : {"7.5", "10", "15"}) {
        for (const auto* title : titles_in(score)) {
            const auto all = pick(score, kind, title->noise);
            Tally said;
            int lost = 0;
            for (const auto* fate : all) {
                if (fate->filed <= 1) continue;
                said.add(fate->first);
                lost += fate->filed > never / 2 ? 1 : 0;
            }
            if (said.sum() == 0) continue;
            text += fmt::format(
                "  +{} %, {}: {:.0f} of {}: {}; never filed {}\n",
                kind,
                title->title,
                said.sum(),
                all.size(),
                said.text(),
                lost);
        }
    }
    const auto above = above_threshold(score);
    const auto late = [](const Fate& fate) { return fate.filed > 1; };
    const auto lost = [](const Fate& fate) { return fate.filed > never / 2; };
    return text +
           fmt::format(
               "  all above 7 %: {} not on the first night, of these {} asked with an old build "
               "that had the change already; never filed {}, of these {} so\n",
               count(above, late),
               count(above, [&](const Fate& fate) { return late(fate) && fate.behind; }),
               count(above, lost),
               count(above, [&](const Fate& fate) { return lost(fate) && fate.behind; }));
}

std::string ages(const Score& score) {
    struct Span {
        const char* label;
        int low, high;
    };
    std::string text = "nights from the good build to the bad one: ";
    const auto above = above_threshold(score);
    for (const auto& span : std::initializer_list<Span>{
             {"1", 1, 1}, {"2-4", 2, 4}, {"5-9", 5, 9}, {"10 and more", 10, never}}) {
        const auto in = [&](const Fate& f) { return span.low <= f.age && f.age <= span.high; };
        text += fmt::format(
            "{}{}: {} changes, {} exact",
            span.low == 1 ? "" : ", ",
            span.label,
            count(above, in),
            count(above, [&](const Fate& f) { return in(f) && f.named == "exact"; }));
    }
    return text + "\n";
}

std::string issues_text(const Score& score) {
    Tally wrong;
    Tally innocent;
    for (const auto& one : score.false_issues) wrong.add(one.when);
    for (const auto& one : score.innocent) innocent.add(one.when);
    const auto twice = pick(score, "twice");
    return fmt::format(
        "false issues: {}; innocent series in true issues: {}\n"
        "one report a cause: {} causes filed; {} by more than one issue; a series filed twice for "
        "one change: {}; two issues of one named culprit: {}\n"
        "two of one series: the other one told in words in {} of {}\n",
        wrong.text(),
        innocent.text(),
        score.causes,
        score.split,
        score.doubles,
        score.same_culprit,
        count(twice, [](const Fate& fate) { return fate.told; }) / 2,
        twice.size() / 2);
}

std::string by_night(const std::vector<int>& nights) {
    std::string text;
    for (const int last : {1, 3, never / 2}) {
        const auto in_time =
            std::count_if(nights.begin(), nights.end(), [&](int night) { return night <= last; });
        text += fmt::format("{}{}", text.empty() ? "" : " / ", in_time);
    }
    return text;
}

std::string others_text(const Score& score) {
    std::vector<int> recovered;
    Tally others;
    int closed = 0;
    for (const auto& one : score.back) {
        recovered.push_back(one.recovered);
        closed += one.closed ? 1 : 0;
        if (one.recovered > never / 2) {
            others.add(fmt::format("+{:g} %: {}", one.percent, one.said));
        }
    }
    const double searches = std::max(1.0, score.searches.sum());
    return fmt::format(
        "taken back: {} filed and reverted; series called recovered by night 1 / 3 / ever: {}; "
        "issue closed: {}; of the others: {}\n"
        "improvements of 10 %: {}; said by night 1 / 3 / ever: {}\n"
        "disturbed for one night: {}, filed {}\n"
        "storms: {}; workers held and released: {}\n"
        "verdicts of suspicions on clean series-nights: {}\n"
        "searches: {}; each: {:.1f} jobs, {:.1f} runs, {:.1f} built\n"
        "trouble: stuck {}, failed nights {}\n",
        score.back.size(),
        by_night(recovered),
        closed,
        others.text(),
        score.better.size(),
        by_night(score.better),
        score.disturbed.size(),
        std::count(score.disturbed.begin(), score.disturbed.end(), true),
        score.storms.text(),
        score.released.empty() ? "none" : fmt::format("{}", fmt::join(score.released, ", ")),
        score.verdicts.text(),
        score.searches.text(),
        score.search_jobs / searches,
        score.search_runs / searches,
        score.search_built / searches,
        score.stuck.empty() ? "none" : fmt::format("{}", fmt::join(score.stuck, ", ")),
        score.failed.empty() ? "none" : fmt::format("{}", fmt::join(score.failed, ", ")));
}

std::string worse_of(const char* what, const Directions& some) {
    return fmt::format(
        "{} {}, {} for the worse: {}",
        what,
        some.all(),
        some.worse,
        share(some.worse, some.all(), true));
}

/// A rule that leans to one side finds more of the one in noise.
std::string noise_only_text(const Score& score) {
    const auto& noise = score.noise_only;
    Directions both = noise.suspicions;
    both.add(noise.drifts);
    return fmt::format(
        "noise only, {:.0f} series-nights (95 %): {}; {}; {}; {}\n"
        "  a suspicion is what the loop of a series asks, by its night against its level: it asks "
        "about what looks better only far beyond noise (better_spreads); what sessions measured "
        "has no direction in noise\n",
        noise.series_nights,
        worse_of("suspicions", noise.suspicions),
        worse_of("measured again", noise.measured),
        worse_of("drifts", noise.drifts),
        worse_of("suspicions and drifts", both));
}

}  // namespace

std::string tables(const Score& score) {
    return noise_table(score) + culprit_table(score) + why_late(score) + ages(score) +
           issues_text(score) + others_text(score) + noise_only_text(score);
}

}  // namespace vigil::nights
