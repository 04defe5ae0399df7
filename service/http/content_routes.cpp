#include "service/http/content_routes.hpp"

#include <filesystem>
#include <system_error>

#include "service/api/fleet/content.hpp"
#include "service/http/byte_range.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/lane.hpp"
#include "service/store/content_store.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

boost::asio::awaitable<http::Response> get_content(ServerCore& core, const http::Request& request) {
    const auto digest = content_digest(request);
    http::Response response;
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
    co_await core.api.writer.run([&](Database& db) { note_content(db, upload, size, now_s); });
    http::Response response;
    response.status = 204;
    co_return response;
}

}  // namespace vigil::service
