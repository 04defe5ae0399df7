#include "schema/profile/profile_json.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::profile {

namespace {

using nlohmann::json;

constexpr std::size_t max_name_bytes = 4000;
constexpr std::size_t max_words_bytes = 4000;
constexpr std::size_t max_names = 100;
constexpr wire::IntegerRange from_zero{0};

json json_of(const Function& one) {
    auto libraries = json::array();
    for (const auto& [name, cost] : one.libraries) {
        libraries.push_back({{"name", name}, {"cost", cost}});
    }
    return {
        {"name", one.name},
        {"file", one.file},
        {"cost", one.cost},
        {"calls", one.calls},
        {"is_own", one.is_own},
        {"libraries", std::move(libraries)},
        {"called_by", one.called_by}};
}

Function parse_function(const wire::Item& item) {
    wire::ObjectReader in(item);
    Function one;
    one.name = in.text("name", max_name_bytes);
    one.file = in.text("file", max_name_bytes);
    one.cost = in.integer("cost", from_zero);
    one.calls = in.integer("calls", from_zero);
    one.is_own = in.flag("is_own");
    for (const auto& library : in.items("libraries", max_names)) {
        wire::ObjectReader of(library);
        one.libraries.push_back({of.text("name", max_name_bytes), of.integer("cost", from_zero)});
        of.done();
    }
    one.called_by = in.texts("called_by", max_names);
    in.done();
    return one;
}

WhyRow parse_row(const wire::Item& item) {
    wire::ObjectReader in(item);
    WhyRow row;
    row.function = in.text("function", max_name_bytes);
    row.file = in.text("file", max_name_bytes);
    row.before = in.integer("before");
    row.after = in.integer("after");
    row.share = in.number("share");
    row.calls_before = in.integer("calls_before");
    row.calls_after = in.integer("calls_after");
    row.touched = in.flag("touched");
    row.inlined = in.texts("inlined");
    row.mostly_in = in.text("mostly_in", max_name_bytes);
    in.done();
    return row;
}

}  // namespace

std::string profile_text(const Profile& profile, std::size_t max_bytes) {
    std::string functions;
    for (const auto& one : profile.functions) {
        const auto text = wire::write_json(json_of(one));
        // What is around them takes less than 200 bytes.
        if (functions.size() + text.size() + 200 > max_bytes) break;
        functions += (functions.empty() ? "" : ",") + text;
    }
    return "{\"functions\":[" + functions + "],\"total\":" + std::to_string(profile.total) +
           ",\"unnamed\":" + std::to_string(profile.unnamed) + "}";
}

Profile parse_profile(std::string_view text) {
    const auto value =
        wire::parse_json(text, "the profile", {.max_bytes = wire::max_profile_bytes});
    wire::ObjectReader in(value, "profile");
    Profile profile;
    profile.total = in.integer("total", from_zero);
    profile.unnamed = in.integer("unnamed", from_zero);
    for (const auto& item : in.items("functions", max_functions)) {
        profile.functions.push_back(parse_function(item));
    }
    in.done();
    return profile;
}

Why parse_why(const json& value, const std::string& path) {
    wire::ObjectReader in(value, path);
    Why why;
    why.before = in.integer("before");
    why.after = in.integer("after");
    for (const auto& item : in.items("rows", max_names)) why.rows.push_back(parse_row(item));
    why.telling = in.small("telling", from_zero);
    why.explained = in.number("explained");
    why.words = in.text("words", max_words_bytes);
    why.notes = in.texts("notes", max_names);
    in.done();
    return why;
}

}  // namespace vigil::profile
