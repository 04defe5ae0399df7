// Floors: a folder includes only itself and the folders it stands on; and heavy libraries stay out
// of headers and of the code that decides.

#include <map>
#include <regex>

#include <catch2/catch.hpp>

#include "tests/tidy/tree.hpp"

using namespace vigil::tidy;

namespace {

using Folders = std::vector<std::string>;

/// What every floor of the service may include beside the floors to its left.
const Folders below_service{
    "service/config", "service/runtime", "service/chart", "service/tables", "bisect", "schema"};

/// Left to right: each may include those before it.
const Folders service_floors{
    "service/store",
    "service/source",
    "service/schedule",
    "service/fleet",
    "service/watch",
    "service/report",
    "service/api",
    "service/pages",
    "service/http",
    "service/app"};

std::map<std::string, Folders> make_floors() {
    std::map<std::string, Folders> floors{
        {"schema", {"schema"}},
        {"schema/model", {"schema/model"}},
        {"schema/text", {"schema/text", "schema/model"}},
        {"schema/log", {"schema/log", "schema/text", "schema/model"}},
        {"schema/sql", {"schema/sql", "schema/model"}},
        {"schema/wire", {"schema/wire", "schema/text", "schema/model"}},
        {"schema/harness", {"schema/harness", "schema/wire", "schema/text", "schema/model"}},
        {"schema/profile", {"schema/profile", "schema/wire", "schema/text", "schema/model"}},
        {"bisect", {"bisect", "schema"}},
        {"worker", {"worker/run", "worker/machine", "worker/lease", "worker/child", "schema"}},
        {"worker/run", {"worker/run", "worker/child", "schema"}},
        {"worker/machine", {"worker/machine", "worker/run", "schema"}},
        {"worker/bench", {"worker/bench"}},
        {"service/config", {"service/config", "schema"}},
        {"service/runtime", {"service/runtime", "service/config", "schema"}},
        {"service/chart", {"service/chart", "schema"}},
        {"service/local", {"service/local", "service/chart", "bisect", "worker/run", "schema"}},
        {"service/tables", {"service/tables", "bisect", "schema"}},
        {"service/cli",
         {"service/cli",
          "service/local",
          "service/chart",
          "service/tables",
          "bisect",
          "worker/run",
          "schema"}},
        {"service/lab", {"service/lab", "service/cli", "bisect", "schema"}},
        {"tests", {"tests", "service", "worker", "bisect", "schema"}}};
    Folders allowed = below_service;
    for (const auto& floor : service_floors) {
        allowed.push_back(floor);
        floors[floor] = allowed;
    }
    floors["service"] = allowed;  // main.cpp
    return floors;
}

const std::map<std::string, Folders> floors = make_floors();

/// The rules of the innermost folder that has rules: service/cli before service.
const Folders& allowed_in(const std::string& file) {
    const Folders* found = nullptr;
    for (const auto& [folder, allowed] : floors) {
        if (file.starts_with(folder + "/")) found = &allowed;  // longer names come later in a map
    }
    REQUIRE(found != nullptr);
    return *found;
}

/// A file may include what stands on its floors; main.cpp of a folder is a floor of its own.
bool is_allowed(const std::string& file, const std::string& include) {
    if (file.starts_with("tests/") && include.find('/') == include.npos) return true;  // beside it
    const auto& allowed = allowed_in(file);
    return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& folder) {
        return include.starts_with(folder + "/");
    });
}

std::vector<std::string> includes(const SourceFile& source, const std::string& pattern) {
    const std::regex include("^#include " + pattern);
    std::vector<std::string> found;
    for (const auto& line : split_lines(source.text)) {
        std::smatch match;
        if (std::regex_search(line, match, include)) found.push_back(match[1]);
    }
    return found;
}

bool is_heavy(const std::string& include) {
    static const std::regex heavy(
        "^(boost/(asio|beast)|sqlite3|git2|torch/|ATen/|c10/|nlohmann/json\\.hpp)");
    return std::regex_search(include, heavy);
}

