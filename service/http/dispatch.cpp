#include "service/http/dispatch.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <system_error>

#include <boost/asio/co_spawn.hpp>

#include "schema/log/log.hpp"
#include "service/api/audit.hpp"
#include "service/api/common/listing.hpp"
#include "service/api/fleet/content.hpp"
#include "service/api/fleet/worker_protocol.hpp"
#include "service/api/health.hpp"
#include "service/api/hooks.hpp"
#include "service/api/results/job_answer.hpp"
#include "service/api/results/results_taking.hpp"
#include "service/http/conditions.hpp"
#include "service/http/content_routes.hpp"
#include "service/http/idempotency.hpp"
#include "service/http/receive.hpp"
#include "service/runtime/at_end.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/free_bytes.hpp"
#include "service/runtime/lanes.hpp"
#include "service/runtime/memory.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/backups.hpp"
#include "service/store/content_store.hpp"
#include "service/store/tokens.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

using Answer = asio::awaitable<http::Response>;

/// A waiting claim looks again this often even without a notice: time itself can make work.
constexpr std::chrono::seconds claim_recheck{5};
constexpr std::chrono::seconds result_patience{60};  // and of all that is sent as results are
constexpr int max_remembered_tokens = 10'000;

HandlerContext handler_context(const ServerCore& core) {
    return {
        core.api.config.now(),
        core.api.clock.now_s(),
        core.api.clock.now_ns(),
        core.api.clock.steady_s()};
}

/// Tells the tick and the waiting workers that there may be work.
void wake(ServerCore& core) {
    if (core.api.wake) core.api.wake();
    core.workers.notify();
}

Answer run_plain(ServerCore& core, const Route& route, const http::Request& request) {
    const auto context = handler_context(core);
    if (route.place != WorkPlace::writer) {
        const auto read = [&](Database& db) {
            auto response = answer_of(route, request, db, context);
            if (route.pattern.starts_with("/api/") && !is_acceptable(request, response)) {
                return http::problem_response(
                    406,
                    "this answers " + response.headers.at("content-type") +
                        ", which `Accept` leaves out",
                    request.path);
            }
            if (route.place == WorkPlace::log) return response;  // its body comes yet
            apply_conditions(request, response);
            pack(request, response);
            return response;
        };
        const bool is_long = route.place == WorkPlace::long_reader;
        if (is_long) co_return co_await core.api.long_readers.run(read);
        co_return co_await core.api.reader.run(read);
    }
    auto response = co_await core.api.writer.run(
        [&](Database& db) { return answer_once(route, request, db, context); });
    if (response.ok() && route.wakes == Wakes::tick) wake(core);
    const bool revoked = response.ok() && route.access == Access::administrate;
    if (revoked && route.method == "DELETE") core.tokens.forget(request.parameters.at("name"));
    co_return response;
}

http::Response no_content() {
    http::Response response;
    response.status = 204;
    return response;
}

Answer wait_for_job(
    ServerCore& core, const ClaimRequest& claim, const std::string& name, Patience& patience) {
    const auto longest = std::int64_t{core.api.config.now().jobs.claim_wait_s};
    const auto until = steady_clock::now() + std::chrono::seconds(std::min(claim.wait_s, longest));
    auto& signal = core.workers.of(core.api.config.now(), name);
    while (!core.draining && !patience.gone()) {
        const auto seen = signal.generation();
        const auto context = handler_context(core);
        const auto lease = co_await core.api.writer.run([&](Database& db) -> std::optional<Lease> {
            const auto worker = greet_worker(db, name, claim, context);
            if (claim.draining) return std::nullopt;
            return claim_job(db, context.config, worker, context.moment());
        });
        if (lease) co_return lease_response(*lease, claim);
        const auto now = steady_clock::now();
        if (claim.draining || now >= until) break;
        co_await signal.wait(patience, seen, std::min(until, now + claim_recheck));
    }
    co_return no_content();
}

Answer claim_route(ServerCore& core, const http::Request& request, Patience& patience) {
    const auto claim = parse_claim(request.body);
    if (auto refusal = refuse_protocol(claim, request.path)) co_return *refusal;
    const auto& caller = *request.caller;
    const auto found = core.waiting_claims.find(caller.id);
    if (found != core.waiting_claims.end() && found->second >= max_waiting_claims_per_token) {
        auto response = http::problem_response(
            429,
            "this token has " + std::to_string(found->second) + " claims waiting already",
            request.path);
        response.headers["retry-after"] = "5";
        co_return response;
    }
    ++core.waiting_claims[caller.id];
    ++core.counters.waiting_claims;
    const AtEnd ended([&] {
        if (--core.waiting_claims[caller.id] == 0) core.waiting_claims.erase(caller.id);
        --core.counters.waiting_claims;
    });
    co_return co_await wait_for_job(core, claim, caller.name, patience);
}

