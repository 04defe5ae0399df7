#include "schema/http/openapi.hpp"
#include "service/api/common/handlers.hpp"

namespace vigil::service {

namespace {

/// The same for everybody until the next version of the program.
http::Response document(std::string_view text, const char* type) {
    auto response = http::text_response(std::string(text), type);
    response.headers["cache-control"] = "public, no-cache";
    return response;
}

}  // namespace

http::Response get_openapi_json(const http::Request& request, Database&, const HandlerContext&) {
    check_query(request, {});
    return document(http::openapi_json(), "application/json");
}

http::Response get_openapi_yaml(const http::Request& request, Database&, const HandlerContext&) {
    check_query(request, {});
    return document(http::openapi_yaml(), "application/yaml; charset=utf-8");
}

http::Response get_docs(const http::Request& request, Database&, const HandlerContext&) {
    check_query(request, {});
    auto response = document(http::openapi_html(), "text/html; charset=utf-8");
    response.headers["content-security-policy"] =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'";
    return response;
}

}  // namespace vigil::service
