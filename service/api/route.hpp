#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"

namespace vigil::service {

/// Who may call a route: a token with the scope of that name, or with `admin`.
enum class Access {
    everyone,     ///< no token asked for: health, and the webhook, which has its signature
    read,         ///< also without a token, where the config opens reads
    ingest,       ///< sends what was measured elsewhere
    trigger,      ///< asks for runs, and ends them
    triage,       ///< decides about findings, workers and reports
    worker,       ///< not admin: the caller is the worker of that name
    transfer,     ///< scopes worker and admin
    administrate  ///< scope admin alone
};

/// What body a route takes.
enum class BodyRule {
    none,           ///< empty
    json,           ///< application/json, up to http.max_body_bytes
    form,           ///< of a page, made JSON before the handler sees it; likewise
    optional_json,  ///< as json, or empty
    result,         ///< application/json, up to max_result_bytes: a night of samples is large
    harness,        ///< any type, up to what schema/harness reads, likewise
    webhook,        ///< any type, up to http.max_webhook_bytes
    file            ///< any type, up to http.max_content_bytes, streamed into a file
};

/// Largest JobResult: samples of a thousand runs.
constexpr std::int64_t max_result_bytes = std::int64_t{32} << 20;

/// Where a route's work is done: short reads, long reads, changes. The ones after `writer` need
/// more than a plain function on the ledger; service/http carries them out.
enum class WorkPlace {
    reader,
    long_reader,
    writer,
    alive,
    ready,
    metrics,
    claim,
    content_get,
    content_put,
    log,
    result,
    sent_results,
    answer,
    hook,
    sign_in,
    stream
};

/// Whether a 2xx of the route may make work for the tick and for waiting workers.
enum class Wakes { nobody, tick };

/// What a route answers.
enum class Reply {
    plain,
    secret,  ///< shown once: a change is not answered again from what was kept
    page     ///< for people: a browser's cookie counts as a token, and problems are pages
};

/// When a route was given up, and when it will be gone, in UTC seconds; 0: it is not.
struct RouteEnd {
    std::int64_t deprecated_at_s = 0;
    std::int64_t sunset_at_s = 0;
};

struct Route {
    std::string_view method;   ///< GET routes answer HEAD too
    std::string_view pattern;  ///< as in openapi.yaml, e.g. "/api/v1/jobs/{id}"
    Access access = Access::read;
    WorkPlace place = WorkPlace::reader;
    Handler handler = nullptr;
    BodyRule body = BodyRule::none;
    Wakes wakes = Wakes::nobody;
    Reply reply = Reply::plain;
    /// Of a change: the pattern of the GET whose tag `If-Match` names; empty: that of its own path,
    /// or of the path around it.
    std::string_view thing = {};
    RouteEnd ending = {};
    /// Of a GET: the keys, with blanks between, that the daemon changes by itself and nobody
    /// decides upon, wherever in the reply they stand. If-Match passes over them.
    std::string_view moving = {};
};

std::span<const Route> all_routes();

/// Calls the route's handler, and writes the document of its reply as the body. A GET with keys
/// that move has its tag: "SEEN-REST", of all but these and of the whole.
http::Response answer_of(
    const Route& route, const http::Request& request, Database& db, const HandlerContext& context);

}  // namespace vigil::service
