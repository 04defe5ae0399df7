#include "tests/bench/nights/score.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tests/bench/nights/reading.hpp"

namespace vigil::nights {

namespace {

/// Clean nights of each series.
using Clean = std::vector<std::set<int>>;

Clean clean_nights(const Reading& reading) {
    Clean clean(reading.world.series().size());
    for (std::size_t i = 0; i < clean.size(); ++i) {
        for (int n = reading.world.options().warm; n < reading.record.played; ++n) {
            if (reading.world.move_nights().contains(n)) continue;
            if (!reading.is_near(static_cast<int>(i), n)) clean[i].insert(n);
        }
    }
    return clean;
}

void judge_plants(const Reading& reading, Score& score) {
    std::map<int, std::set<std::int64_t>> issues;  // by cause
    const int played = reading.record.played;
    for (const auto& plant : reading.world.plants()) {
        if (!plant.commit || plant.percent <= 0 || plant.night + 2 >= played) continue;
        const Fate fate = reading.fate_of(plant);
        score.fates.push_back(fate);
        if (plant.kind == "twice") continue;
        issues[*plant.commit].insert(fate.issues.begin(), fate.issues.end());
        if (fate.issues.size() > 1) ++score.doubles;
        if (!plant.back || fate.filed == never) continue;
        const bool in_time = fate.filed + plant.night - 1 < *plant.revert;
        if (in_time && *plant.revert + 2 < played) {
            score.back.push_back(reading.back_of(plant));
        }
    }
    for (const auto& [commit, ids] : issues) {
        if (!ids.empty()) ++score.causes;
        if (ids.size() > 1) ++score.split;
    }
}

void judge_issues(const Reading& reading, Score& score) {
    std::map<int, int> by_culprit;
    for (const auto& issue : reading.record.issues) {
        std::vector<int> shown;
        std::vector<int> wrong;
        for (const auto& one : issue.series) {
            if (!reading.seen(issue, one.series)) continue;
            shown.push_back(one.series);
            if (!reading.is_guilty(issue, one.series)) wrong.push_back(one.series);
        }
        if (shown.empty()) continue;
        if (issue.culprit) ++by_culprit[*issue.culprit];
        const int night = reading.night_of(issue.nightly).value_or(reading.record.played);
        const bool is_false = wrong.size() == shown.size();
        for (const int number : wrong) {
            const auto& one = reading.series(number);
            const False found{reading.when(number, night), one.noise_name, night, issue.id, one.id};
            (is_false ? score.false_issues : score.innocent).push_back(found);
            if (is_false) break;
        }
    }
    for (const auto& [culprit, count] : by_culprit) score.same_culprit += count > 1 ? 1 : 0;
}

void judge_clean(const Reading& reading, Score& score) {
    const Clean clean = clean_nights(reading);
    for (std::size_t i = 0; i < clean.size(); ++i) {
        const auto& noise = reading.world.series()[i].noise_name;
        score.clean.add(noise, static_cast<double>(clean[i].size()));
    }
    using Job = std::tuple<int, std::string, std::string>;
    std::map<Job, std::vector<int>> asked;
    for (const auto& one : reading.record.suspicions) {
        if (!one.night) continue;
        const auto& series = reading.series(one.series);
        asked[{*one.night, series.machine_class, series.benchmark}].push_back(one.series);
        if (!clean[static_cast<std::size_t>(one.series)].contains(*one.night)) continue;
        score.opened.add(series.noise_name);
        score.verdicts.add(one.verdict.empty() ? "none" : one.verdict);
    }
    for (const auto& [job, series] : asked) {
        const auto& [night, machine_class, benchmark] = job;
        const auto runs = reading.record.runs.find({night, "confirm", machine_class, benchmark});
        if (runs == reading.record.runs.end()) continue;
        for (const int one : series) {
            if (!clean[static_cast<std::size_t>(one)].contains(night)) continue;
            score.runs.add(
                reading.series(one).noise_name, runs->second / static_cast<double>(series.size()));
        }
    }
}

void judge_noise_only(const Reading& reading, Score& score) {
    const auto& options = reading.world.options();
    const auto is_noise = [&](int number, std::optional<int> night) {
        const auto& series = reading.series(number);
        return night && *night >= options.warm && series.events.empty() &&
               series.disturbed.empty() && !reading.world.move_nights().contains(*night);
    };
    auto& noise = score.noise_only;
    for (std::size_t i = 0; i < reading.world.series().size(); ++i) {
        for (int night = options.warm; night < reading.record.played; ++night) {
            noise.series_nights += is_noise(static_cast<int>(i), night) ? 1 : 0;
        }
    }
    for (const auto& one : reading.record.suspicions) {
        if (!is_noise(one.series, one.night)) continue;
        noise.suspicions.add(one.change);
        if (one.measured.value_or(0) != 0) noise.measured.add(*one.measured);
    }
    for (const auto& one : reading.record.drifts) {
        if (is_noise(one.series, one.night)) noise.drifts.add(one.change);
    }
}

// Improvements, and disturbances of one night.
void judge_others(const Reading& reading, Score& score) {
    for (const auto& plant : reading.world.plants()) {
        if (plant.night + 2 >= reading.record.played) continue;
        const auto& said = reading.said_of(plant.series);
        if (plant.kind == "-10") {
            const auto found = std::find_if(said.begin(), said.end(), [&](const auto* one) {
                return *one->night >= plant.night &&
                       (one->verdict == "improvement" || one->verdict == "fixed");
            });
            score.better.push_back(
                found == said.end() ? never : *(*found)->night - plant.night + 1);
        } else if (plant.kind == "disturb") {
            score.disturbed.push_back(std::any_of(said.begin(), said.end(), [&](const auto* one) {
                return *one->night == plant.night && one->verdict == "regression";
            }));
        }
    }
}

double sum_of_searches(const auto& counts) {
    double sum = 0;
    for (const auto& [key, count] : counts) {
        const auto& purpose = std::get<1>(key);
        if (purpose == "probe" || purpose == "verify") sum += count;
    }
    return sum;
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void Tally::add(const std::string& name, double count) {
    const auto found = std::find_if(
        counts_.begin(), counts_.end(), [&](const auto& one) { return one.first == name; });
    if (found == counts_.end()) {
        counts_.emplace_back(name, count);
    } else {
        found->second += count;
    }
}

void Tally::add(const Tally& other) {
    for (const auto& [name, count] : other.counts_) add(name, count);
}

double Tally::operator[](const std::string& name) const {
    for (const auto& [known, count] : counts_) {
        if (known == name) return count;
    }
    return 0;
}

double Tally::sum() const {
    double sum = 0;
    for (const auto& [name, count] : counts_) sum += count;
    return sum;
}

std::string Tally::text() const {
    std::string text;
    for (const auto& [name, count] : counts_) {
        text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", name, count);
    }
    return text.empty() ? "none" : text;
}

Score judge(const World& world, const Record& record) {
    const Reading reading(world, record);
    Score score;
    judge_plants(reading, score);
    judge_issues(reading, score);
    judge_clean(reading, score);
    judge_noise_only(reading, score);
    judge_others(reading, score);
    for (const auto& storm : record.storms) {
        const auto night = reading.night_of(storm.nightly).value_or(-1);
        const auto move = world.move_nights().find(night);
        const auto what = move == world.move_nights().end() ? "no move" : move->second;
        score.storms.add(what + ": " + storm.state);
    }
    for (const auto& [state, count] : record.searches) score.searches.add(state, count);
    score.search_jobs = sum_of_searches(record.jobs);
    score.search_runs = sum_of_searches(record.runs);
    score.search_built = sum_of_searches(record.built);
    score.released = record.released;
    score.stuck = record.stuck;
    score.failed = record.failed;
    return score;
}

void NoiseOnly::add(const NoiseOnly& other) {
    series_nights += other.series_nights;
    suspicions.add(other.suspicions);
    measured.add(other.measured);
    drifts.add(other.drifts);
}

void Score::add(const Score& other) {
    append(fates, other.fates);
    append(false_issues, other.false_issues);
    append(innocent, other.innocent);
    append(back, other.back);
    append(better, other.better);
    append(disturbed, other.disturbed);
    append(released, other.released);
    append(stuck, other.stuck);
    append(failed, other.failed);
    causes += other.causes;
    doubles += other.doubles;
    split += other.split;
    same_culprit += other.same_culprit;
    clean.add(other.clean);
    opened.add(other.opened);
    runs.add(other.runs);
    verdicts.add(other.verdicts);
    noise_only.add(other.noise_only);
    storms.add(other.storms);
    searches.add(other.searches);
    search_jobs += other.search_jobs;
    search_runs += other.search_runs;
    search_built += other.search_built;
}

}  // namespace vigil::nights
