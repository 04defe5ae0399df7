#include <nlohmann/json.hpp>

#include "service/api/rows/results.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/findings/markdown.hpp"

namespace vigil::service {

http::Response get_week_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(get_week, request, db, context);
    const auto asked = given_filters(request);
    const auto week = Asker{request, db, context}.answer<WeekText>(asked, {});
    nlohmann::json view = {
        {"title", "A week of " + week.project},
        {"filter_form",
         filter_form(
             {choice_field(
                  "project", "Project", names_in(context.config.projects), asked, "the first"),
              text_field("until", "Until (a day)", asked)})},
        {"body", markdown_view(week.body)}};
    return page_response(request, "week.html", std::move(view), Shows::thing);
}

}  // namespace vigil::service
