#include "service/http/content_routes.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "schema/log/log.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/fleet/content.hpp"
#include "service/http/conditions.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/lane.hpp"
#include "service/source/object_store.hpp"
#include "service/store/content_index.hpp"
#include "service/store/content_store.hpp"
#include "service/store/object_copies.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

namespace {

std::optional<std::uint64_t> parse_position(std::string_view text) {
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Where the object store hands the content out; nothing: it does not.
boost::asio::awaitable<std::optional<std::string>> find_link(ServerCore& core, Digest digest) {
    const auto config = core.api.config.now().object_store;
    if (!config) co_return std::nullopt;
    const auto bucket = bucket_address(*config);
    const bool there =
        co_await core.api.reader.run([&](Database& db) { return has_copy(db, bucket, digest); });
    if (!there) co_return std::nullopt;
    const auto now_s = core.api.clock.now_s();
    co_return co_await core.api.content.run([&](ContentStore&) -> std::optional<std::string> {
        try {
            return ObjectStore(*config).link(digest, now_s);
        } catch (const Error& error) {
            log_warn("object_store.no_link", {{"why", error.what()}});
            return std::nullopt;
        }
    });
}

}  // namespace

std::optional<http::FilePart> find_range(std::string_view field, std::uint64_t file_bytes) {
    constexpr std::string_view unit = "bytes=";
    if (!field.starts_with(unit)) return std::nullopt;
    field.remove_prefix(unit.size());
    const auto dash = field.find('-');
    if (dash == field.npos) return std::nullopt;
    const auto first = parse_position(field.substr(0, dash));
    const auto last = parse_position(field.substr(dash + 1));
    if (dash == 0) {  // so many from the end
        if (!last || *last == 0 || file_bytes == 0) return std::nullopt;
        const auto bytes = std::min(*last, file_bytes);
        return http::FilePart{file_bytes - bytes, bytes};
    }
    const bool is_open = dash + 1 == field.size();
    if (!first || *first >= file_bytes || (!last && !is_open)) return std::nullopt;
    if (last && *last < *first) return std::nullopt;
    const auto end = last ? std::min(*last, file_bytes - 1) : file_bytes - 1;
    return http::FilePart{*first, end - *first + 1};
}

void apply_range(const http::Request& request, http::Response& response, std::uint64_t file_bytes) {
    response.headers["accept-ranges"] = "bytes";
    const auto& tag = response.headers.at("etag");
    const auto field = request.header("range");
    if (!field || names_tag(request.header("if-none-match").value_or(""), tag)) return;
    if (request.header("if-range").value_or(tag) != tag) return;
    response.part = find_range(*field, file_bytes);
    if (!response.part) return;
    response.status = 206;
    response.headers["content-range"] = fmt::format(
        "bytes {}-{}/{}",
        response.part->begin,
        response.part->begin + response.part->bytes - 1,
        file_bytes);
}

boost::asio::awaitable<http::Response> get_content(ServerCore& core, const http::Request& request) {
    check_query(request, {"redirect"});
    const auto digest = content_digest(request);
    http::Response response;
    const auto redirect = text_filter(request, "redirect");
    if (redirect && *redirect != "true") {
        throw Error(Errc::invalid_argument, "query parameter redirect must be true");
    }
    if (redirect) {
        if (auto link = co_await find_link(core, digest)) {
            response.status = 307;
            response.headers["location"] = *std::move(link);
            co_return response;
        }
    }
    response.headers["content-type"] = "application/octet-stream";
    response.headers["etag"] = "\"" + digest.str() + "\"";
    response.headers["cache-control"] = "private, max-age=31536000, immutable";
    co_await core.api.content.run([&](ContentStore& store) {
        std::error_code missing;
        const auto bytes = std::filesystem::file_size(store.path(digest), missing);
        if (missing) throw Error(Errc::not_found, "there is no content " + digest.str());
        response.body_file = store.path(digest);
        apply_range(request, response, bytes);
    });
    co_return response;
}

boost::asio::awaitable<http::Response> put_content(ServerCore& core, const http::Request& request) {
    const auto upload = content_upload(request);
    std::int64_t size = 0;
    co_await core.api.content.run([&](ContentStore& store) {
        if (!request.body_file) throw Error(Errc::invalid_argument, "the content is missing");
        size = static_cast<std::int64_t>(std::filesystem::file_size(*request.body_file));
        store.adopt(*request.body_file, upload.digest);
    });
    const auto now_s = core.api.clock.now_s();
    co_await core.api.writer.run(
        [&](Database& db) { record_content(db, upload.digest, size, upload.kind, now_s); });
    http::Response response;
    response.status = 204;
    co_return response;
}

}  // namespace vigil::service
