#include "service/api/health.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schema/model/job.hpp"
#include "schema/model/version.hpp"
#include "schema/text/nearest.hpp"
#include "service/store/ids.hpp"
#include "service/store/lists/metrics.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

/// Label values: our own enums and names; still quoted as the format asks.
std::string label(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

class Text {
  public:
    void begin(std::string_view name, std::string_view type, std::string_view help) {
        text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
        name_ = name;
    }
    void value(const std::string& labels, std::int64_t value) {
        text_ += fmt::format("{}{} {}\n", name_, labels.empty() ? "" : "{" + labels + "}", value);
    }
    void single(
        std::string_view name, std::string_view type, std::string_view help, std::int64_t number) {
        begin(name, type, help);
        value("", number);
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
    std::string name_;
};

void ledger_metrics(Text& text, Database& db, std::int64_t now_s) {
    for (const auto& metric : load_metrics(db, now_s)) {
        text.begin(metric.name, metric.type, metric.help);
        for (const auto& sample : metric.samples) {
            std::vector<std::string> labels;
            for (const auto& [name, value] : sample.labels)
                labels.push_back(name + "=" + label(value));
            text.value(text::joined(labels, ","), sample.value);
        }
    }
}

void edge_metrics(Text& text, const HttpCounters& counters, std::int64_t now_s) {
    text.begin("vigil_http_requests_total", "counter", "Answers by route and status.");
    for (const auto& [key, number] : counters.requests) {
        text.value(fmt::format("route={},status=\"{}\"", label(key.first), key.second), number);
    }
    text.single("vigil_http_connections", "gauge", "Connections open now.", counters.connections);
    text.single(
        "vigil_http_refused_connections_total",
        "counter",
        "Connections over the limit.",
        counters.refused_connections);
    text.single(
        "vigil_http_evicted_connections_total",
        "counter",
        "Connections that were closed for younger ones.",
        counters.evicted_connections);
    text.single(
        "vigil_waiting_claims", "gauge", "Workers that wait for a job.", counters.waiting_claims);
    text.single("vigil_listeners", "gauge", "Listeners of live events.", counters.listeners);
    text.begin("vigil_lane_waiting", "gauge", "Pieces of work on a lane's queue.");
    text.value("lane=\"writer\"", counters.writer_waiting);
    text.value("lane=\"reader\"", counters.reader_waiting);
    text.value("lane=\"content\"", counters.content_waiting);
    if (counters.free_bytes) {
        text.single(
            "vigil_disk_free_bytes",
            "gauge",
            "Bytes free where the state folder lies.",
            *counters.free_bytes);
    }
    if (counters.backup_at_s) {
        text.single(
            "vigil_backup_age_seconds",
            "gauge",
            "Seconds since the newest backup; since 1970 where there is none.",
            now_s - *counters.backup_at_s);
    }
}

}  // namespace

void check_ledger(Database& db) {
    list_project_names(db);
    if (!db.in_transaction()) throw Error(Errc::unavailable, "the ledger takes no changes");
}

std::string readiness_text(Database& db) {
    std::string text = "ready\n";
    for (const auto& [kind, open] : count_open_troubles(db)) {
        text += fmt::format("trouble {} {}\n", kind, open);
    }
    return text;
}

std::string metrics_text(Database& db, const HttpCounters& counters, std::int64_t now_s) {
    const Snapshot snapshot(db);
    Text text;
    text.begin("vigil_build_info", "gauge", "The program; always 1.");
    text.value(
        fmt::format("version=\"{}\",protocol=\"{}\"", program_version(), protocol_version), 1);
    ledger_metrics(text, db, now_s);
    edge_metrics(text, counters, now_s);
    return text.take();
}

}  // namespace vigil::service
