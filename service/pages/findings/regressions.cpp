#include <array>

#include <nlohmann/json.hpp>

#include "schema/model/regression_words.hpp"
#include "schema/text/numbers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/findings/regression_rows.hpp"

namespace vigil::service {

namespace {

std::string regressions_title(const RowPage<ListedRegression>& page, const std::string& state) {
    const auto count = std::ssize(page.rows);
    const auto words =
        (page.next_cursor.empty() ? "" : "More than ") + text::counted(count, "regression");
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
    if (wants_data(request)) return data_response(ListedRegression::list, request, db, context);
    auto page = request;
    auto& asked = page.query;
    if (asked.empty()) asked["state"] = "open";  // what waits for somebody
    asked = given_filters(page);
    const auto list = Asker{page, db, context}.page<ListedRegression>(asked);
    const auto found = asked.find("state");
    const auto state = found == asked.end() ? "" : found->second;
    nlohmann::json view = {
        {"title", regressions_title(list, state)},
        {"filter_form",
         filter_form(
             {choice_field("state", "State", state_choices(), asked),
              choice_field("project", "Project", names_in(context.config.projects), asked),
              text_field("assigned", "Assigned to", asked),
              text_field("benchmark", "Benchmark", asked),
              text_field("author", "Author", asked)})},
        {"rows",
         {{"template", "regression_rows.html"},
          {"regression", regression_rows(list.rows, context)}}},
        {"none", list.rows.empty()},
        {"next", next_view(page, list.next_cursor)}};
    return page_response(page, "regressions.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
