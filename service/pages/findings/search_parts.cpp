#include "service/pages/findings/search_parts.hpp"

#include <nlohmann/json.hpp>

#include "service/api/rows/results.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/search_view.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t most_named_series = 12;

SeriesNames names_of(const Asker& asker, const SearchStanding& standing) {
    SeriesNames names;
    for (const auto& one : standing.series) {
        if (names.size() == most_named_series) break;
        const auto series = asker.one<ListedSeries>(one.series.value);
        names[one.series.value] = {series_words(series), series.unit};
    }
    return names;
}

}  // namespace

nlohmann::json search_parts(
    const Asker& asker, const WholeSearch& search, const SearchStanding& standing) {
    const auto names = names_of(asker, standing);
    nlohmann::json parts = {
        {"range", range_view(search, standing)},
        {"probes", probes_view(search, names, asker.context.now_s)},
        {"likely", nullptr}};
    if (auto posterior = posterior_views(search, standing, names); !posterior.empty()) {
        parts["likely"] = {{"posterior", std::move(posterior)}};
    }
    return parts;
}

}  // namespace vigil::service