Answer log_get(ServerCore& core, const Route& route, const http::Request& request) {
    auto response = co_await run_plain(core, route, request);  // is it a log?
    if (!response.ok()) co_return response;
    const Digest digest(request.parameters.at("digest"));
    response.body_file = co_await core.api.content.run([&](ContentStore& store) {
        if (!store.has(digest)) throw Error(Errc::not_found, "this log is no longer kept");
        return store.path(digest);
    });
    co_return response;
}

void note_missing(const ContentStore& store, WrittenResult& result) {
    for (const auto& build : result.result.builds) {
        if (build.product && !store.has(*build.product)) result.missing.push_back(*build.product);
    }
}

/// Parsed beside the writer; a long one is a group of its own there, so that others get their turn.
Answer result_route(ServerCore& core, const http::Request& request) {
    const bool is_long = request.body_file || request.body.size() > most_in_memory;
    auto& places = is_long ? core.long_results : core.results;
    const auto permit = co_await places.acquire(request.caller->key(), result_patience);
    if (!permit) throw Error(Errc::unavailable, "results of other workers are being taken");
    auto result = co_await core.api.intake.run(
        [&](Intake&) { return read_result(request, load_body(request)); });
    co_await core.api.content.run([&](ContentStore& store) { note_missing(store, result); });
    const auto context = handler_context(core);
    auto response = co_await core.api.writer.run(
        [&](Database& db) { return take_result(request, db, context, result); },
        is_long ? Weight::heavy : Weight::light);
    if (response.ok()) wake(core);
    co_return response;
}

/// What was measured elsewhere: years of it are taken in many groups, each a transaction of its
/// own.
Answer sent_results_route(ServerCore& core, const Route& route, const http::Request& request) {
    auto& places = request.body_file ? core.long_imports : core.imports;
    const auto permit = co_await places.acquire(request.caller->key(), result_patience);
    if (!permit) throw Error(Errc::unavailable, "results of others are being taken");
    const auto context = handler_context(core);
    const auto sent = co_await core.api.imports.run([&](Intake&) {
        return read_results(request, load_body(request), context.config, context.now_s);
    });
    ResultsTaking taking(sent, request.caller->name);
    http::Request shown;  // its body is no wish of a person's
    shown.caller = request.caller;
    shown.address = request.address;
    shown.id = request.id;
    for (bool first = true; !taking.is_done(); first = false) {
        const auto work = [&](Database& db) {
            taking.take_some(db, context.now_s);
            if (first) note_audit(db, route, shown, taking.response(), context.now_s);
        };
        co_await core.api.writer.run(work, Weight::heavy);
    }
    wake(core);
    co_return taking.response();
}

/// What came of runs that were asked for elsewhere.
Answer answer_route(ServerCore& core, const Route& route, const http::Request& request) {
    const auto permit = co_await core.answers.acquire(request.caller->key(), result_patience);
    if (!permit) throw Error(Errc::unavailable, "answers of others are being taken");
    const auto answer = co_await core.api.imports.run(
        [&](Intake&) { return read_answer(request, load_body(request)); });
    const auto context = handler_context(core);
    http::Request shown = request;
    shown.body.clear();  // it is no wish of a person's
    shown.body_file.reset();
    auto response = co_await core.api.writer.run(
        [&](Database& db) {
            auto taken = take_answer(shown, db, context, answer);
            note_audit(db, route, shown, taken, context.now_s);
            return taken;
        },
        Weight::heavy);
    wake(core);
    co_return response;
}

/// The body is read beside the writer: hashing and parsing 25 MB is not its work.
Answer hook_route(ServerCore& core, const http::Request& request) {
    const auto known = co_await core.api.reader.run(&hooked_repositories);
    auto read = co_await core.api.intake.run([&](Intake&) {
        return read_delivery(request, load_body(request), core.api.config.now(), known);
    });
    if (auto* refusal = std::get_if<http::Response>(&read)) co_return std::move(*refusal);
    const auto& delivery = std::get<Delivery>(read);
    if (request.body_file) {
        co_await core.api.content.run(
            [&](ContentStore& store) { store.adopt(*request.body_file, delivery.body_digest); });
    }
    const auto now_s = core.api.clock.now_s();
    auto response = co_await core.api.writer.run(
        [&](Database& db) { return note_delivery(db, delivery, request.path, now_s); });
    if (response.ok()) wake(core);
    co_return response;
}

Answer ready_route(ServerCore& core, const http::Request& request) {
    if (core.draining) co_return http::problem_response(503, "draining", request.path);
    if (!has_room(core.api.config.now(), 0)) {
        co_return http::problem_response(
            503, "the disk is full; free some, reads still work", request.path);
    }
    auto text = co_await core.api.writer.run([](Database& db) {
        check_ledger(db);
        return readiness_text(db);
    });
    co_return http::text_response(std::move(text));
}

