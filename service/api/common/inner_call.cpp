#include "service/api/common/inner_call.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace vigil::service {

namespace {

using Texts = std::map<std::string, std::string>;

}  // namespace

http::Request api_request(
    const http::Request& request, const Texts& query, const Texts& parameters) {
    http::Request asked;
    asked.method = "GET";
    asked.path = request.path;
    asked.query = query;
    asked.parameters = parameters;
    asked.caller = request.caller;
    return asked;
}

nlohmann::json read_api(
    Handler handler,
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const Texts& query,
    const Texts& parameters) {
    auto asked = api_request(request, query, parameters);
    asked.query.erase("format");
    auto response = handler(asked, db, context);
    VIGIL_ASSERT(response.document != nullptr);  // without header and format it has one
    return std::move(*response.document);
}

}  // namespace vigil::service
