#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/handlers.hpp"
#include "service/store/ids.hpp"
#include "service/store/workers.hpp"
#include "service/watch/night/undo_import.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t most_series_named = 200;

/// What an undo removes, or removed.
nlohmann::json removed_of(Database& db, const ImportUndo& plan) {
    auto named = nlohmann::json::array();
    for (const auto& one : plan.series) {
        if (named.size() == most_series_named) break;
        named.push_back({{"id", one.id.value}, {"name", words_of(db, one)}});
    }
    nlohmann::json removes = {
        {"readings", plan.readings},
        {"series_count", plan.series.size()},
        {"series", std::move(named)},
        {"worker", nullptr},
        {"machine_class", nullptr}};
    if (plan.worker) removes["worker"] = load_worker_name(db, plan.job.worker.value());
    if (plan.machine_class) {
        removes["machine_class"] = load_machine_class_name(db, plan.job.machine_class);
    }
    return removes;
}

}  // namespace

void add_undo(nlohmann::json& import, Database& db, const HandlerContext& context) {
    const auto plan = plan_undo(db, context.config, ImportId{import.at("id").get<std::int64_t>()});
    import["removes"] = removed_of(db, plan);
    import["refused"] = text_or_null(plan.refusal);
}

http::Response post_import_undo(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    std::string reason;
    if (!request.body.empty()) {
        const auto body = wire::parse_json(request.body, "the body");
        wire::ObjectReader reader(body, "body");
        reason = reader.text_or("reason", "", max_reason_bytes);
        reader.done();
    }
    const auto plan = plan_undo(db, context.config, ImportId{id_parameter(request)});
    auto removed = removed_of(db, plan);
    undo_import(db, plan, reason, request.caller->name, context.now_s);
    return object_response(
        {{"id", plan.import.id.value},
         {"nightly", plan.nightly.id.value},
         {"removed", std::move(removed)}});
}

}  // namespace vigil::service
