#include "service/pages/common/page.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/version.hpp"
#include "service/api/rows/results.hpp"
#include "service/pages/common/cookie.hpp"
#include "service/pages/common/docs_site.hpp"
#include "service/pages/common/files.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;
using Texts = std::map<std::string, std::string>;

struct Tab {
    std::string_view name;
    std::string_view path;
};

constexpr std::array tabs{
    Tab{"Tonight", "/"},
    Tab{"Inbox", "/inbox"},
    Tab{"Regressions", "/regressions"},
    Tab{"Searches", "/bisections"},
    Tab{"Series", "/series"},
    Tab{"Week", "/week"},
    Tab{"Machines", "/machines"},
    Tab{"Trust", "/trust"}};

/// What the scripts keep in a page's address, for themselves: the order of tables, and the nights
/// of a chart that are in view.
constexpr std::array<std::string_view, 2> of_scripts{"sort", "zoom"};

/// The page that a tab leads to, or one of its things.
bool is_below(std::string_view path, std::string_view tab) {
    if (tab == "/") return path == "/" || path.starts_with("/nightlies");
    // Other ways to look at series.
    static constexpr std::array of_series{"/trends", "/heatmap", "/compare", "/requests"};
    const auto is_way = [&](std::string_view way) { return path.starts_with(way); };
    if (tab == "/series" && std::ranges::any_of(of_series, is_way)) return true;
    return path == tab || (path.starts_with(tab) && path.at(tab.size()) == '/');
}

std::string asset(std::string_view name) {
    for (const auto& file : page_files()) {
        if (file.name == name) return "/assets/" + std::string(file.served);
    }
    VIGIL_ASSERT(false);
    return "";
}

/// The scripts; null where the program was built without them.
json script() {
    for (const auto& file : page_files()) {
        if (file.name == "vigil.js") return {{"src", "/assets/" + std::string(file.served)}};
    }
    return nullptr;
}

/// Who reads: the name of the token, and the way out where a cookie signed it in.
json reader_of(const http::Request& request) {
    if (!request.caller) return nullptr;
    const auto key = form_key(request.headers);
    json reader = {{"name", request.caller->name}, {"way_out", nullptr}};
    if (!key.empty()) reader["way_out"] = {{"key", key}};
    return reader;
}

}  // namespace

http::Response html_response(std::string html, int status) {
    auto response = http::text_response(std::move(html), "text/html; charset=utf-8");
    response.status = status;
    response.headers["content-security-policy"] =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    response.headers["x-frame-options"] = "DENY";
    // Not "no-referrer": a browser would then hide from us, too, where a form was sent from.
    response.headers["referrer-policy"] = "same-origin";
    response.headers["cross-origin-opener-policy"] = "same-origin";
    response.headers["cross-origin-resource-policy"] = "same-origin";
    response.headers["vary"] = "accept, cookie";
    return response;
}

http::Response see_other(const std::string& path) {
    auto response = html_response("", 303);
    response.headers.erase("content-type");
    response.headers["location"] = path;
    return response;
}

http::Response page_response(
    const http::Request& request, std::string_view name, json view, Shows shows, int status) {
    auto all = json::array();
    for (const auto& tab : tabs) {
        const bool here = is_below(request.path, tab.path);
        all.push_back({{"name", tab.name}, {"href", tab.path}, {"here", here}});
    }
    const auto title = name_words(view.at("title").get<std::string>());
    const auto in_format = [&](Shows least, const char* format) -> json {
        if (shows < least) return nullptr;
        return {{"href", address_with(request, {{"format", format}})}};
    };
    view["template"] = name;
    const json frame = {
        {"title", title},
        {"icon", asset("icon.svg")},
        {"style", asset("vigil.css")},
        {"script", script()},
        {"version", program_version()},
        {"docs", !docs_site().empty()},
        {"tabs", std::move(all)},
        {"reader", reader_of(request)},
        {"guest", !request.caller},
        {"live", shows < Shows::thing ? json() : json{{"stream", live_path}}},
        {"as_json", in_format(Shows::answer, "json")},
        {"as_csv", in_format(Shows::list, "csv")},
        {"body", std::move(view)}};
    return html_response(render("frame.html", frame), status);
}

json night_link(const Asker& asker, std::optional<std::int64_t> nightly) {
    if (!nightly) return nullptr;
    return {{"id", *nightly}, {"name", name_words(asker.one<ListedNightly>(*nightly).name)}};
}

bool wants_data(const http::Request& request) {
    if (request.query.contains("format")) return true;
    const auto accept = request.header("accept").value_or("*/*");
    return accept.find("text/html") == accept.npos && accept.find("*/*") == accept.npos;
}

http::Response data_response(
    Handler handler, const http::Request& request, Database& db, const HandlerContext& context) {
    auto asked = request;
    asked.query = given_filters(request);
    // Only lists have more formats than one.
    const auto format = asked.query.find("format");
    if (format != asked.query.end() && format->second == "json") asked.query.erase(format);
    auto response = handler(asked, db, context);
    response.headers["vary"] = "accept, cookie";
    return response;
}

Texts given_filters(const http::Request& request) {
    Texts given = request.query;
    std::erase_if(given, [](const auto& one) {
        return one.second.empty() || std::ranges::find(of_scripts, one.first) != of_scripts.end();
    });
    return given;
}

std::string address_with(const http::Request& request, const Texts& values) {
    Texts query = request.query;
    for (const auto& [name, value] : values) query[name] = value;
    return request.path + http::query_string(query);
}

}  // namespace vigil::service
