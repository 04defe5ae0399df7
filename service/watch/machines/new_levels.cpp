#include "service/watch/machines/new_levels.hpp"

#include "service/watch/series/series_records.hpp"

namespace vigil::service {

int begin_levels_of_times(
    Database& db,
    NightlyId nightly,
    NightlyId first,
    const std::string& why,
    const std::function<bool(const SeriesRow&)>& is_moved,
    std::int64_t now_s) {
    int begun = 0;
    for (const auto& series : list_series_of(db, nightly)) {
        if (kind_of(series.metric) != MetricKind::time || !is_moved(series)) continue;
        begin_level(db, series.id, first, why, now_s);
        ++begun;
    }
    return begun;
}

}  // namespace vigil::service
