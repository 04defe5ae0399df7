#include "tests/bench/nights/world.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "tests/bench/nights/plan.hpp"

namespace vigil::nights {

namespace {

constexpr std::array times{
    Metric::cpu_time_ns, Metric::wall_time_ns, Metric::gpu_time_ns, Metric::reported_value};
constexpr std::array memories{Metric::peak_process_bytes, Metric::peak_alloc_bytes};
constexpr int sick_nights = 4;
constexpr double session_walk = .1;  // of the run's scale, each process

/// Half of the variance is the night's, half the run's.
double half_of(double deviation) {
    return deviation * std::sqrt(.5);
}

double seven_digits(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.7g", value);
    return std::strtod(text.data(), nullptr);
}

double log_uniform(double low, double high, bench::Random& random) {
    return low * std::pow(high / low, random.uniform());
}

}  // namespace

const bench::NoiseKind& noise_named(std::string_view name) {
    static const std::map<std::string_view, std::string_view> names{
        {"G1", "gauss-1"},
        {"G3", "gauss-3"},
        {"N3", "night-3"},
        {"LN5", "lognormal-5"},
        {"T3", "t3"},
        {"SP2", "spikes"},
        {"BI6", "two-modes"},
        {"LJ1", "layout-1"},
        {"AR3", "ar-3"},
        {"MEMd", "memory"},
        {"MEMq", "memory-steps"},
        {"BB6", "build-modes"},
        {"N10", "gauss-10"}};
    static const bench::NoiseKind none{"none"};
    if (name == "ZERO") return none;
    static const bench::NoiseKind two{"gauss-2", half_of(.02), half_of(.02)};
    static const bench::NoiseKind five{"gauss-5", half_of(.05), half_of(.05)};
    if (name == "G2") return two;
    if (name == "G5") return five;
    const auto known = names.find(name);
    for (const auto& kind : bench::noise_kinds()) {
        if (known != names.end() && kind.name == known->second) return kind;
    }
    throw Error(Errc::invalid_argument, "there is no noise of the name " + std::string(name));
}

bench::Random keyed(std::uint64_t seed, std::initializer_list<std::uint64_t> key) {
    std::uint64_t state = seed;
    for (const auto word : key) state = bench::Random(state ^ bench::Random(word)())();
    return bench::Random(state);
}

std::uint64_t seed_of(const std::string& word) {
    return std::stoull(wire::sha256(word).str().substr(0, 12), nullptr, 16);
}

World::World(const Options& options)
    : options_(options), seed_(seed_of(options.seed)), commits_(draw_commits(options, seed_)) {
    make_series();
    plan_moves();
    plants_ = Planner(*this).plan();
}

World::World(
    const Options& options,
    Commits commits,
    std::vector<Plant> plants,
    std::vector<std::vector<Event>> events)
    : options_(options),
      seed_(seed_of(options.seed)),
      commits_(std::move(commits)),
      plants_(std::move(plants)) {
    make_series();
    plan_moves();
    for (std::size_t i = 0; i < series_.size(); ++i) series_[i].events = std::move(events[i]);
    for (const auto& plant : plants_) {
        auto& series = series_[static_cast<std::size_t>(plant.series)];
        if (!plant.commit) series.disturbed.insert(plant.night);
    }
}

std::vector<std::string> World::benchmarks() const {
    std::vector<std::string> names;
    for (int b = 0; b < options_.benchmarks; ++b) {
        std::string digits = std::to_string(b);
        digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, '0');
        names.push_back("b" + digits);
    }
    return names;
}

void World::make_series() {
    std::size_t i = 0;  // of the times
    std::size_t j = 0;  // of the memories
    const auto add = [&](const std::string& name, const std::string& benchmark, Metric metric) {
        SimulatedSeries one;
        one.is_time = kind_of(metric) != MetricKind::memory;
        one.noise_name = one.is_time ? options_.noises[i++ % options_.noises.size()]
                                     : options_.memory[j++ % options_.memory.size()];
        one.noise = noise_named(one.noise_name);
        one.machine_class = name;
        one.benchmark = benchmark;
        one.metric = metric;
        one.id = name + "/" + benchmark + "/" + std::string(to_string(metric));
        auto random = keyed(seed_, {stream_series, series_.size()});
        one.base = log_uniform(.05, 5000, random) * (metric == Metric::reported_value ? 1 : 1e6);
        one.mib = log_uniform(60, 4000, random);
        one.night_offsets = bench::night_offsets(one.noise, options_.nights, random);
        of_job_[{name, benchmark}].push_back(static_cast<int>(series_.size()));
        series_.push_back(std::move(one));
    };
    for (int c = 1; c <= options_.classes; ++c) {
        classes_.push_back("m" + std::to_string(c));
        for (int k = 1; k <= options_.workers; ++k) {
            workers_.emplace_back(classes_.back() + "-" + std::to_string(k), classes_.back());
        }
        for (const auto& benchmark : benchmarks()) {
            for (const auto metric : times) add(classes_.back(), benchmark, metric);
            for (const auto metric : memories) add(classes_.back(), benchmark, metric);
        }
    }
}

