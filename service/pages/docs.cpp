#include "service/pages/common/docs_site.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"

namespace vigil::service {

http::Response get_docs_start(const http::Request&, Database&, const HandlerContext&) {
    if (docs_site().empty()) {
        throw Error(
            Errc::not_found,
            "this installation has no documentation site: deploy/docs/build makes one");
    }
    return see_other("/docs/index.html");
}

http::Response get_docs_file(const http::Request& request, Database&, const HandlerContext&) {
    const auto folder = request.parameters.find("folder");
    const auto path = (folder == request.parameters.end() ? "" : folder->second + "/") +
                      request.parameters.at("file");
    const auto& site = docs_site();
    auto found = site.find(path);
    const bool missing = found == site.end();
    if (missing) found = site.find("404.html");
    if (found == site.end() || (missing && folder != request.parameters.end())) {
        throw Error(Errc::not_found, "the documentation has no such page");
    }
    const auto& [type, text] = found->second;
    auto response = html_response(text, missing ? 404 : 200);
    response.headers["content-type"] = type;
    response.headers["cache-control"] = "public, no-cache";
    response.headers["vary"] = "accept-encoding";
    return response;
}

}  // namespace vigil::service
