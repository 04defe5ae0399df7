#include "service/api/rows/asker.hpp"

#include <nlohmann/json.hpp>

#include "service/api/common/inner_call.hpp"
#include "service/api/rows/row_json.hpp"

namespace vigil::service {

void from_json(const nlohmann::json& object, NamedSeries& series) {
    object.at("benchmark").get_to(series.benchmark);
    object.at("case").get_to(series.case_name);
    object.at("variant").get_to(series.variant);
    object.at("machine_class").get_to(series.machine_class);
    object.at("metric").get_to(series.metric);
    object.at("quantity").get_to(series.quantity);
}

void from_json(const nlohmann::json& object, ListedChange& moved) {
    object.at("change_ratio").get_to(moved.change_ratio);
    object.at("low").get_to(moved.low);
    object.at("high").get_to(moved.high);
}

VIGIL_ROW_OF_BASE(ListedSize, ListedChange, before, after)
VIGIL_ROW(ListedCommit, revision, subject, author)

void from_json(const nlohmann::json& value, FactText& fact) {
    fact.text = value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

std::string Asker::take_items(Handler handler, const Texts& query, const Take& read) const {
    const auto answer = read_api(handler, request, db, context, query, {});
    for (const auto& item : answer.at("items")) read(item);
    const auto& cursor = answer.at("next_cursor");
    return cursor.is_null() ? "" : cursor.get<std::string>();
}

void Asker::take(
    Handler handler, const Texts& query, const Texts& parameters, const Take& read) const {
    read(read_api(handler, request, db, context, query, parameters));
}

}  // namespace vigil::service
