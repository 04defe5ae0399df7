#include "service/report/culprits.hpp"

#include <algorithm>

#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_culprit.hpp"
#include "service/report/render/sections.hpp"
#include "service/store/alone.hpp"
#include "service/store/ids.hpp"
#include "service/store/reports/culprit_pulls.hpp"
#include "service/store/reports/notices.hpp"

namespace vigil::service {

namespace {

constexpr int max_places_at_once = 10;  // the step is called again; keeps the transaction short
constexpr int max_of_one_pull = 10;     // regressions; a comment is to be read

bool wants_culprits(const Config& config, const std::string& name) {
    const auto target = config.report_targets.find(name);
    return target != config.report_targets.end() && target->second.culprit_comments;
}

std::vector<CulpritTold> load_told(Database& db, const Config& config, const CulpritPlace& place) {
    std::vector<CulpritTold> all;
    for (const auto& row : list_culprits_at(db, place, max_of_one_pull)) {
        // What cannot be read is told in its report.
        try_alone(db, [&] {
            all.push_back(
                {load_regression_facts(db, row.regression, config), row.revision, row.issue});
        });
    }
    return all;
}

void tell_place(Database& db, const Config& config, const CulpritPlace& place, std::int64_t now_s) {
    const auto all = load_told(db, config, place);
    if (all.empty()) return;
    NoticeWords words;
    words.target = place.target;
    words.number = place.number;
    words.place = "culprit/" + std::to_string(place.number);
    words.body = render_culprit(all);
    const bool asks = std::any_of(all.begin(), all.end(), [](const CulpritTold& told) {
        return is_open(told.facts.state) && told.facts.culprit == told.revision;
    });
    // That it is over is not said where all before was given up.
    if (!asks && drop_given_up(db, words.target, words.place)) return;
    put_notice(db, words, now_s);
}

// What is open is looked at anew each time: a target may want comments from now on.
void ask_for_all(Database& db, const Config& config) {
    for (const auto& [name, project] : config.projects) {
        for (const auto& target : project.reports) {
            if (!wants_culprits(config, target)) continue;
            if (const auto id = find_project(db, name)) ask_for_culprits(db, *id, target);
        }
    }
}

}  // namespace

int culprit_step(Database& db, const Config& config, std::int64_t now_s) {
    ask_for_all(db, config);
    int count = 0;
    for (const auto& [name, target] : config.report_targets) {
        if (!target.culprit_comments) continue;
        for (const auto& place : list_unreported_culprits(db, name, max_places_at_once)) {
            tell_place(db, config, place, now_s);
            note_culprits_told(db, place);
            ++count;
        }
    }
    return count;
}

}  // namespace vigil::service
