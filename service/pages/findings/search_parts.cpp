#include "service/pages/findings/search_parts.hpp"

#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/search_view.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t most_named_series = 12;

SeriesNames names_of(const Asker& asker, const nlohmann::json& standing) {
    SeriesNames names;
    for (const auto& one : standing.at("series")) {
        if (names.size() == most_named_series) break;
        const auto& id = one.at("series");
        const auto series = read_api(
            one_of<lists::series>, asker.request, asker.db, asker.context, {}, {{"id", id.dump()}});
        names[id.get<std::int64_t>()] = {
            series_words(series), series.at("unit").get<std::string>()};
    }
    return names;
}

}  // namespace

nlohmann::json search_parts(
    const Asker& asker, const nlohmann::json& bisection, const nlohmann::json& standing) {
    const auto names = names_of(asker, standing);
    return {
        {"range", range_view(bisection, standing)},
        {"posterior", posterior_views(bisection, standing, names)},
        {"probes", probes_view(bisection, names, asker.context.now_s)}};
}

}  // namespace vigil::service
