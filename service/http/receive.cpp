#include "service/http/receive.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "schema/harness/report.hpp"
#include "schema/http/gzip.hpp"
#include "schema/text/characters.hpp"
#include "service/http/dispatch.hpp"
#include "service/http/transfer.hpp"
#include "service/runtime/lane.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

namespace {

namespace asio = boost::asio;

using MaybeRefusal = asio::awaitable<std::optional<Refusal>>;

/// GitHub itself waits no longer for its answer.
constexpr std::chrono::seconds delivery_timeout{10};
constexpr std::chrono::seconds delivery_patience{5};

Refusal too_long(std::uint64_t limit) {
    return {413, "the body is larger than " + std::to_string(limit) + " bytes"};
}

/// The media type without its parameters, lower-case.
std::string media_type(const Head& head) {
    const auto found = head.headers.find("content-type");
    if (found == head.headers.end()) return "";
    std::string type = text::lower_case(found->second.substr(0, found->second.find(';')));
    while (!type.empty() && type.back() == ' ') type.pop_back();
    return type;
}

/// How the body is packed, lower-case; empty: plain.
std::string coding_of(const Head& head) {
    const auto found = head.headers.find("content-encoding");
    const auto coding = found == head.headers.end() ? "" : text::lower_case(found->second);
    return coding == "identity" ? "" : coding == "x-gzip" ? "gzip" : coding;
}

/// Largest body a rule takes, in bytes; 0 for none.
std::int64_t body_limit(BodyRule rule, const HttpConfig& config) {
    switch (rule) {
        case BodyRule::none: return 0;
        case BodyRule::json:
        case BodyRule::form:
        case BodyRule::optional_json: return config.max_body_bytes;
        case BodyRule::result: return max_result_bytes;
        case BodyRule::harness: return harness::max_file_bytes;
        case BodyRule::webhook: return config.max_webhook_bytes;
        case BodyRule::file: return config.max_content_bytes;
    }
    return 0;
}

/// What the head alone tells about a body that a route will not take: 400 (takes none), 413, 415.
std::optional<Refusal> check_body(const Route& route, const Head& head, const HttpConfig& config) {
    const bool has_body = head.chunked || head.content_length.value_or(0) > 0;
    if (!has_body) return std::nullopt;
    if (route.body == BodyRule::none) return Refusal{400, "this request takes no body"};
    const bool is_any_type = route.body == BodyRule::webhook || route.body == BodyRule::file;
    const auto coding = coding_of(head);
    if (!coding.empty() && (is_any_type || coding != "gzip")) {
        return Refusal{
            415,
            is_any_type ? "this body is taken without Content-Encoding"
                        : "bodies are taken plain, or with Content-Encoding: gzip"};
    }
    const bool is_form = route.body == BodyRule::form;
    const std::string wanted = is_form ? "application/x-www-form-urlencoded" : "application/json";
    const bool has_type = !is_any_type && route.body != BodyRule::harness;
    if (has_type && media_type(head) != wanted) {
        return Refusal{415, "the body must be " + wanted};
    }
    const auto limit = static_cast<std::uint64_t>(body_limit(route.body, config));
    if (head.content_length.value_or(0) > limit) {
        return too_long(limit);
    }
    return std::nullopt;
}

const Refusal busy{503, "too many long bodies are coming in; try again"};

bool is_unvouched(const Route& route) {
    return route.body == BodyRule::webhook;
}

/// Large content takes its time, and each piece of it has a whole step; a delivery has one in all.
void begin_piece(const Sender& sender) {
    if (!is_unvouched(sender.route)) sender.connection.begin_step();
}

MaybeRefusal enter(const Sender& sender, BodyHold& hold) {
    if (!is_unvouched(sender.route) || hold.permit) co_return std::nullopt;
    hold.permit = co_await sender.core.long_deliveries.acquire(sender.peer, delivery_patience);
    if (!hold.permit) co_return busy;
    if (!has_room(sender.core.api.config.now(), 0)) co_return Refusal{507, "the disk has no room"};
    co_return std::nullopt;
}

/// The rest of a body goes to a file, behind what came of it already.
MaybeRefusal receive_file(
    const Sender& sender,
    BodyReader& body,
    http::Request& request,
    BodyHold& hold,
    std::uint64_t limit) {
    Upload upload(sender.core.api.content);
    request.body_file = hold.file.path = co_await upload.begin();
    std::string piece = std::move(request.body);
    request.body.clear();
    for (;;) {
        if (!piece.empty()) co_await upload.append(piece);
        piece.clear();
        begin_piece(sender);
        const auto room = limit - static_cast<std::uint64_t>(upload.size());
        if (!co_await body.next(piece, room)) break;
        if (piece.size() > room) co_return too_long(limit);
    }
    co_await upload.finish();
    co_return std::nullopt;
}

bool may_go_to_file(BodyRule rule) {
    return rule == BodyRule::webhook || rule == BodyRule::result || rule == BodyRule::harness;
}

MaybeRefusal receive_text(
    const Sender& sender,
    BodyReader& body,
    http::Request& request,
    BodyHold& hold,
    std::uint64_t limit) {
    while (co_await body.next(request.body, limit - request.body.size())) {
        const auto size = request.body.size();
        if (size > limit) co_return too_long(limit);
        if (may_go_to_file(sender.route.body) && size > most_in_memory) {
            if (auto refusal = co_await enter(sender, hold)) co_return refusal;
            co_return co_await receive_file(sender, body, request, hold, limit);
        }
        if (!hold.memory.grow_to(static_cast<std::int64_t>(size))) co_return busy;
    }
    co_return std::nullopt;
}

/// @throws Error{unavailable}
void write_file(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
    if (!out) throw Error(Errc::unavailable, "unpacking a body failed; is the disk full?");
}

/// What came as gzip, unpacked beside the io thread. A long one is in memory only there.
MaybeRefusal unpack(
    const Sender& sender, http::Request& request, BodyHold& hold, std::uint64_t limit) {
    auto& core = sender.core;
    TemporaryFile packed{std::exchange(hold.file.path, {})};
    if (may_go_to_file(sender.route.body)) {
        hold.file.path = co_await core.api.content.run(
            [](ContentStore& store) { return store.temporary_path(); });
    }
    std::optional<std::string> body;
    bool is_long = false;
    co_await reading_lane(core, sender.route).run([&](Intake&) {
        body = http::gunzip(load_body(request), static_cast<std::size_t>(limit));
        is_long = body && !hold.file.path.empty() && body->size() > most_in_memory;
        if (is_long) write_file(hold.file.path, *std::exchange(body, std::string()));
    });
    if (!body) {
        co_return Refusal{413, "the body unpacks to more than " + std::to_string(limit) + " bytes"};
    }
    if (!hold.memory.grow_to(static_cast<std::int64_t>(body->size()))) co_return busy;
    request.body = *std::move(body);
    request.body_file.reset();
    if (is_long) request.body_file = hold.file.path;
    request.headers.erase("content-encoding");
    co_return std::nullopt;
}

}  // namespace

