#include "tests/bench/nights/reading.hpp"

#include <algorithm>

namespace vigil::nights {

namespace {

constexpr int nights_after = 8;  // so long after a change a series-night is not called clean

}  // namespace

Reading::Reading(const World& the_world, const Record& the_record)
    : world(the_world),
      record(the_record),
      issues_(world.series().size()),
      said_(world.series().size()),
      changed_(world.series().size()) {
    for (const auto& [night, what] : world.move_nights()) {
        if (what == "class") class_move_ = std::min(class_move_, night);
    }
    for (const auto& report : record.reports) {
        if (report.issue.state == "not_reproduced") continue;
        for (const auto& one : report.issue.series) {
            const auto [known, is_new] =
                seen_.try_emplace({report.issue.id, one.series}, report.night);
            if (!is_new) known->second = std::min(known->second, report.night);
        }
    }
    for (const auto& issue : record.issues) {
        for (const auto& one : issue.series) {
            if (!seen(issue, one.series) || issue.state == "not_reproduced") continue;
            issues_[static_cast<std::size_t>(one.series)].push_back(&issue);
        }
    }
    for (const auto& one : record.suspicions) {
        if (one.night) said_[static_cast<std::size_t>(one.series)].push_back(&one);
    }
    for (auto& said : said_) {
        std::stable_sort(said.begin(), said.end(), [](const auto* a, const auto* b) {
            return *a->night < *b->night;
        });
    }
    for (std::size_t i = 0; i < changed_.size(); ++i) {
        const auto& one = world.series()[i];
        changed_[i] = one.disturbed;
        for (const auto& event : one.events) {
            changed_[i].insert(world.commits().at(event.commit).night);
        }
    }
}

bool Reading::holds(const Issue& issue, int commit) const {
    const auto& commits = world.commits();
    const int pos = commits.at(commit).pos;
    return commits.at(issue.good).pos < pos && pos <= commits.at(issue.bad).pos;
}

bool Reading::is_near(int series, int night) const {
    const auto& changed = changed_[static_cast<std::size_t>(series)];
    const auto first = changed.upper_bound(night - nights_after);
    return first != changed.end() && *first <= night;
}

std::string Reading::when(int number, int night) const {
    if (night < world.options().warm) return "young";
    if (world.move_nights().contains(night)) return "move";
    if (series(number).disturbed.contains(night)) return "disturb";
    return is_near(number, night) ? "near" : "clean";
}

bool Reading::is_guilty(const Issue& issue, int number) const {
    const auto& events = series(number).events;
    return std::any_of(events.begin(), events.end(), [&](const Event& event) {
        return event.size > 0 && holds(issue, event.commit);
    });
}

std::optional<int> Reading::seen(const Issue& issue, int number) const {
    const auto found = seen_.find({issue.id, number});
    return found == seen_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int> Reading::night_of(std::int64_t nightly) const {
    const auto found = record.nights.find(nightly);
    return found == record.nights.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<const Issue*>& Reading::issues_of(int number) const {
    return issues_[static_cast<std::size_t>(number)];
}

const std::vector<const Suspected*>& Reading::said_of(int number) const {
    return said_[static_cast<std::size_t>(number)];
}

void Reading::name(const Plant& plant, const std::vector<const Issue*>& found, Fate& fate) const {
    const int commit = *plant.commit;
    const int merge = world.commits().on_line(world.commits().at(commit).pos);
    for (const auto* issue : found) {
        const auto& suspects = issue->suspects;
        const auto is_suspect = [&](int one) {
            return std::find(suspects.begin(), suspects.end(), one) != suspects.end();
        };
        if (issue->culprit == commit) {
            fate.named = "exact";
            return;
        }
        if (issue->culprit == merge) {
            fate.named = "merge";
        } else if (!issue->culprit && (is_suspect(commit) || is_suspect(merge))) {
            fate.named = "range";
            fate.size = static_cast<int>(suspects.size());
        } else if (fate.named == "-") {
            fate.named = "wrong";
        }
    }
}

// Small steps that are filed together are a sum; soon after a class moved its levels have begun
// anew.
std::string Reading::kind_of(const Plant& plant, const std::vector<const Issue*>& found) const {
    const auto& one = series(plant.series);
    const bool sums = std::any_of(found.begin(), found.end(), [&](const Issue* issue) {
        return std::count_if(one.events.begin(), one.events.end(), [&](const Event& event) {
                   return event.size > 0 && holds(*issue, event.commit);
               }) > 1;
    });
    if (plant.kind != "twice" && sums) return "sum";
    const bool after_move = one.machine_class == "m1" && class_move_ <= plant.night &&
                            plant.night - class_move_ < world.options().gap;
    return after_move && plant.kind != "twice" && plant.kind != "broad" ? "short" : plant.kind;
}

Fate Reading::fate_of(const Plant& plant) const {
    const int commit = *plant.commit;
    std::vector<const Issue*> found;
    for (const auto* issue : issues_of(plant.series)) {
        if (holds(*issue, commit)) found.push_back(issue);
    }
    Fate fate;
    fate.plant = plant;
    fate.series = series(plant.series).id;
    fate.noise = series(plant.series).noise_name;
    fate.kind = kind_of(plant, found);
    int first_seen = never;
    int youngest = never;
    const auto& commits = world.commits();
    for (const auto* issue : found) {
        fate.issues.push_back(issue->id);
        first_seen = std::min(first_seen, *seen(*issue, plant.series));
        const int age = commits.at(issue->bad).night - commits.at(issue->good).night;
        youngest = std::min(youngest, age);
    }
    if (!found.empty()) {
        fate.filed = first_seen - plant.night + 1;
        fate.age = youngest;
    }
    name(plant, found, fate);
    for (const auto& issue : record.issues) {
        const auto has = std::any_of(issue.series.begin(), issue.series.end(), [&](const auto& s) {
            return s.series == plant.series;
        });
        const bool is_found =
            std::find(fate.issues.begin(), fate.issues.end(), issue.id) != fate.issues.end();
        if (has && !is_found && holds(issue, commit)) fate.lost = true;
    }
    fate.first = "not asked";
    for (const auto* one : said_of(plant.series)) {
        const int night = *one->night;
        if (night == plant.night && !one->verdict.empty() && fate.first == "not asked") {
            fate.first = one->verdict;
        }
        const bool soon = plant.night <= night && night < plant.night + 6;
        if (one->in_session && one->change > 0 && soon && one->good.value_or(-1) >= plant.night) {
            fate.behind = true;
        }
    }
    std::set<int> causes;
    for (const auto& other : world.plants()) {
        if (other.night == plant.night && other.percent > 0) causes.insert(*other.commit);
    }
    fate.causes = static_cast<int>(causes.size());
    fate.told =
        plant.kind == "twice" && std::any_of(found.begin(), found.end(), [](const Issue* issue) {
            return issue->reason.find("further change of") != std::string::npos;
        });
    return fate;
}

Back Reading::back_of(const Plant& plant) const {
    Back back;
    back.percent = plant.percent;
    back.closed = true;
    int first = never;
    for (const auto* issue : issues_of(plant.series)) {
        if (!holds(*issue, *plant.commit)) continue;
        if (issue->state != "closed") back.closed = false;
        for (const auto& one : issue->series) {
            const auto night = night_of(one.recovered);
            if (one.series == plant.series && night) first = std::min(first, *night);
        }
    }
    if (first < never) back.recovered = first - *plant.revert + 1;
    std::set<std::string> words;
    for (const auto* one : said_of(plant.series)) {
        const bool soon = *plant.revert <= *one->night && *one->night < *plant.revert + 6;
        if (soon && one->change < 0) words.insert(one->verdict);
    }
    if (words.contains("improvement")) {
        back.said = "improvement, yet not fixed";
    } else if (words.contains("noise")) {
        back.said = "called noise";
    } else {
        for (const auto& word : words) back.said += (back.said.empty() ? "" : "/") + word;
        if (words.empty()) back.said = "not asked";
    }
    return back;
}

}  // namespace vigil::nights
