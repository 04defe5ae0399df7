#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/regression_words.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

constexpr int most_counted = 99;
constexpr std::size_t max_label_bytes = 60;
constexpr int pixels_a_letter = 7;

struct Said {
    std::string words;
    std::string_view colour;
};

/// The projects' things of a list, as many as fit.
std::size_t count_of(
    Database& db, const List& list, const std::string& project, const Value& state) {
    const auto filter = [&](const std::string& name) -> Value {
        if (name == "project") return project;
        return name == "state" ? state : Value(std::nullopt);
    };
    return list_page(db, list, {.limit = most_counted}, filter).size();
}

Said say(Database& db, const std::string& project) {
    const nlohmann::json open = stored_words("open");
    const auto count = count_of(db, lists::regressions, project, open.dump());
    if (count > most_counted) return {fmt::format("{}+ open", most_counted), "#c33"};
    if (count > 0) return {fmt::format("{} open", count), "#c33"};
    const auto done = std::string(to_string(NightlyState::done));
    if (count_of(db, lists::nightlies, project, done) == 0) return {"no data", "#777"};
    return {"all clear", "#282"};
}

std::string svg_of(const std::string& label, const Said& said) {
    const auto width_of = [](const std::string& text) {
        return static_cast<int>(text::columns(text)) * pixels_a_letter + 12;
    };
    const int left = width_of(label);
    const int right = width_of(said.words);
    const auto words = fmt::format("{}: {}", text::html(label), text::html(said.words));
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="20" role="img")"
        R"( aria-label="{1}"><title>{1}</title><rect width="{2}" height="20" fill="#444"/>)"
        R"(<rect x="{2}" width="{3}" height="20" fill="{4}"/><g fill="#fff" font-size="11")"
        R"( font-family="Verdana,DejaVu Sans,sans-serif" text-anchor="middle">)"
        R"(<text x="{5}" y="14">{6}</text><text x="{7}" y="14">{8}</text></g></svg>)"
        "\n",
        left + right,
        words,
        left,
        right,
        said.colour,
        left / 2,
        text::html(label),
        left + right / 2,
        text::html(said.words));
}

}  // namespace

http::Response get_badge(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto& project = request.parameters.at("name");
    if (!context.config.projects.contains(project)) {
        throw Error(Errc::not_found, "there is no such project in the config");
    }
    const Snapshot snapshot(db);
    const std::string label(text::first_bytes(project, max_label_bytes));
    auto response = http::text_response(svg_of(label, say(db, project)), "image/svg+xml");
    response.headers["content-security-policy"] = "default-src 'none'";
    response.headers["cache-control"] = "no-cache";
    return response;
}

}  // namespace vigil::service
