#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/trust_words.hpp"

namespace vigil::service {

http::Response get_trust_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(get_precision, request, db, context);
    const auto asked = given_filters(request);
    const auto question = api_request(request, asked, {});
    const auto facts = load_precision(question, db, context);
    nlohmann::json view = {
        {"title", trust_title(facts)},
        {"filter_form",
         filter_form(
             {choice_field("project", "Project", names_in(context.config.projects), asked),
              text_field("since", "Since (a day)", asked),
              text_field("until", "Until", asked)})},
        {"figures", trust_figures(facts)},
        {"suspicions", suspicion_rows(facts)},
        {"regressions", answered_rows(facts)},
        {"noisy", nullptr}};
    const auto other = load_thresholds(question, db, context);
    if (other.measured != 0) {
        view["other"] = {{"measured", other.measured}, {"rows", threshold_rows(other.thresholds)}};
    }
    if (auto rows = noisy_rows(facts); !rows.empty()) view["noisy"] = {{"rows", std::move(rows)}};
    return page_response(request, "trust.html", std::move(view), Shows::thing);
}

}  // namespace vigil::service
