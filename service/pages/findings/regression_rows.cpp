#include "service/pages/findings/regression_rows.hpp"

#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/api/common/sizes.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

/// The series that got worse the most; null where none has a size.
const nlohmann::json& worst_of(const nlohmann::json& series) {
    static const nlohmann::json none;
    const auto* worst = &none;
    for (const auto& one : series) {
        const auto& ratio = ratio_of(one);
        if (!ratio.is_number()) continue;
        if (worst->is_null() || ratio_of(*worst) < ratio) worst = &one;
    }
    return *worst;
}

}  // namespace

std::string change_words(const nlohmann::json& series) {
    const auto& size = series.at("size");
    const auto& before = member(size, "before");
    if (before.is_number() && before == 0 && member(size, "change_ratio").is_null()) {
        return moved_words(from_zero, before, member(size, "after"), series.at("unit"));
    }
    const auto sized = sized_words(size);
    if (!sized.empty()) return sized;
    const auto alone = percent_words(series.at("change_ratio"));
    return alone.empty() ? "" : alone + " by the night alone";
}

nlohmann::json today_view(const nlohmann::json& series) {
    const auto& today = series.at("today");
    if (!today.is_object()) return nullptr;
    return {{"level", sized_words(today)}, {"night", name_words(today.at("night"))}};
}

namespace {

nlohmann::json worst_view(const nlohmann::json& worst) {
    if (worst.is_null()) return nullptr;
    nlohmann::json view = {
        {"series", series_words(worst)},
        {"change", change_words(worst)},
        {"today", today_view(worst)}};
    const auto& size = worst.at("size");
    const auto& before = member(size, "before");
    const auto& after = member(size, "after");
    if (before.is_number() && after.is_number()) {
        view["moved"] = {
            {"before", quantity_words(before, worst.at("unit"))},
            {"after", quantity_words(after, worst.at("unit"))}};
    }
    return view;
}

nlohmann::json culprit_view(const nlohmann::json& regression) {
    const auto& commit = regression.at("culprit_commit");
    if (commit.is_null()) return nullptr;
    return {
        {"revision", short_revision(commit.at("revision"))},
        {"subject", name_words(commit.at("subject"))},
        {"author", name_words(commit.at("author"))}};
}

}  // namespace

nlohmann::json regression_row(const nlohmann::json& regression, const HandlerContext& context) {
    const auto& worst = worst_of(regression.at("series"));
    const auto series = regression.at("series").size();
    const auto others = static_cast<std::int64_t>(series > 1 ? series - 1 : 0);
    return {
        {"id", regression.at("id")},
        {"project", name_words(regression.at("project"))},
        {"state", state_view(standing_of(regression))},
        {"worst", worst_view(worst)},
        {"unsized", worst.is_null()},
        {"others",
         others > 0 ? "and " + text::counted(others, "other series", "other series") : ""},
        {"culprit", culprit_view(regression)},
        {"range",
         {{"good", short_revision(regression.at("good_revision"))},
          {"bad", short_revision(regression.at("bad_revision"))}}},
        {"since", time_view(regression.at("created_at_s"), context.now_s)},
        {"assigned", name_words(regression.at("assigned"))},
        {"muted", regression.at("muted")}};
}

nlohmann::json regression_rows(const nlohmann::json& items, const HandlerContext& context) {
    auto rows = nlohmann::json::array();
    for (const auto& one : items) rows.push_back(regression_row(one, context));
    return rows;
}

}  // namespace vigil::service
