#include <algorithm>

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/handlers.hpp"
#include "service/watch/night/backfill.hpp"
#include "service/watch/night/nightlies.hpp"

namespace vigil::service {

namespace {

constexpr int usual_nights = 30;

/// The body of POST /api/v1/projects/{name}/backfills.
struct BackfillWish {
    std::int64_t nights = usual_nights;
    std::int64_t runs_budget = usual_backfill_runs;
    bool dry_run = false;
};

BackfillWish parse_backfill(const std::string& text) {
    BackfillWish wish;
    if (text.empty()) return wish;
    const auto body = wire::parse_json(text, "the body");
    wire::ObjectReader reader(body, "body");
    wish.nights = reader.integer_or("nights", wish.nights, {1, most_backfill_nights});
    wish.runs_budget = reader.integer_or("runs_budget", wish.runs_budget, {1, most_backfill_runs});
    wish.dry_run = reader.flag_or("dry_run", false);
    reader.done();
    return wish;
}

nlohmann::json reply_of(const BackfillWish& wish, const ProjectConfig& project) {
    const auto night_runs = count_night_jobs(project) * project.runs_per_night;
    const auto most = wish.runs_budget / std::max<std::int64_t>(1, night_runs);
    return {
        {"project", project.name},
        {"nights", wish.nights},
        {"runs_budget", wish.runs_budget},
        {"night_runs", night_runs},
        {"most_nights", std::min(wish.nights, most)}};
}

}  // namespace

void add_remaining(nlohmann::json& backfill, Database& db, const HandlerContext& context) {
    const auto number = [&](const char* key) { return backfill.at(key).get<std::int64_t>(); };
    auto& left_s = backfill["remaining_s"];
    if (backfill.at("state") != "measuring") return;
    BackfillPace pace;
    pace.begun_s = number("begun_at_s");
    pace.newest_end_s = find_newest_end_s(db, BackfillId{number("id")}).value_or(pace.begun_s);
    pace.now_s = context.now_s;
    pace.ended = number("measured") + number("failed");
    pace.left = number("waiting") + number("measuring");
    left_s = or_null(remaining_s(pace));
}

http::Response post_backfill(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto wish = parse_backfill(request.body);
    const auto& name = request.parameters.at("name");
    const auto project = context.config.projects.find(name);
    if (project == context.config.projects.end()) {
        throw Error(
            Errc::not_found,
            "the config has no project '" + name + "'; GET /api/v1/projects lists those it has");
    }
    auto reply = reply_of(wish, project->second);
    check_backfill(project->second, wish.nights, wish.runs_budget);
    if (wish.dry_run) {
        reply["backfill"] = nullptr;
        return object_response(std::move(reply));
    }
    const auto id = request_backfill(
        db,
        project->second,
        static_cast<int>(wish.nights),
        wish.runs_budget,
        request.caller->name,
        context.now_s);
    reply["backfill"] = id.value;
    auto response = object_response(std::move(reply), 202);
    response.headers["location"] = "/api/v1/backfills/" + to_string(id);
    return response;
}

http::Response post_backfill_cancel(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const BackfillId id{id_parameter(request)};
    cancel_backfill(db, id, request.caller->name, context.now_s);
    const auto backfill = load_backfill(db, id);
    return object_response(
        {{"id", id.value},
         {"state", to_string(backfill.state)},
         {"cancelled_by",
          backfill.cancelled_by.empty() ? nlohmann::json()
                                        : nlohmann::json(backfill.cancelled_by)}});
}

}  // namespace vigil::service
