#include "service/api/common/best_comparison.hpp"

#include <nlohmann/json.hpp>

namespace vigil::service {

const nlohmann::json& best_comparison(const nlohmann::json& series) {
    static const nlohmann::json none;
    for (const char* by : {"verified", "confirmed"}) {
        const auto found = series.find(by);
        const bool is_known = found != series.end() && found->is_object() &&
                              found->contains("change_ratio") &&
                              found->at("change_ratio").is_number();
        if (is_known) return *found;
    }
    return none;
}

const nlohmann::json& best_ratio(const nlohmann::json& series) {
    const auto& best = best_comparison(series);
    return best.is_null() ? series.at("change_ratio") : best.at("change_ratio");
}

}  // namespace vigil::service
