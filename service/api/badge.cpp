#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/regression_words.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/report/facts/night_headline.hpp"
#include "service/store/ids.hpp"
#include "service/store/lists/lists.hpp"
#include "service/store/nights/nightlies.hpp"

namespace vigil::service {

namespace {

constexpr int most_counted = 99;
constexpr std::size_t max_label_bytes = 60;
constexpr int pixels_a_letter = 7;

struct Said {
    std::string words;
    std::string_view colour;
};

/// The project's open regressions, as many as fit and one more.
std::size_t count_open(Database& db, const std::string& project) {
    const nlohmann::json open = stored_words("open");
    const auto filter = [&](const std::string& name) -> Value {
        if (name == "project") return project;
        return name == "state" ? Value(open.dump()) : Value(std::nullopt);
    };
    return list_page(db, lists::regressions, {.limit = most_counted}, filter).size();
}

Said say(Database& db, const std::string& project, const Config& config) {
    const auto count = count_open(db, project);
    if (count > most_counted) return {fmt::format("{}+ open", most_counted), "#c33"};
    if (count > 0) return {fmt::format("{} open", count), "#c33"};
    const auto id = find_project(db, project);
    const auto night = id ? find_newest_ended(db, *id) : std::nullopt;
    if (!night) return {"no data", "#777"};
    const auto headline = headline_of(load_night_facts(db, *night, config));
    return {headline.words, headline.standing == NightStanding::all_clear ? "#282" : "#777"};
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
    auto response =
        http::text_response(svg_of(label, say(db, project, context.config)), "image/svg+xml");
    response.headers["content-security-policy"] = "default-src 'none'";
    response.headers["cache-control"] = "no-cache";
    return response;
}

}  // namespace vigil::service
