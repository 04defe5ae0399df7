// Rooms: a folder holds few enough files to be known, the folders stand on each other without a
// circle, and SQL is at home in the stores.

#include <map>
#include <regex>

#include <catch2/catch.hpp>

#include "tests/tidy/tree.hpp"

using namespace vigil::tidy;

namespace {

/// A unit is a source with its header.
constexpr std::size_t max_units = 25;

std::string folder_of(const std::string& file) {
    return file.substr(0, file.rfind('/'));
}

bool is_product(const SourceFile& source) {
    return source.is_cpp() && !source.is_in("tests");
}

std::set<std::string> folders_included(const SourceFile& source) {
    static const std::regex include("^#include \"([^\"]+)/[^/\"]+\"");
    std::set<std::string> found;
    for (const auto& line : split_lines(source.text)) {
        std::smatch match;
        if (std::regex_search(line, match, include)) found.insert(match[1]);
    }
    found.erase(folder_of(source.name));
    return found;
}

using Graph = std::map<std::string, std::set<std::string>>;

/// The folders of a circle in order, if there is one on the way from `at`.
std::vector<std::string> find_circle(
    const Graph& graph,
    const std::string& at,
    std::vector<std::string>& way,
    std::set<std::string>& left) {
    const auto seen = std::find(way.begin(), way.end(), at);
    if (seen != way.end()) return {seen, way.end()};
    if (left.contains(at)) return {};
    way.push_back(at);
    if (const auto next = graph.find(at); next != graph.end()) {
        for (const auto& to : next->second) {
            if (auto circle = find_circle(graph, to, way, left); !circle.empty()) return circle;
        }
    }
    way.pop_back();
    left.insert(at);
    return {};
}

std::vector<std::string> find_circle(const Graph& graph) {
    std::set<std::string> left;
    for (const auto& [folder, to] : graph) {
        std::vector<std::string> way;
        if (auto circle = find_circle(graph, folder, way, left); !circle.empty()) return circle;
    }
    return {};
}

}  // namespace

TEST_CASE("A room is small enough to be known", "[tidy]") {
    std::map<std::string, std::set<std::string>> units;
    for (const auto& source : all_sources()) {
        if (!is_product(source)) continue;
        units[folder_of(source.name)].insert(source.name.substr(0, source.name.rfind('.')));
    }
    for (const auto& [folder, in_it] : units) {
        CAPTURE(folder);
        CHECK(in_it.size() <= max_units);
    }
}

TEST_CASE("No folder stands on one that stands on it", "[tidy]") {
    Graph graph;
    for (const auto& source : all_sources()) {
        if (is_product(source)) graph[folder_of(source.name)].merge(folders_included(source));
    }
    CHECK(find_circle(graph) == std::vector<std::string>{});
    CHECK(find_circle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}).size() == 2);
    CHECK(find_circle({{"a", {"b", "c"}}, {"b", {"c"}}}).empty());
}

TEST_CASE("SQL stands in the stores", "[tidy]") {
    static const std::regex statement(
        R"(^\s*(SELECT .* FROM|SELECT 1|INSERT (OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|WITH \w+ AS)\b)");
    for (const auto& source : all_sources()) {
        if (!is_product(source) || !source.is_in("service")) continue;
        if (source.is_in("service/store")) continue;
        for (auto at = source.text.find('"'); at != std::string::npos;
             at = source.text.find('"', at + 1)) {
            const auto rest = source.text.substr(at + 1, 80);
            CAPTURE(source.name, rest);
            CHECK_FALSE(std::regex_search(rest, statement));
        }
    }
}

TEST_CASE("A store knows no config and none of its callers", "[tidy]") {
    for (const auto& source : all_sources()) {
        if (!is_product(source) || !source.is_in("service/store")) continue;
        CAPTURE(source.name);
        for (const auto& folder : folders_included(source)) {
            CAPTURE(folder);
            const bool may = !folder.starts_with("service/") || folder == "service/runtime" ||
                             folder.starts_with("service/store");
            CHECK(may);
        }
    }
}
