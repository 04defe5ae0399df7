#include <optional>

#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/handlers.hpp"
#include "service/schedule/day_budget.hpp"
#include "service/schedule/trigger.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_name_bytes = 200;
constexpr int random_key_bytes = 16;

/// The body of POST /api/v1/triggers.
struct Wish {
    std::string project;
    std::optional<std::string> wanted;  ///< full hash or version
};

Wish parse_wish(const std::string& text) {
    const auto body = wire::parse_json(text, "the body");
    wire::ObjectReader reader(body, "body");
    Wish wish{reader.text("project", max_name_bytes), reader.find_text("version", max_name_bytes)};
    const auto revision = reader.find_text("revision", max_name_bytes);
    reader.done();
    if (revision && wish.wanted) {
        throw Error(Errc::invalid_argument, "body: give a revision or a version, not both");
    }
    if (revision) wish.wanted = Revision(*revision).str();  // checks that it is a full hash
    return wish;
}

}  // namespace

http::Response post_trigger(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto wish = parse_wish(request.body);
    if (!context.config.projects.contains(wish.project)) {
        throw Error(
            Errc::not_found,
            "the config has no project '" + wish.project +
                "'; GET /api/v1/projects lists those it has");
    }
    const auto project = ensure_project(db, wish.project, context.now_s);
    const auto cause_key = "request:" + wire::random_hex(random_key_bytes);
    const auto id = request_nightly(
        db,
        project,
        TriggerCause::request,
        cause_key,
        wish.wanted,
        context.now_s,
        wire::traceparent_or_new(request.header("traceparent")));
    nlohmann::json reply = {{"trigger", id.value}};
    const auto note =
        find_budget_note(db, context.config, wish.project, WorkLevel::nightly, context.now_s);
    if (note) reply["note"] = wish.project + ": " + *note;
    auto response = object_response(std::move(reply), 202);
    response.headers["location"] = "/api/v1/triggers/" + to_string(id);
    return response;
}

}  // namespace vigil::service
