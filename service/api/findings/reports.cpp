#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/report/deliver/notices.hpp"
#include "service/report/deliver/outbox.hpp"
#include "service/store/lists/lists.hpp"
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

// The pace of attempts is counted in steady time; people read the time of day.
void tell_next_attempt(nlohmann::json& message, Database&, const HandlerContext& context) {
    auto& at_s = message.at("next_attempt_at_s");
    if (!at_s.is_null()) at_s = at_s.get<std::int64_t>() + context.now_s - context.steady_s;
}

http::Response post_outbox_retry(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto id = id_parameter(request);
    const auto message = load_one(db, lists::outbox, id);
    const ReportId report{message.at("report").get<std::int64_t>()};
    if (retry_given_up(db, report, context.moment(), id).empty()) {
        throw Error(
            Errc::conflict,
            "message " + std::to_string(id) + " is " + message.at("state").get<std::string>() +
                "; sent again is what was given up and no newer version replaced");
    }
    auto now = load_one(db, lists::outbox, id);
    tell_next_attempt(now, db, context);
    return object_response(std::move(now));
}

http::Response post_notice_retry(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto id = id_parameter(request);
    const auto notice = load_one(db, lists::notices, id);
    if (!retry_notice(db, id, context.moment())) {
        throw Error(
            Errc::conflict,
            "notice " + std::to_string(id) + " is " + notice.at("state").get<std::string>() +
                "; sent again is what was given up");
    }
    auto now = load_one(db, lists::notices, id);
    tell_next_attempt(now, db, context);
    return object_response(std::move(now));
}

}  // namespace vigil::service
