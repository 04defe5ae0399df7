#include "service/report/facts/requested_facts.hpp"

#include <algorithm>
#include <cmath>

#include "service/store/findings/requests.hpp"
#include "service/store/series/sessions.hpp"

namespace vigil::service {

namespace {

bool runs_before_only(Database& db, const UnjudgedVariant& variant) {
    const auto counts = count_outcomes(db, variant.session);
    return counts.a_passed > 0 && counts.b_runs > 0 && counts.b_passed == 0;
}

}  // namespace

RequestedFacts load_requested_facts(Database& db, RequestId request, const Config& config) {
    RequestedFacts facts;
    static_cast<ReportedRequest&>(facts) = load_reported_request(db, request);
    facts.links = links_of(config, facts.project);
    facts.series = list_judged_series(db, request);
    std::stable_sort(facts.series.begin(), facts.series.end(), [](const auto& a, const auto& b) {
        const auto worse = [](const JudgedSeries& one) {
            return one.verdict == Verdict::regression ? 1 : 0;
        };
        if (worse(a) != worse(b)) return worse(a) > worse(b);
        return std::abs(a.comparison.change_ratio) > std::abs(b.comparison.change_ratio);
    });
    const bool two_builds = facts.kind == RequestKind::comparison && !facts.a.empty();
    for (auto& one : list_unjudged_variants(db, request)) {
        const bool is_broken = two_builds && runs_before_only(db, one);
        (is_broken ? facts.broken : facts.unjudged).push_back(std::move(one));
    }
    facts.runs = count_runs(db, request);
    return facts;
}

}  // namespace vigil::service