/// Headers whose whole point is one of these libraries: adapters, included by sources only.
bool is_adapter(const SourceFile& source, const std::string& include) {
    if (include == "sqlite3.h") return source.is_in("service/store");
    if (include == "git2.h")
        return source.is_in("service/source") || source.is_in("bisect/history");
    if (!include.starts_with("boost/")) return false;
    for (const auto* edge :
         {"schema/http",
          "service/runtime",
          "service/store",
          "service/http",
          "service/app",
          "worker/lease"}) {
        if (source.is_in(edge)) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("Every folder includes only the folders it stands on", "[tidy]") {
    for (const auto& source : all_sources()) {
        if (!source.is_cpp() || source.is_in("tests/support/tensorlab/tree")) continue;
        for (const auto& include : includes(source, "\"([^\"]+)\"")) {
            CAPTURE(source.name, include);
            CHECK(is_allowed(source.name, include));
        }
    }
}

TEST_CASE("The floors tell up from down", "[tidy]") {
    CHECK(is_allowed("service/watch/night/judge.cpp", "service/store/database.hpp"));
    CHECK(is_allowed("service/watch/night/judge.cpp", "service/config/config.hpp"));
    CHECK(is_allowed("service/main.cpp", "service/app/app.hpp"));
    CHECK(is_allowed("worker/main.cpp", "worker/lease/loop.hpp"));
    CHECK_FALSE(is_allowed("service/store/database.cpp", "service/watch/night/judge.hpp"));
    CHECK_FALSE(is_allowed("service/config/cron.cpp", "service/runtime/clock.hpp"));
    CHECK_FALSE(is_allowed("service/app/app.cpp", "service/cli/main.hpp"));
    CHECK_FALSE(is_allowed("service/cli/main.cpp", "service/store/database.hpp"));
    CHECK_FALSE(is_allowed("service/local/story.cpp", "service/cli/run.hpp"));
    CHECK_FALSE(is_allowed("service/watch/night/judge.cpp", "service/local/story.hpp"));
    CHECK_FALSE(is_allowed("worker/run/spawn.cpp", "worker/lease/loop.hpp"));
    CHECK_FALSE(is_allowed("worker/bench/main.cpp", "schema/model/error.hpp"));
    CHECK_FALSE(is_allowed("worker/lease/loop.cpp", "worker/bench/models/models.hpp"));
    CHECK_FALSE(is_allowed("bisect/search/search.cpp", "service/store/database.hpp"));
    CHECK_FALSE(is_allowed("schema/model/job.hpp", "schema/wire/json.hpp"));
}

TEST_CASE("The code that decides uses no library that does I/O", "[tidy]") {
    for (const auto* source : product_sources()) {
        for (const auto* folder :
             {"schema/model",
              "bisect/stats",
              "bisect/detect",
              "bisect/trend",
              "bisect/why",
              "bisect/search"}) {
            if (!source->is_in(folder)) continue;
            for (const auto& include : includes(*source, "<([^>]+)>")) {
                CAPTURE(source->name, include);
                CHECK_FALSE(is_heavy(include));
            }
        }
    }
}

TEST_CASE("Headers keep slow libraries out", "[tidy]") {
    for (const auto* source : product_sources()) {
        if (!source->is_header()) continue;
        for (const auto& include : includes(*source, "<([^>]+)>")) {
            CAPTURE(source->name, include);
            const bool kept_out = !is_heavy(include) || is_adapter(*source, include);
            CHECK(kept_out);
        }
    }
}

TEST_CASE("The model stands on the standard library alone", "[tidy]") {
    for (const auto* source : product_sources()) {
        if (!source->is_in("schema/model")) continue;
        for (const auto& include : includes(*source, "<([^>]+)>")) {
            CAPTURE(source->name, include);
            CHECK(include.find_first_of("/.") == include.npos);
        }
    }
}
