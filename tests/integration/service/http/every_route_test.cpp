// What holds for every route: asked of each of them, by the table of routes and by openapi.yaml.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/api/route.hpp"
#include "tests/integration/service/http/asked.hpp"
#include "tests/integration/service/http/recorder.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

void close_reads(Config& config) {
    config.http.open_reads = OpenReads::never;
}

nlohmann::json document_of(const Service& service) {
    return json_of(service.client().send("GET", "/api/v1/openapi.json"));
}

/// The names of a read's parameters, those of the components too.
std::vector<std::string> parameters_of(const nlohmann::json& document, const nlohmann::json& get) {
    std::vector<std::string> names;
    if (!get.contains("parameters")) return names;
    for (auto one : get.at("parameters")) {
        if (one.contains("$ref")) {
            one = document.at(
                nlohmann::json::json_pointer(one.at("$ref").get<std::string>().substr(1)));
        }
        if (one.at("in") == "query") names.push_back(one.at("name"));
    }
    return names;
}

/// The words that a statement of a list may be asked by, and more: all that stand behind a colon.
std::set<std::string> named_values() {
    std::set<std::string> names;
    const std::filesystem::path folder = VIGIL_SOURCE_DIR "/service/store/lists";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        std::ifstream in(file.path());
        std::stringstream text;
        text << in.rdbuf();
        const auto source = text.str();
        static const std::regex value(":([a-z_]+)");
        std::sregex_iterator found(source.begin(), source.end(), value);
        for (; found != std::sregex_iterator(); ++found) names.insert((*found)[1]);
    }
    return names;
}

/// Every list with one of its parameters.
template <class Ask>
int for_each_parameter(const Service& service, const Ask& ask) {
    int asked = 0;
    const auto document = document_of(service);
    for (const auto& [path, item] : document.at("paths").items()) {
        if (!item.contains("get") || path.ends_with("/stream")) continue;
        if (path.find('{') != path.npos && !path.starts_with("/api/v1/series/{id}/")) continue;
        auto target = path;
        if (const auto at = target.find("{id}"); at != target.npos) target.replace(at, 4, "1");
        for (const auto& name : parameters_of(document, item.at("get"))) {
            asked += ask(target, name) ? 1 : 0;
        }
    }
    return asked;
}

}  // namespace

TEST_CASE("Every path says what it takes, to whoever asks", "[service][http]") {
    const Service service(close_reads);
    const auto guest = service.client();
    for (const auto& route : all_routes()) {
        const auto path = nowhere(route.pattern);
        const std::string method(route.method);
        CAPTURE(method, path);
        const auto options = guest.send("OPTIONS", path);
        CHECK(options.status == 204);
        const auto allow = options.headers.at("allow");
        CHECK(allow.find(method) != allow.npos);
        CHECK((method == "GET") <= (allow.find("HEAD") != allow.npos));
        const auto other = guest.send("PATCH", path);
        CHECK(other.status == 405);
        CHECK(other.headers.at("allow") == allow);
        if (method != "GET") continue;
        const auto head = guest.send("HEAD", path);
        CHECK(head.status == guest.send("GET", path).status);
        CHECK(head.body.empty());
    }
}

TEST_CASE("Every reply hands back whose it is", "[service][http]") {
    const Service service(close_reads);
    const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const http::Headers fields{{"x-request-id", "mine-1"}, {"traceparent", trace}};
    for (const auto& route : all_routes()) {
        CAPTURE(route.method, route.pattern);
        for (const auto* method : {"GET", "POST", "PATCH"}) {
            const auto answer = service.client().send(method, nowhere(route.pattern), "", fields);
            CHECK(answer.headers.at("traceparent") == trace);
            CHECK(answer.headers.at("x-request-id") == "mine-1");
            CHECK_FALSE(answer.headers.contains("deprecation"));
        }
    }
}

