#include <array>

#include <nlohmann/json.hpp>

#include "schema/model/regression_words.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/findings/regression_rows.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

constexpr Handler list_regressions = list_of<lists::regressions, add_worst>;

std::string regressions_title(const nlohmann::json& items, bool more, const std::string& state) {
    const auto count = static_cast<std::int64_t>(items.size());
    const auto words = (more ? "More than " : "") + text::counted(count, "regression");
    if (state == "open") return count == 0 ? "No regression is open" : words + " open";
    return count == 0 ? "No such regression" : words;
}

std::vector<std::string> state_choices() {
    auto choices = regression_words();
    std::erase(choices, "confirmed");  // it means "open"
    return choices;
}

}  // namespace

http::Response get_regressions_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(list_regressions, request, db, context);
    auto page = request;
    auto& asked = page.query;
    if (asked.empty()) asked["state"] = "open";  // what waits for somebody
    asked = given_filters(page);
    const auto list = read_api(list_regressions, page, db, context, asked, {});
    const auto& items = list.at("items");
    const bool more = !list.at("next_cursor").is_null();
    const auto found = asked.find("state");
    const auto state = found == asked.end() ? "" : found->second;
    nlohmann::json view = {
        {"title", regressions_title(items, more, state)},
        {"filter_form",
         filter_form(
             {choice_field("state", "State", state_choices(), asked),
              choice_field("project", "Project", names_in(context.config.projects), asked),
              text_field("assigned", "Assigned to", asked),
              text_field("benchmark", "Benchmark", asked),
              text_field("author", "Author", asked)})},
        {"rows",
         {{"template", "regression_rows.html"}, {"regression", regression_rows(items, context)}}},
        {"none", items.empty()},
        {"next", next_view(page, list)}};
    return page_response(page, "regressions.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