MaybeRefusal receive_body(
    const Sender& sender,
    const Head& head,
    BodyReader& body,
    http::Request& request,
    BodyHold& hold) {
    const auto& config = sender.core.api.config.now();
    const auto rule = sender.route.body;
    if (auto refusal = check_body(sender.route, head, config.http)) co_return refusal;
    const auto declared = head.content_length.value_or(0);
    // A result that is refused stays with its worker, which hands it in again later.
    const bool is_import = rule == BodyRule::harness;
    const bool is_kept = is_import || rule == BodyRule::file || rule == BodyRule::result;
    const auto has_place = is_import ? &has_import_room : &has_room;
    if (is_kept && !has_place(config, static_cast<std::int64_t>(declared))) {
        co_return Refusal{507, "the service's disk has no room for this"};
    }
    if (declared > most_in_memory) {
        if (auto refusal = co_await enter(sender, hold)) co_return refusal;
    }
    if (head.expects_continue && !body.done()) {
        co_await sender.connection.write("HTTP/1.1 100 Continue\r\n\r\n");
    }
    const auto limit = static_cast<std::uint64_t>(body_limit(rule, config.http));
    if (is_unvouched(sender.route)) {
        sender.connection.begin_step(delivery_timeout);
    } else {
        sender.connection.begin_step();
    }
    if (rule == BodyRule::file) co_return co_await receive_file(sender, body, request, hold, limit);
    auto refusal = co_await receive_text(sender, body, request, hold, limit);
    const bool is_packed =
        !refusal && (!request.body.empty() || request.body_file) && coding_of(head) == "gzip";
    if (is_packed) refusal = co_await unpack(sender, request, hold, limit);
    co_return refusal;
}

std::string load_body(const http::Request& request) {
    if (!request.body_file) return request.body;
    std::ifstream file(*request.body_file, std::ios::binary);
    std::string body{std::istreambuf_iterator<char>(file), {}};
    if (!file) {
        throw Error(Errc::unavailable, "reading " + request.body_file->string() + " failed");
    }
    return body;
}

}  // namespace vigil::service