TEST_CASE("Every list takes days and times, and short hashes", "[service][http]") {
    Service service(measure_small);
    seed_all(service);
    const auto admin = service.client(service.token("admin", Scope::admin));
    const auto fits = [&](const std::string& path, const std::string& query) {
        const auto answer = admin.send("GET", path + "?" + query);
        CAPTURE(path, query, answer.body);
        CHECK(answer.status == 200);
    };
    const int bounds = for_each_parameter(service, [&](const auto& path, const auto& name) {
        if (name != "since" && name != "until") return false;
        for (const auto* time :
             {"2024-01-02", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05%2B01:00"}) {
            fits(path, name + "=" + time);
        }
        fits(path, name + "_s=1704164645");
        return true;
    });
    CHECK(bounds >= 20);
    const int hashes = for_each_parameter(service, [&](const auto& path, const auto& name) {
        if (name != "culprit" && name != "revision") return false;
        fits(path, name + "=bbbb");
        return true;
    });
    CHECK(hashes >= 3);
}

TEST_CASE("Every list refuses what it does not know, with the nearest", "[service][http]") {
    Service service(measure_small);
    seed_all(service);
    const auto admin = service.client(service.token("admin", Scope::admin));
    const auto refused = [&](const std::string& path, const std::string& query, const char* says) {
        const auto answer = admin.send("GET", path + "?" + query);
        CAPTURE(path, query, answer.body);
        CHECK(answer.status == 400);
        CHECK_THAT(answer.body, Catch::Contains(says));
    };
    const int lists = for_each_parameter(service, [&](const auto& path, const auto& name) {
        if (name != "limit") return false;
        refused(path, "limt=5", R"(did you mean \"limit\"?)");
        refused(path, "limit=501", "1..");
        return true;
    });
    CHECK(lists >= 20);
    const int projects = for_each_parameter(service, [&](const auto& path, const auto& name) {
        if (name != "project") return false;
        refused(path, "project=dmo", R"(did you mean \"demo\"?)");
        return true;
    });
    CHECK(projects >= 10);
}

TEST_CASE("A read takes the parameters of its contract, and no other", "[service][http]") {
    Service service(measure_small);
    seed_all(service);
    const auto admin = service.client(service.token("admin", Scope::admin));
    const auto document = document_of(service);
    auto words = named_values();
    for_each_parameter(service, [&](const auto&, const auto& name) {
        words.insert(name);
        return true;
    });
    REQUIRE(words.size() > 40);
    for (const auto& [path, item] : document.at("paths").items()) {
        if (!item.contains("get") || path.find('{') != path.npos) continue;
        const auto described = parameters_of(document, item.at("get"));
        if (described.empty() || path.ends_with("/stream")) continue;
        for (const auto& word : words) {
            CAPTURE(path, word);
            const auto answer = admin.send("GET", path + "?" + word + "=~");
            const auto refusal = "'" + word + "' is not known here";
            const bool is_refused = answer.body.find(refusal) != std::string::npos;
            CHECK(is_refused == (std::ranges::count(described, word) == 0));
        }
    }
}

namespace {

/// The headers that a client may send to any read, and what it may ask for by `format`.
std::vector<std::pair<http::Headers, std::string>> all_wishes() {
    std::vector<std::pair<http::Headers, std::string>> wishes;
    for (const auto* type :
         {"text/csv",
          "application/x-ndjson",
          "text/markdown",
          "text/html",
          "application/json",
          "application/problem+json",
          "image/svg+xml",
          "*/*",
          "*/*;q=0",
          "text/*;q=0.1, nothing",
          ";,/;q=q,",
          "text/csv, text/markdown;q=0"}) {
        wishes.push_back({{{"accept", type}}, ""});
    }
    for (const auto* range : {"bytes=0-9", "bytes=5-", "bytes=9-1", "bytes=-1", "lines=1-2"}) {
        wishes.push_back({{{"range", range}}, ""});
        wishes.push_back({{{"range", range}, {"if-range", "\"x\""}}, ""});
    }
    for (const auto* tag : {"*", "\"x\"", "W/\"x\"", "\"", "x, \"y\"", ""}) {
        wishes.push_back({{{"if-none-match", tag}}, ""});
        wishes.push_back({{{"if-match", tag}}, ""});
    }
    for (const auto* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "tomorrow"}) {
        wishes.push_back({{{"if-modified-since", date}}, ""});
        wishes.push_back({{{"if-unmodified-since", date}}, ""});
    }
    for (const auto* format : {"csv", "ndjson", "markdown", "json", "html", "", "%00"}) {
        wishes.push_back({{{"accept", "text/csv"}}, format});
    }
    return wishes;
}

void wish_everything(Service& service) {
    const auto admin = service.client(service.token("admin", Scope::admin));
    int asked = 0;
    for (const auto& route : all_routes()) {
        if (route.method != "GET" || route.place == WorkPlace::stream) continue;
        auto path = nowhere(route.pattern);
        if (const auto id = path.find("999"); id != path.npos) path.replace(id, 3, "1");
        for (const auto& [headers, format] : all_wishes()) {
            const auto target = path + (format.empty() ? "" : "?format=" + format);
            CAPTURE(target, headers);
            for (const auto* method : {"GET", "HEAD"}) {
                const auto answer = admin.send(method, target, "", headers);
                CHECK(answer.status < 500);
                const auto accepted = headers.find("accept");
                const bool is_api = path.starts_with("/api/") && accepted != headers.end();
                if (!is_api || answer.status != 200 || accepted->second != "text/csv") continue;
                const auto& type = answer.headers.at("content-type");
                CHECK((type.starts_with("text/csv") || !format.empty()));
            }
            ++asked;
        }
    }
    CHECK(asked > 2000);
    CHECK(admin.send("GET", "/healthz").status == 200);
}

}  // namespace

TEST_CASE("No wish of a read's form ends the daemon, on an empty ledger", "[service][http]") {
    Service service(measure_small);
    wish_everything(service);
}

TEST_CASE("No wish of a read's form ends the daemon, on a full ledger", "[service][http]") {
    Service service(measure_small);
    seed_all(service);
    wish_everything(service);
}

TEST_CASE("A change can be bound to what was read, wherever that is shown", "[service][http]") {
    Service service(measure_small);
    seed_all(service);
    const auto admin = service.client(service.token("admin", Scope::admin));
    const std::string base = "/api/v1/";
    const auto bound = [&](const std::string& shown, const std::string& path, const char* body) {
        CAPTURE(shown, path);
        const auto tag = admin.send("GET", base + shown).headers.at("etag");
        CHECK(admin.send("POST", base + path, body, {{"if-match", "\"of-old\""}}).status == 412);
        CHECK(admin.send("POST", base + path, body, {{"if-match", tag}}).ok());
        // What was done has changed it.
        CHECK(admin.send("POST", base + path, body, {{"if-match", tag}}).status == 412);
    };
    const char* reason = R"({"reason":"the fan stood still"})";
    bound("nightlies/1", "nights/1/withdraw", reason);
    bound("nightlies/1", "nights/1/restore", reason);
    bound("backfills", "projects/demo/backfills", "");
    bound("requests", "comparisons", R"({"project":"demo","a":"aaaa","b":"bbbb"})");
    bound("triggers", "triggers", R"({"project":"demo"})");
    bound("regressions/1", "regressions/1/assign", R"({"to":"ada"})");
    bound("workers", "workers/worker-one/quarantine", reason);
    bound("tokens", "tokens", R"({"name":"new","scope":"read"})");
}
