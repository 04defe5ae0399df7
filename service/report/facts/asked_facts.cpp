#include "service/report/facts/asked_facts.hpp"

#include <algorithm>
#include <cmath>

#include "service/store/findings/requests.hpp"

namespace vigil::service {

AskedFacts load_asked_facts(Database& db, RequestId request, const Config& config) {
    AskedFacts facts;
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
    facts.unjudged = list_unjudged_variants(db, request);
    facts.runs = count_runs(db, request);
    return facts;
}

}  // namespace vigil::service
