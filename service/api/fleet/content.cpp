#include "service/api/fleet/content.hpp"

#include "service/api/common/handlers.hpp"
#include "service/store/content_index.hpp"

namespace vigil::service {

Digest content_digest(const http::Request& request) {
    try {
        return Digest(request.parameters.at("digest"));
    } catch (const Error&) {
        throw Error(
            Errc::not_found, "content has a digest of 64 lower-case hex digits as its name");
    }
}

ContentUpload content_upload(const http::Request& request) {
    check_query(request, {"kind"});
    const auto kind = text_filter(request, "kind").value_or("");
    if (kind != "product" && kind != "log") {
        throw Error(Errc::invalid_argument, "query parameter kind must be one of product, log");
    }
    return {content_digest(request), parse_enum<ContentKind>(kind)};
}

http::Response get_log(const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {});
    const auto digest = content_digest(request);
    if (find_content_kind(db, digest) != ContentKind::log)
        throw Error(Errc::not_found, "there is no log " + digest.str());
    return http::text_response("");
}

}  // namespace vigil::service
