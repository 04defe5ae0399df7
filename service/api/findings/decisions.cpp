#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/handlers.hpp"
#include "service/store/findings/mutes.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/lists/lists.hpp"
#include "service/store/series/series.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_person_bytes = 200;
constexpr std::int64_t longest_mute_s = std::int64_t{366} * 86'400;

std::string reason_in(wire::ObjectReader& reader, const std::string& what) {
    const auto reason = reader.text_or("reason", "", max_reason_bytes);
    if (!is_blank(reason)) return reason;
    throw Error(Errc::invalid_argument, "body.reason is missing: say why " + what);
}

/// Reads the body of a mute, and makes it.
http::Response mute_by(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    NewMute mute,
    const std::string& what) {
    const auto body = wire::parse_json(request.body, "the body");
    wire::ObjectReader reader(body, "body");
    mute.reason = reason_in(reader, what + " is muted");
    mute.token = request.caller->name;
    mute.owner = reader.text_or("owner", mute.token, max_person_bytes);
    const auto until_s = find_coming_time(reader, "until", context.now_s);
    reader.done();
    if (!until_s || *until_s > context.now_s + longest_mute_s) {
        throw Error(
            Errc::invalid_argument,
            "body.until must say when it ends, a day or a time within a year");
    }
    mute.until_s = *until_s;
    const auto id = add_mute(db, mute, context.now_s);
    auto response = object_response(load_one(db, lists::mutes, id.value), 201);
    response.headers["location"] = "/api/v1/mutes/" + to_string(id);
    return response;
}

}  // namespace

http::Response post_regression_assign(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto id = id_parameter(request);
    const auto body = wire::parse_json(request.body, "the body");
    wire::ObjectReader reader(body, "body");
    const auto to = reader.text("to", max_person_bytes);
    const auto reason = reader.text_or("reason", "", max_reason_bytes);
    reader.done();
    assign_regression(db, RegressionId{id}, to, request.caller->name, reason, context.now_s);
    const nlohmann::json assigned = text_or_null(to);
    return object_response({{"id", id}, {"assigned", assigned}});
}

http::Response post_regression_mute(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto regression = load_regression(db, RegressionId{id_parameter(request)});
    const auto what = "regression " + to_string(regression.id);
    if (!is_open(regression.state)) {
        throw Error(
            Errc::conflict,
            what + " is " + std::string(to_string(regression.state)) +
                "; only what is open is muted");
    }
    return mute_by(
        request, db, context, {.project = regression.project, .regression = regression.id}, what);
}

http::Response post_series_mute(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto series = load_series(db, SeriesId{id_parameter(request)});
    return mute_by(
        request,
        db,
        context,
        {.project = series.project, .series = series.id},
        "series " + to_string(series.id));
}

http::Response post_mute_end(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto id = id_parameter(request);
    const auto body = wire::parse_json(request.body, "the body");
    wire::ObjectReader reader(body, "body");
    const auto reason = reason_in(reader, "mute " + std::to_string(id) + " ends");
    reader.done();
    end_mute(db, MuteId{id}, request.caller->name + ": " + reason, context.now_s);
    return object_response(load_one(db, lists::mutes, id));
}

}  // namespace vigil::service