// One worker becomes slower for four nights and is fixed; later a whole class, for good.
void World::plan_moves() {
    if (!options_.moves) return;
    const double move = std::log(1.09);
    const int nights = options_.nights;
    const int played = nights - options_.warm;
    const int whole = options_.warm + 2 * played / 3;
    sick_worker_ = workers_.back().first;
    sick_from_ = options_.warm + played / 3;
    for (int n = sick_from_; n < std::min(sick_from_ + sick_nights, nights); ++n) {
        moved_[{sick_worker_, n}] = move;
    }
    for (const auto& [worker, name] : workers_) {
        for (int n = whole; n < nights && name == classes_.front(); ++n) moved_[{worker, n}] = move;
    }
    for (int n = sick_from_; n < std::min(sick_from_ + 7, nights); ++n) move_nights_[n] = "worker";
    for (int n = whole; n < std::min(whole + 5, nights); ++n) move_nights_[n] = "class";
}

bool World::is_sick(const std::string& worker, int night) const {
    return worker == sick_worker_ && sick_from_ <= night && night < sick_from_ + sick_nights;
}

double World::code(const SimulatedSeries& series, int commit) const {
    double total = 0;
    for (const auto& event : series.events) {
        if (commits_.holds(commit, event.commit)) total += event.size;
    }
    return total;
}

double World::offset(int series, int commit) const {
    const auto& noise = series_[static_cast<std::size_t>(series)].noise;
    if (noise.layout == 0 && noise.mode == 0) return 0;
    auto random = keyed(
        seed_,
        {stream_build, static_cast<std::uint64_t>(series), static_cast<std::uint64_t>(commit)});
    return bench::build_offset(noise, random);
}

std::vector<Values> World::measure(
    const std::string& machine_class,
    const std::string& benchmark,
    const std::string& worker,
    bool is_nightly,
    int night,
    int number,
    const std::vector<int>& commits) const {
    const auto& job = of_job_.at({machine_class, benchmark});
    auto random = keyed(
        seed_,
        {stream_run,
         static_cast<std::uint64_t>(job.front()),
         static_cast<std::uint64_t>(night),
         static_cast<std::uint64_t>(number)});
    const auto moved = moved_.find({worker, night});
    std::vector<Values> all(commits.size());
    for (const int place : job) {
        const auto& s = series_[static_cast<std::size_t>(place)];
        double here = s.night_offsets[static_cast<std::size_t>(night)];
        if (is_nightly && s.disturbed.contains(night)) here += std::log(1.15);
        if (s.is_time && moved != moved_.end()) here += moved->second;
        std::map<int, double> levels;
        for (const int commit : commits) {
            const auto [level, is_new] = levels.try_emplace(commit, 0);
            if (is_new) level->second = code(s, commit) + offset(place, commit);
        }
        double walk = 0;
        for (std::size_t i = 0; i < commits.size(); ++i) {
            const double level = levels.at(commits[i]);
            double value = 0;
            if (s.noise.grain == bench::Grain::byte) {
                value = std::round(1e7 * std::exp(level));
            } else if (s.noise.grain == bench::Grain::two_mib) {
                const bool one_more = random.uniform() < .1;
                value = 0x1p21 * (std::ceil(s.mib * std::exp(level) / 2) + (one_more ? 1 : 0));
            } else {
                if (!is_nightly) walk += session_walk * s.noise.run * random.gauss();
                const double z = level + here + walk + bench::scatter(s.noise, random);
                const bool higher = s.metric == Metric::reported_value;
                value = seven_digits(s.base * std::exp(higher ? -z : z));
            }
            all[i].emplace_back(s.metric, value);
        }
    }
    return all;
}

}  // namespace vigil::nights
