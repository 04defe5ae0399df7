#include "service/watch/requested/improvements.hpp"

#include <vector>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/improvements.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/ids.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/requested/ask.hpp"
#include "service/watch/requested/choose_improvements.hpp"
#include "service/watch/requested/requested_search.hpp"
#include "service/watch/search/regressions.hpp"

namespace vigil::service {

namespace {

constexpr int most_open = max_open_requests / 2;  // the other half is kept for people

RequestId ask_for(
    Database& db,
    const ProjectConfig& config,
    const NightlyRow& nightly,
    const ImprovementGroup& group,
    std::int64_t now_s) {
    check_searchable(config);
    if (list_open_requests(db, most_open).size() == most_open) {
        throw Error(
            Errc::conflict,
            fmt::format("{} requests wait or are measured, and people come first", most_open));
    }
    const auto good = build_of(db, group.largest.good_nightly);
    if (load_revision(db, good) == load_revision(db, nightly.build)) {
        throw Error(Errc::conflict, "both builds are of one revision");
    }
    const auto series = load_series(db, group.largest.series);
    NewRequest wanted;
    wanted.project = nightly.project;
    wanted.kind = RequestKind::bisection;
    wanted.a = "build/" + to_string(good);
    wanted.b = "build/" + to_string(nightly.build);
    wanted.a_build = good;
    wanted.b_build = nightly.build;
    wanted.asked.variants = {
        {series.benchmark, series.variant, load_machine_class_name(db, series.machine_class)}};
    wanted.asked.metric = series.metric;
    wanted.asked.series = series.id;
    wanted.asked.max_probes = group.probes;
    wanted.token = "vigild";
    return ask(db, wanted, now_s);
}

}  // namespace

void search_improvements(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    const int probes = config.search.improvements;
    if (probes == 0) return;
    auto better = list_better(db, nightly.id);
    std::erase_if(better, [&](const auto& one) { return is_left_out(db, nightly.id, one.series); });
    for (const auto& group : choose_improvements(group_by_good(db, config, better), probes)) {
        const auto suspicion = group.largest.suspicion;
        NewImprovement row{suspicion, nightly.project, nightly.id, group.others, {}, {}};
        if (group.probes == 0) {
            row.message = fmt::format(
                "larger improvements of this night took its {} probes (search.improvements)",
                probes);
        } else if (const auto why = try_alone(db, [&] {
                       row.request = ask_for(db, config, nightly, group, now_s);
                   })) {
            row.request.reset();
            row.message = *why;
        }
        add_improvement(db, row, now_s);
    }
}

void settle_improvements(Database& db, std::int64_t now_s) {
    constexpr int most = 20;  // the next call goes on
    for (const auto& one : list_searched_improvements(db, most)) {
        ImprovementEnd end;
        const auto trouble = try_alone(db, [&] {
            if (const auto search = find_bisection_of(db, one.request)) {
                if (auto found = find_found(db, *search)) end.found = std::move(*found);
            }
        });
        end.message = trouble.value_or(find_request_message(db, one.request));
        end_improvement(db, one.suspicion, end, now_s);
    }
}

}  // namespace vigil::service
