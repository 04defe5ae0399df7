#include "service/watch/requested/missed.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/nearest.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/handlers.hpp"
#include "service/store/ids.hpp"
#include "service/store/lists/lists.hpp"
#include "service/store/lists/names.hpp"
#include "service/store/series/series.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_name_bytes = 200;
constexpr int max_nights_shown = 5;

/// By its number or its name, of the project of the series.
NightlyId night_named(Database& db, const SeriesRow& series, const std::string& name) {
    if (!name.empty() && name.size() < 19 && name.find_first_not_of("0123456789") == name.npos) {
        return NightlyId{std::stoll(name)};
    }
    const auto project = load_project_name(db, series.project);
    const auto found = list_nightlies_named(db, name, project, max_nights_shown);
    if (found.size() == 1) return found.front().id;
    std::vector<std::string> nights;
    for (const auto& one : found) nights.push_back(one.words);
    throw Error(
        Errc::invalid_argument,
        found.empty()
            ? fmt::format(
                  "body.since: project {} has no nightly \"{}\"; GET /api/v1/nightlies lists them",
                  project,
                  name)
            : fmt::format(
                  "body.since: \"{}\" is several nightlies: {}", name, text::joined(nights)));
}

}  // namespace

http::Response post_series_missed(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto series = load_series(db, SeriesId{id_parameter(request)});
    const auto body = wire::parse_json(request.body, "the body");
    wire::ObjectReader reader(body, "body");
    ToldMissed told;
    told.series = series.id;
    told.nightly = night_named(db, series, reader.text("since", max_name_bytes));
    told.commit = reader.text_or("commit", "", max_name_bytes);
    told.reason = reader.text_or("reason", "", max_reason_bytes);
    told.by = request.caller->name;
    reader.done();
    const auto id = tell_missed(db, context.config, told, context.now_s);
    auto response = object_response(load_one(db, lists::missed, id.value), 202);
    response.headers["location"] = "/api/v1/missed/" + to_string(id);
    return response;
}

http::Response delete_missed(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const MissedId id{id_parameter(request)};
    take_back_missed(db, id, request.caller->name, context.now_s);
    return object_response(load_one(db, lists::missed, id.value));
}

}  // namespace vigil::service
