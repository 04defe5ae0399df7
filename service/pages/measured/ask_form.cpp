#include "service/pages/measured/ask_form.hpp"

#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "service/pages/common/cookie.hpp"

namespace vigil::service {

nlohmann::json ask_key(const http::Request& request) {
    const auto key = form_key(request.headers);
    const bool may = request.caller && request.caller->scopes.may(Scope::trigger);
    if (key.empty() || !may) return nullptr;
    return {{"key", key}};
}

std::string sign_in_address(const http::Request& request) {
    const auto here = request.path + http::query_string(request.query);
    return "/login" + http::query_string({{"next", here}});
}

}  // namespace vigil::service
