#include "schema/http/client.hpp"

#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "schema/http/async_client.hpp"
#include "schema/text/redact.hpp"

namespace vigil::http {

namespace {

constexpr std::chrono::milliseconds stop_check_interval{100};

/// What the other side says may be a copy of what we said.
void hide_secrets(const Call& call, Exchange& exchange) {
    auto secrets = call.options.secrets;
    const auto authorization = call.headers.find("authorization");
    if (authorization != call.headers.end()) {
        const auto& value = authorization->second;
        secrets.push_back(value.substr(value.rfind(' ') + 1));
    }
    if (secrets.empty()) return;
    exchange.message = text::redact(exchange.message, secrets);
    exchange.response.body = text::redact(exchange.response.body, secrets);
    for (auto& [name, value] : exchange.response.headers) value = text::redact(value, secrets);
}

/// Runs one call to its end on this thread, or until it is told to stop.
Exchange run_call(const Call& call) {
    boost::asio::io_context io;
    std::optional<Exchange> exchange;
    std::exception_ptr failure;
    boost::asio::co_spawn(
        io, async_send(call), [&](const std::exception_ptr& thrown, Exchange answer) {
            failure = thrown;
            exchange = std::move(answer);
        });
    const auto* stop = call.options.stop;
    while (!exchange) {
        if (stop != nullptr && stop->load()) {
            Exchange stopped;
            stopped.progress = SendProgress::maybe_sent;
            stopped.message = "calling " + call.method + " " + call.path + ": told to stop";
            return stopped;
        }
        io.run_for(stop_check_interval);
    }
    if (failure) std::rethrow_exception(failure);
    hide_secrets(call, *exchange);
    return std::move(*exchange);
}

Response answer_of(Exchange exchange) {
    if (exchange.progress == SendProgress::answered) return std::move(exchange.response);
    throw Error(Errc::unavailable, exchange.message);
}

Call make_call(
    const BaseUrl& base,
    const std::string& token,
    const std::string& method,
    const std::string& path,
    const CallOptions& options) {
    Call call;
    call.base = base;
    call.method = method;
    call.path = path;
    call.options = options;
    call.headers = options.headers;
    if (!token.empty()) call.headers["authorization"] = "Bearer " + token;
    return call;
}

}  // namespace

Client::Client(const std::string& base_url, std::string token)
    : base_(parse_base_url(base_url)), token_(std::move(token)) {}

Exchange Client::try_send(
    const std::string& method,
    const std::string& path,
    const std::string& body,
    const Headers& headers,
    const CallOptions& options) const {
    Call call = make_call(base_, token_, method, path, options);
    call.body = body;
    for (const auto& [name, value] : headers) call.headers[name] = value;
    return run_call(call);
}

Response Client::send(
    const std::string& method,
    const std::string& path,
    const std::string& body,
    const Headers& headers,
    const CallOptions& options) const {
    return answer_of(try_send(method, path, body, headers, options));
}

Response Client::download(
    const std::string& path, const std::filesystem::path& file, const CallOptions& options) const {
    Call call = make_call(base_, token_, "GET", path, options);
    call.download = file;
    return answer_of(run_call(call));
}

Response Client::resume(
    const std::string& path,
    const std::filesystem::path& file,
    const std::string& etag,
    const CallOptions& options) const {
    Call call = make_call(base_, token_, "GET", path, options);
    call.download = file;
    call.resume = true;
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(file, missing);
    if (!missing && bytes > 0 && !etag.empty()) {
        call.headers["range"] = "bytes=" + std::to_string(bytes) + "-";
        call.headers["if-range"] = etag;
    }
    return answer_of(run_call(call));
}

Response Client::upload(
    const std::string& path, const std::filesystem::path& file, const CallOptions& options) const {
    Call call = make_call(base_, token_, "PUT", path, options);
    call.upload = file;
    call.headers["content-type"] = "application/octet-stream";
    return answer_of(run_call(call));
}

}  // namespace vigil::http
