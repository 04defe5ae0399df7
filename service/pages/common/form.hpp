#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schema/http/message.hpp"
#include "service/config/config.hpp"

// What a browser sends and gets besides what a program does. Pure functions.

namespace vigil::service {

/// Why a form is not taken: another site's page sent it, or it does not carry the key of the cookie
/// that came with it. Nothing: it may be taken.
std::optional<std::string> refuse_form(const http::Request& request, const Config& config);

/// Makes the body of a form the JSON that the API takes: an object of texts, without the key.
/// @throws Error{invalid_argument} when it is no form
void form_to_json(http::Request& request);

/// The secret that the form of /login brought; empty without one.
std::string sign_in_secret(const http::Request& request);

/// The reply to a page's route as a browser takes it: a problem becomes a page, or the way to
/// /login; what a form changed is shown.
/// @param request  its method, path, query and headers
http::Response for_browser(const http::Request& request, http::Response response);

/// Whether a reply to a request of no route is for a browser.
bool is_browser(const http::Request& request);

}  // namespace vigil::service
