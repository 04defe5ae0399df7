#include "service/watch/recover/reverted.hpp"

#include <string>
#include <utility>

#include "schema/log/log.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/fixes.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/watch/recover/fix.hpp"

namespace vigil::service {

namespace {

constexpr int nights_looked_at = 30;  // a culprit is reverted within days, or fixed otherwise

void tell_revert(
    Database& db,
    const Config& config,
    const RegressionRow& regression,
    const FixRow& asked,
    std::int64_t now_s) {
    auto told = decide_fix(db, config, asked);
    if (!told.unlisted.empty()) return;
    const bool is_revert = told.by == history::FixedBy::revert && !told.of_suspects;
    const auto before = find_vain_revert(db, regression.id);
    if (!is_revert) {  // it was brought back, or never reverted
        if (before) remove_fix(db, before->id);
        return;
    }
    const bool is_news = !before || load_told(db, before->id).revision != told.revision;
    if (before) remove_fix(db, before->id);
    mark_reported(db, asked.id, told);
    touch_regression(db, regression.id, now_s);
    if (!is_news) return;
    record_regression_event(
        db,
        regression.id,
        "still_worse",
        "not back at its level: its culprit was " + words_of(told, asked.bad, asked.fixed),
        now_s);
}

}  // namespace

void expect_reverts(Database& db, const ProjectConfig& config, NightlyId nightly) {
    if (!has_history(config)) return;
    for (const auto& regression : list_named_before(db, nightly, nights_looked_at)) {
        if (find_fix(db, regression.id, nightly)) continue;
        add_fix(db, regression.id, nightly, load_finding_night(db, regression.id));
    }
}

void tell_reverts(Database& db, const Config& config, NightlyId nightly, std::int64_t now_s) {
    for (const auto& regression : list_named_before(db, nightly, nights_looked_at)) {
        const auto asked = find_fix(db, regression.id, nightly);
        if (!asked || asked->state != FixState::listed) continue;
        if (came_back(db, regression.id, nightly)) continue;
        if (!is_still_worse(db, regression.id, nightly)) continue;
        const auto trouble =
            try_alone(db, [&] { tell_revert(db, config, regression, *asked, now_s); });
        if (!trouble) continue;
        log_warn("mending.unreadable", {{"regression", regression.id.value}, {"error", *trouble}});
    }
}

}  // namespace vigil::service
