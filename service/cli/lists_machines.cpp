#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/display.hpp"

// Lists of the machines that measure.

namespace vigil::cli {

namespace {

/// "yes", or the layers that the worker told it lacks.
std::string contained_words(const nlohmann::json& worker) {
    const auto layers = object_at(worker, "containment");
    if (layers.empty()) return "?";
    std::string lacks;
    for (const auto& layer : layers.items()) {
        if (layer.value() != "none") continue;
        lacks += (lacks.empty() ? "no " : ", no ") + layer.key();
    }
    return lacks.empty() ? "yes" : lacks;
}

}  // namespace

ExitCode list_workers(const Session& session) {
    const auto workers = session.api.list("/api/v1/workers", {}, limit_of(session));
    if (session.json) return print_json(session, workers), ExitCode::ok;
    Table table({"NAME", "CLASS", "STATE", "JOB", "SEEN", "CONTAINED", "MACHINE"});
    for (const auto& worker : workers) {
        const auto fingerprint = object_at(worker, "fingerprint");
        const std::string machine = fmt::format(
            "{} cpus, {} GiB, {}",
            number_at(fingerprint, "cpus"),
            number_at(fingerprint, "memory_bytes") >> 30,
            text_at(fingerprint, "cpu_model"));
        const std::string reason = text_at(worker, "reason");
        table.add(
            {text_at(worker, "name"),
             text_at(worker, "machine_class"),
             worker_words(worker),
             id_at(worker, "job"),
             text::ago(number_at(worker, "last_seen_at_s"), session.world.now_s()),
             contained_words(worker),
             reason.empty() ? machine : reason});
    }
    return print_table(session, table, "No worker has come yet.", 2);
}

ExitCode list_canaries(const Session& session) {
    const auto filters = with_days(session, filters_of(session, {"worker", "nightly", "state"}));
    const auto canaries = list_known(session, "/api/v1/canaries", filters, limit_of(session));
    if (session.json) return print_json(session, canaries), ExitCode::ok;
    Table table({"NIGHT", "WORKER", "CLASS", "STATE", "OFF", "SAYS"});
    for (const auto& canary : canaries) {
        table.add(
            {id_at(canary, "nightly"),
             text_at(canary, "worker"),
             text_at(canary, "machine_class"),
             text_at(canary, "state"),
             is_set(canary, "moved_ratio") ? text::percent(real_at(canary, "moved_ratio")) : "-",
             text_at(canary, "message")});
    }
    return print_table(session, table, "No canary was measured yet.", 3);
}

}  // namespace vigil::cli
