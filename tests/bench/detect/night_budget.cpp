#include "tests/bench/detect/night_budget.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>

#include "bisect/detect/worth.hpp"
#include "tests/bench/detect/suspector.hpp"

namespace vigil::bench {

namespace {

constexpr std::size_t week = 7;
const double tau = std::log(1.07);

enum class Order { value, tonight, chance, deviations, size, random };

constexpr std::array orders{
    std::pair{Order::value, "value"},
    std::pair{Order::tonight, "tonight's chance, waited"},
    std::pair{Order::chance, "tonight's chance"},
    std::pair{Order::deviations, "size in deviations"},
    std::pair{Order::size, "size"},
    std::pair{Order::random, "random"}};

/// A true step, from the night on which it was first suspected.
struct Served {
    bool required = false;
    std::optional<std::size_t> suspected;
    std::optional<std::size_t> served;
};

struct Member {
    const Labelled* series = nullptr;
    Suspector suspector;
    std::vector<Served> steps;
    bool waits = false;
    int waited = 0;
    double mean = 0;  ///< move of the nights it waited, and tonight
};

struct Candidate {
    std::size_t member = 0;
    detect::Asking asking;
    double moved = 0;
    double spread = 0;
    double tonight = 0;  ///< its chance by tonight alone
    double lot = 0;
};

/// The step that tonight's suspicion is about, and which was not served yet.
std::optional<std::size_t> step_of(const Member& member, std::size_t night) {
    const auto& steps = member.series->steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (night >= steps[i].night && night <= steps[i].night + 4 * week) return i;
    }
    return std::nullopt;
}

double rank_of(const Candidate& one, Order order) {
    switch (order) {
        case Order::value: return detect::worth_of(one.asking);
        case Order::tonight: return one.tonight * (1 + one.asking.waited);
        case Order::chance: return one.tonight;
        case Order::deviations: return one.moved / one.spread;
        case Order::size: return one.moved;
        case Order::random: break;
    }
    return one.lot;
}

/// One night of a series. @return  its suspicion, old or new, that asks for a session
std::optional<Candidate> ask(Member& member, std::size_t index, std::size_t night, double lot) {
    const auto& s = *member.series;
    if (night >= s.values.size()) return std::nullopt;
    if (s.moved[night]) member.suspector.start_level();
    const bool suspected = member.suspector.suspects(s.values[night]);
    if (night < s.start || !std::isfinite(s.values[night])) return std::nullopt;
    const double moved = member.suspector.moved();
    const bool goes_on = member.waits && moved > tau / 2;
    member.waited = goes_on ? member.waited + 1 : 0;
    member.waits = false;
    member.mean += (moved - member.mean) / (member.waited + 1);
    if (!suspected && !goes_on) return std::nullopt;
    const auto step = step_of(member, night);
    if (step && member.steps[*step].served) return std::nullopt;  // known
    if (step && !member.steps[*step].suspected) member.steps[*step].suspected = night;
    const double spread = std::max(member.suspector.spread(), 6e-4);
    const double chance = detect::chance_above(member.mean, spread, tau, member.waited + 1);
    const double tonight = detect::chance_above(moved, spread, tau);
    return Candidate{index, {chance, member.waited, false}, moved, spread, tonight, lot};
}

void serve(Member& member, std::size_t night) {
    if (const auto step = step_of(member, night)) {
        member.steps[*step].served = night;
    } else {
        member.suspector.refute();
    }
}

struct Totals {
    double asked = 0, sessions = 0, true_sessions = 0, steps = 0;
    std::array<double, 3> within{};  ///< 0, 1, 7 nights after it was first suspected
};

Totals play_fleet(const std::vector<Labelled>& all, Order order, std::size_t sessions) {
    detect::BarRules rules;
    rules.opened_by = detect::OpenedBy::shape;
    std::vector<Member> fleet;
    std::size_t nights = 0;
    for (const auto& series : all) {
        fleet.push_back({&series, Suspector(series.direction, rules), {}});
        for (const auto& step : series.steps) fleet.back().steps.push_back({step.required, {}, {}});
        nights = std::max(nights, series.values.size());
    }
    std::mt19937 random(7);
    std::uniform_real_distribution<double> lot(0, 1);
    Totals totals;
    for (std::size_t night = 0; night < nights; ++night) {
        std::vector<Candidate> asking;
        for (std::size_t i = 0; i < fleet.size(); ++i) {
            if (auto one = ask(fleet[i], i, night, lot(random))) asking.push_back(*one);
        }
        std::stable_sort(asking.begin(), asking.end(), [&](const auto& a, const auto& b) {
            return rank_of(a, order) > rank_of(b, order);
        });
        totals.asked += static_cast<double>(asking.size());
        for (std::size_t place = 0; place < asking.size(); ++place) {
            auto& member = fleet[asking[place].member];
            member.waits = place >= sessions;
            if (member.waits) continue;
            ++totals.sessions;
            totals.true_sessions += step_of(member, night) ? 1 : 0;
            serve(member, night);
        }
    }
    for (const auto& member : fleet) {
        for (const auto& step : member.steps) {
            if (!step.required || !step.suspected) continue;
            ++totals.steps;
            if (!step.served) continue;
            const std::size_t waited = *step.served - *step.suspected;
            totals.within[0] += waited == 0 ? 1 : 0;
            totals.within[1] += waited <= 1 ? 1 : 0;
            totals.within[2] += waited <= week ? 1 : 0;
        }
    }
    return totals;
}

}  // namespace

void print_night_budgets(const std::vector<Labelled>& all) {
    std::printf(
        "the series as one fleet, so many sessions a night: required steps served within 0, 1, 7 "
        "nights of their first suspicion; steps suspected, sessions, true ones among them, "
        "asked for\n");
    for (const std::size_t sessions : {5, 10, 20}) {
        for (const auto& [order, name] : orders) {
            const auto totals = play_fleet(all, order, sessions);
            std::printf("  %2zu a night, by %-26s", sessions, name);
            for (const double within : totals.within) std::printf(" %.3f", within / totals.steps);
            std::printf(
                "  %4.0f %6.0f %5.0f %6.0f\n",
                totals.steps,
                totals.sessions,
                totals.true_sessions,
                totals.asked);
        }
    }
}

}  // namespace vigil::bench
