#include "service/pages/findings/regression_rows.hpp"

#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

std::string change_words(const ListedSeriesChange& series) {
    const auto& size = series.size;
    if (size && size->before == 0 && !size->change_ratio) {
        return moved_words(from_zero, size->before, size->after, series.unit);
    }
    const auto sized = size ? sized_words(*size) : "";
    if (!sized.empty()) return sized;
    const auto alone = percent_words(series.change_ratio);
    return alone.empty() ? "" : alone + " by the night alone";
}

nlohmann::json today_view(const ListedSeriesChange& series) {
    const auto& today = series.today;
    if (!today) return nullptr;
    return {{"level", sized_words(*today)}, {"night", name_words(today->night)}};
}

namespace {

nlohmann::json worst_view(const ListedSeriesChange* worst) {
    if (worst == nullptr) return nullptr;
    nlohmann::json view = {
        {"series", series_words(*worst)},
        {"change", change_words(*worst)},
        {"today", today_view(*worst)}};
    if (const auto& size = worst->size) {
        view["moved"] = {
            {"before", quantity_words(size->before, worst->unit)},
            {"after", quantity_words(size->after, worst->unit)}};
    }
    return view;
}

nlohmann::json culprit_view(const std::optional<ListedCommit>& commit) {
    if (!commit) return nullptr;
    return {
        {"revision", short_revision(commit->revision)},
        {"subject", name_words(commit->subject)},
        {"author", name_words(commit->author)}};
}

}  // namespace

nlohmann::json regression_row(const ListedRegression& regression, const HandlerContext& context) {
    const auto* worst = regression.worst();
    const auto others = std::max<std::int64_t>(0, std::ssize(regression.series) - 1);
    return {
        {"id", regression.id},
        {"project", name_words(regression.project)},
        {"state", state_view(regression.standing())},
        {"worst", worst_view(worst)},
        {"unsized", worst == nullptr},
        {"others",
         others > 0 ? "and " + text::counted(others, "other series", "other series") : ""},
        {"culprit", culprit_view(regression.culprit_commit)},
        {"range",
         {{"good", short_revision(regression.good_revision)},
          {"bad", short_revision(regression.bad_revision)}}},
        {"since", time_view(regression.created_at_s, context.now_s)},
        {"assigned", name_words(regression.assigned)},
        {"muted", regression.muted}};
}

nlohmann::json regression_rows(
    const std::vector<ListedRegression>& regressions, const HandlerContext& context) {
    auto rows = nlohmann::json::array();
    for (const auto& one : regressions) rows.push_back(regression_row(one, context));
    return rows;
}

}  // namespace vigil::service
