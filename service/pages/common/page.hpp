#pragma once

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"
#include "service/api/common/inner_call.hpp"
#include "service/api/route.hpp"
#include "service/api/rows/asker.hpp"

namespace vigil::service {

/// Makes a reply for people of a body: type, and what a browser may do with it (no script and no
/// style but ours, no frame around it).
http::Response html_response(std::string html, int status = 200);

/// One that sends a browser to another page.
/// @param path  of ours, with its query
http::Response see_other(const std::string& path);

/// What a page shows can be had as data, too: of a list as a table as well. Things and lists follow
/// what happens; an answer is of the time when it was asked for.
enum class Shows { words, answer, thing, list };

/// The page of a view: the frame of all pages with a template in it.
/// @param name  of the template
/// @param view  what it shows; "title" heads it
http::Response page_response(
    const http::Request& request,
    std::string_view name,
    nlohmann::json view,
    Shows shows = Shows::words,
    int status = 200);

/// How a nightly is called, for a link to its page.
/// @return  {"id", "name"}; null where there is none
nlohmann::json night_link(const Asker& asker, std::optional<std::int64_t> nightly);

/// Whether a request asks a page for what it shows, and not for the page: by ?format=json or
/// another, or as `Accept` has it.
bool wants_data(const http::Request& request);

/// What the handler of the API answers to the request for a page: of a list in any of its formats.
http::Response data_response(
    Handler handler, const http::Request& request, Database& db, const HandlerContext& context);

/// The filters that are given: a form sends those that nobody filled in as well, and scripts keep
/// in the address how a table is sorted.
std::map<std::string, std::string> given_filters(const http::Request& request);

/// The address of the same page with other values in its query; empty ones are left out.
std::string address_with(
    const http::Request& request, const std::map<std::string, std::string>& values);

}  // namespace vigil::service