Answer metrics_route(ServerCore& core) {
    auto counters = core.counters;  // a copy: the reader works beside us
    counters.listeners = core.feed.listeners();
    counters.writer_waiting = core.api.writer.waiting();
    counters.reader_waiting = core.api.reader.waiting() + core.api.long_readers.waiting();
    counters.content_waiting = core.api.content.waiting();
    const auto context = handler_context(core);
    counters.free_bytes = free_bytes(context.config.state_dir);
    auto text = co_await core.api.long_readers.run([&](Database& db) {
        const auto& backups = context.config.ledger.backup_dir;
        if (!backups.empty()) counters.backup_at_s = find_newest_backup(backups).at_s;
        return metrics_text(db, counters, context.now_s);
    });
    co_return http::text_response(std::move(text), "text/plain; version=0.0.4; charset=utf-8");
}

void remember_token(ServerCore& core, const Token& token) {
    core.tokens.remember(
        token.secret_digest,
        {token.id, token.name, token.scopes, token.expires_at_s, token.projects},
        token.used_at_s);
}

asio::awaitable<void> write_use(std::shared_ptr<ServerCore> core, TokenId token) {
    const auto now_s = core->api.clock.now_s();
    co_await core->api.writer.run([&](Database& db) { note_token_used(db, token, now_s); });
}

/// Each route where its work is done.
Answer answer_at(
    ServerCore& core, const Route& route, const http::Request& request, Patience& patience) {
    switch (route.place) {
        case WorkPlace::reader:
        case WorkPlace::long_reader:
        case WorkPlace::sign_in:
        case WorkPlace::writer: co_return co_await run_plain(core, route, request);
        case WorkPlace::alive: co_return http::text_response("alive\n");
        case WorkPlace::ready: co_return co_await ready_route(core, request);
        case WorkPlace::metrics: co_return co_await metrics_route(core);
        case WorkPlace::claim: co_return co_await claim_route(core, request, patience);
        case WorkPlace::content_get: co_return co_await get_content(core, request);
        case WorkPlace::content_put: co_return co_await put_content(core, request);
        case WorkPlace::result: co_return co_await result_route(core, request);
        case WorkPlace::sent_results: co_return co_await sent_results_route(core, route, request);
        case WorkPlace::answer: co_return co_await answer_route(core, route, request);
        case WorkPlace::hook: co_return co_await hook_route(core, request);
        case WorkPlace::log: co_return co_await log_get(core, route, request);
        case WorkPlace::stream: break;  // the session's own
    }
    co_return http::problem_response(500, "a route without a place", request.path);
}

}  // namespace

void tell_use(const std::shared_ptr<ServerCore>& core, TokenId token) {
    if (!core->tokens.use(token, core->api.clock.now_s())) return;
    asio::co_spawn(core->io, write_use(core, token), [](const std::exception_ptr& failure) {
        if (failure) log_warn("http.use_not_noted", {});
    });
}

asio::awaitable<std::optional<http::Caller>> find_caller(
    ServerCore& core, const std::string& secret) {
    if (secret.empty()) co_return std::nullopt;
    const auto token =
        co_await core.api.writer.run([&](Database& db) { return find_token(db, secret); });
    if (!token) co_return std::nullopt;
    remember_token(core, *token);
    co_return core.tokens.find(secret);
}

asio::awaitable<EventWish> load_event_wish(ServerCore& core, const http::Request& request) {
    const auto context = handler_context(core);
    co_return co_await core.api.reader.run(
        [&](Database& db) { return read_event_wish(request, db, context); });
}

asio::awaitable<void> remember_callers(ServerCore& core) {
    const auto tokens = co_await core.api.writer.run(
        [](Database& db) { return list_live_tokens(db, max_remembered_tokens); });
    for (const auto& token : tokens) remember_token(core, token);
}

std::int64_t free_bytes_of(const Config& config) {
    return free_bytes(config.state_dir).value_or(std::numeric_limits<std::int64_t>::max());
}

bool has_room(const Config& config, std::int64_t bytes) {
    return free_bytes_of(config) - bytes >= config.ledger.ballast_bytes;
}

bool has_import_room(const Config& config, std::int64_t bytes) {
    constexpr std::int64_t reserves = 8;
    return (free_bytes_of(config) - bytes) / reserves >= config.ledger.ballast_bytes;
}

Lane<Intake>& reading_lane(ServerCore& core, const Route& route) {
    return route.body == BodyRule::harness ? core.api.imports : core.api.intake;
}

Answer dispatch(ServerCore& core, const Route& route, http::Request& request, Patience& patience) {
    const bool is_long = request.body_file.has_value();
    std::exception_ptr failure;
    http::Response response;
    try {
        response = co_await answer_at(core, route, request, patience);
    } catch (...) {
        failure = std::current_exception();
    }
    // What was made of a long body is freed by now, taken or refused.
    if (is_long) {
        co_await reading_lane(core, route).run([](Intake&) { give_back_memory(); });
    }
    if (failure) std::rethrow_exception(failure);
    // A handler's is written already, beside this thread; what workers are told is short.
    write_document(response);
    co_return response;
}

}  // namespace vigil::service
