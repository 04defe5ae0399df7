#include "service/pages/common/files.hpp"
#include "service/pages/common/pages.hpp"

namespace vigil::service {

http::Response get_asset(const http::Request& request, Database&, const HandlerContext&) {
    const auto& name = request.parameters.at("name");
    for (const auto& file : page_files()) {
        if (file.served.empty() || file.served != name) continue;
        auto response = http::text_response(std::string(file.text), std::string(file.type));
        response.headers["cache-control"] = "public, max-age=31536000, immutable";
        return response;
    }
    throw Error(Errc::not_found, "there is no such file; a page of another version asked for it");
}

}  // namespace vigil::service
