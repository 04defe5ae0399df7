#include "service/watch/requested/ask.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/model/state_sets.hpp"
#include "service/store/findings/reported.hpp"
#include "service/watch/requested/requests.hpp"

namespace vigil::service {

namespace {

double change_size(const ReportedSeries& series) {
    return std::abs((series.verified ? *series.verified : series.confirmed).change_ratio);
}

/// Those that are still worse, or all where none is; of what the project measures today.
std::vector<ReportedSeries> list_requested_series(
    Database& db, RegressionId regression, const std::vector<RequestedVariant>& measured) {
    auto all = list_reported_series(db, regression);
    std::erase_if(
        all, [&](const auto& one) { return std::ranges::count(measured, variant_of(one)) == 0; });
    auto worse = all;
    std::erase_if(worse, [](const auto& one) { return !one.recovered_night.empty(); });
    return worse.empty() ? all : worse;
}

void choose_series(RequestedMeasurement& asked, std::vector<ReportedSeries> series) {
    std::erase_if(series, [](const auto& one) { return !is_on_values(one.verdict); });
    if (series.empty()) {
        throw Error(
            Errc::conflict,
            "none of its series changed in a value; what does not run or leaks is not searched "
            "again");
    }
    const auto most =
        std::max_element(series.begin(), series.end(), [](const auto& a, const auto& b) {
            return change_size(a) < change_size(b);
        });
    asked.variants = {variant_of(*most)};
    asked.metric = most->metric;
    asked.series = most->id;
}

}  // namespace

RequestedVariant variant_of(const ReportedSeries& series) {
    return {series.program, series.variant, series.machine_class};
}

std::vector<RequestedVariant> list_measured_variants(const ProjectConfig& config) {
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    std::vector<RequestedVariant> all;
    for (const auto& entry : config.matrix) {
        for (const auto& plan : config.suites.at(entry.suite)) {
            for (const auto& machine_class : entry.machine_classes) {
                if (!seen.emplace(plan.benchmark, plan.variant, machine_class).second) continue;
                all.push_back({plan.benchmark, plan.variant, machine_class});
            }
        }
    }
    return all;
}

int most_runs(RequestKind kind, std::size_t variants, int runs) {
    const int of_one = kind == RequestKind::run ? runs
                       : runs > 0               ? 4 * ((runs + 1) / 2)
                                                : 4 * most_requested_blocks;
    return static_cast<int>(variants) * of_one;
}

int runs_that_fit(RequestKind kind, std::size_t variants) {
    if (most_runs(kind, variants, 0) <= max_runs_of_request) return 0;
    const int blocks = max_runs_of_request / (4 * static_cast<int>(variants));
    return std::max(2 * blocks, 2);
}

RequestId ask(Database& db, const NewRequest& wanted, std::int64_t now_s) {
    const auto& asked = wanted.asked;
    const int most = most_runs(wanted.kind, asked.variants.size(), asked.runs);
    if (most > max_runs_of_request) {
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "it would take up to {} runs of {} variants; one request takes at most {}: name "
                "the suite, the benchmark or the variant, or fewer runs",
                most,
                asked.variants.size(),
                max_runs_of_request));
    }
    if (list_open_requests(db, max_open_requests).size() == max_open_requests) {
        throw Error(
            Errc::conflict,
            fmt::format(
                "{} requests wait or are measured; ask again when one has ended, or cancel one "
                "(GET /api/v1/requests)",
                max_open_requests));
    }
    if (wanted.kind != RequestKind::run && wanted.a_build && wanted.a_build == wanted.b_build) {
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "\"{}\" and \"{}\" are both build {}: there is nothing to compare",
                wanted.a,
                wanted.b,
                wanted.a_build->value));
    }
    return add_request(db, wanted, now_s);
}

RequestId ask_again(
    Database& db,
    const Config& config,
    RegressionId regression,
    RequestedAgain what,
    const std::string& by,
    std::int64_t now_s) {
    const auto about = load_reported_regression(db, regression);
    const auto project = config.projects.find(about.project);
    if (project == config.projects.end()) {
        throw Error(Errc::conflict, "the config has no project " + about.project + " any more");
    }
    const auto measured = list_measured_variants(project->second);
    const auto series = list_requested_series(db, regression, measured);
    if (series.empty()) {
        throw Error(
            Errc::conflict,
            "project " + about.project +
                " measures none of its series here (its matrix is in the config)");
    }
    NewRequest wanted;
    wanted.project = about.project_id;
    wanted.token = by;
    wanted.a_build = about.good_build;
    wanted.b_build = about.bad_build;
    wanted.a = "build/" + to_string(about.good_build);
    wanted.b = "build/" + to_string(about.bad_build);
    wanted.kind = what == RequestedAgain::search ? RequestKind::bisection : RequestKind::comparison;
    switch (what) {
        case RequestedAgain::everything:
            wanted.asked.variants = measured;
            wanted.asked.runs = runs_that_fit(wanted.kind, measured.size());
            break;
        case RequestedAgain::its_series:
            for (const auto& one : series) {
                const auto variant = variant_of(one);
                if (std::ranges::count(wanted.asked.variants, variant) == 0) {
                    wanted.asked.variants.push_back(variant);
                }
            }
            break;
        case RequestedAgain::search:
            check_searchable(project->second);
            choose_series(wanted.asked, series);
            break;
    }
    return ask(db, wanted, now_s);
}

}  // namespace vigil::service
