#include "service/report/culprits.hpp"

#include <algorithm>

#include "service/report/comments.hpp"
#include "service/report/render/render_culprit.hpp"
#include "service/report/render/sections.hpp"
#include "service/store/alone.hpp"
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
        return asks_for_action(told.facts.state) && told.facts.culprit == told.revision;
    });
    // That it is over is not said where all before was given up.
    if (!asks && drop_given_up(db, words.target, words.place)) return;
    put_notice(db, words, now_s);
}

}  // namespace

void note_culprit(Database& db, const Config& config, const RegressionFacts& facts) {
    untell_culprits(db, facts.id);
    if (!facts.culprit || !asks_for_action(facts.state)) return;
    for (const auto& target : trackers_of(db, config, facts)) {
        if (!wants_culprits(config, target)) continue;
        add_culprit_pull(db, facts.id, target, *facts.culprit);
    }
}

int culprit_step(Database& db, const Config& config, std::int64_t now_s) {
    const auto places = list_untold_culprits(db, max_places_at_once);
    for (const auto& place : places) {
        if (wants_culprits(config, place.target)) tell_place(db, config, place, now_s);
        note_culprits_told(db, place);
    }
    return int(places.size());
}

}  // namespace vigil::service
