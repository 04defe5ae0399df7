#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/report/deliver/outbox.hpp"
#include "service/store/lists/names.hpp"

namespace vigil::service {

http::Response post_report_retry(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const ReportId id{id_parameter(request)};
    if (!has_id(db, "report", id.value)) throw_missing("report", id.value);
    return object_response(
        {{"id", id.value}, {"targets", retry_given_up(db, id, context.moment())}});
}

}  // namespace vigil::service
