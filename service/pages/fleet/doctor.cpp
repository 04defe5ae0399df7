#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t most_of_a_line = 1000;

json finding_rows(const json& findings, std::int64_t now_s) {
    auto rows = json::array();
    for (const auto& one : findings) {
        const auto& since = one.at("since_s");
        rows.push_back(
            {{"badness", state_view(one.at("badness").get<std::string>())},
             {"kind", one.at("kind")},
             {"subject", name_words(one.at("subject").get<std::string>())},
             {"message", shown_text(one.at("message").get<std::string>(), most_of_a_line)},
             {"remedy", shown_text(one.at("remedy").get<std::string>(), most_of_a_line)},
             {"begun", nullptr}});
        if (since.is_null()) continue;
        rows.back()["begun"] = {{"since", time_view(since.get<std::int64_t>(), now_s)}};
    }
    return rows;
}

std::string doctor_title(const json& answer) {
    if (answer.at("findings").empty()) return "The doctor finds nothing";
    if (answer.at("healthy").get<bool>()) return "Nothing needs a person";
    const auto count = static_cast<std::int64_t>(answer.at("findings").size());
    return "The doctor has " + text::counted(count, "finding", "findings");
}

}  // namespace

http::Response get_doctor_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(get_doctor, request, db, context);
    const auto answer = read_api(get_doctor, request, db, context, {}, {});
    const auto part = [&](const char* checked, const char* all) {
        return std::to_string(answer.at(checked).get<int>()) + " of " +
               std::to_string(answer.at(all).get<int>());
    };
    json view = {
        {"title", doctor_title(answer)},
        {"findings", nullptr},
        {"tables", part("tables_checked", "tables")},
        {"content", part("content_parts_checked", "content_parts")}};
    auto rows = finding_rows(answer.at("findings"), context.now_s);
    if (!rows.empty()) view["findings"] = {{"rows", std::move(rows)}};
    // Not live: looking for it takes seconds, and every event would ask for it again.
    return page_response(request, "doctor.html", std::move(view), Shows::answer);
}

}  // namespace vigil::service
