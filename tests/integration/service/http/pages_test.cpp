// Pages as a browser asks for them.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/json.hpp"
#include "service/pages/common/files.hpp"
#include "service/store/events.hpp"
#include "tests/integration/service/http/browser.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string hostile = "</title><script>alert(1)</script>\u202E";

/// How often a text stands in another.
std::size_t count_of(const std::string& what, const std::string& text) {
    std::size_t count = 0;
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
    return count;
}

/// Scripts in a page that are not the one that we brought.
std::size_t foreign_scripts(const std::string& page) {
    return count_of("<script", page) -
           count_of("<script type=\"module\" src=\"/assets/vigil-", page);
}

constexpr const char* every_page[] = {
    "/",
    "/nightlies/2",
    "/regressions",
    "/regressions/1",
    "/series",
    "/series/1",
    "/machines",
    "/machines/doctor",
    "/bisections",
    "/bisections/1",
    "/trends",
    "/heatmap",
    "/compare",
    "/requests",
    "/inbox",
    "/week",
    "/trust"};

}  // namespace

TEST_CASE("Who has not signed in is sent to do so", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    Browser browser(service);
    for (const auto* page : every_page) {
        const auto reply = browser.get(page);
        CAPTURE(page);
        CHECK(reply.status == 303);
        CHECK(reply.headers.at("location") == "/login" + http::query_string({{"next", page}}));
    }
    CHECK(browser.client.send("GET", "/regressions").status == 401);
    CHECK(browser.get("/login").status == 200);
    const auto refused = browser.post("/login", "next=%2F&token=" + std::string(64, 'e'));
    CHECK(refused.status == 401);
    CHECK(refused.body.find("role=\"alert\"") != std::string::npos);
    CHECK_FALSE(refused.headers.contains("set-cookie"));
}

TEST_CASE("Signing in leads on to our own pages alone", "[service][http]") {
    Service service(pages_closed);
    Browser browser(service);
    const auto secret = service.token("reader", {Scope::read});
    for (const auto* next :
         {"https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil", ""}) {
        const auto reply = browser.post("/login", "token=" + secret + "&next=" + std::string(next));
        CHECK(reply.status == 303);
        CHECK(reply.headers.at("location") == "/");
    }
    const auto worker = service.token("worker-one", {Scope::worker});
    CHECK(browser.post("/login", "token=" + worker).status == 403);
}

TEST_CASE("Whoever signed in reads every page, until they sign out", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    Browser browser(service);
    browser.sign_in(service.token("reader", {Scope::read}));
    for (const auto* page : every_page) {
        const auto reply = browser.get(page);
        CAPTURE(page, reply.body);
        CHECK(reply.status == 200);
        CHECK(reply.headers.at("content-type") == "text/html; charset=utf-8");
        CHECK(reply.body.find("<bdi>reader</bdi>") != std::string::npos);
        CHECK(reply.body.find("</html>") != std::string::npos);
    }
    CHECK(browser.post("/logout", "").status == 403);  // without its key
    const auto out = browser.post("/logout", browser.key());
    CHECK(out.status == 303);
    CHECK(out.headers.at("set-cookie").starts_with("vigil_token=; Max-Age=0"));
    service.change([](Database& db) { return revoke_token(db, "reader", 200); });
}

TEST_CASE("The cookie counts for pages, and never for the API", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    Browser browser(service);
    browser.sign_in(service.token("triager", {Scope::read, Scope::triage}));
    CHECK(browser.get("/api/v1/regressions").status == 401);
    const auto change = browser.client.send(
        "POST",
        "/api/v1/regressions/1/state",
        R"({"state":"acknowledged"})",
        {{"cookie", browser.cookie}});
    CHECK(change.status == 401);
}

TEST_CASE("A page that is open hears what happens, by its cookie", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    Browser browser(service);
    browser.sign_in(service.token("reader", {Scope::read}));
    CHECK(browser.client.send("GET", "/live").status == 401);
    const auto page = browser.get("/regressions/1");
    CHECK(page.body.find(" data-live=\"/live\"") != std::string::npos);
    CHECK(browser.get("/login").body.find("data-live") == std::string::npos);
    CHECK(browser.get("/regressions/99").body.find("data-live") == std::string::npos);

    RawSocket socket(service.port());
    socket.send("GET /live HTTP/1.1\r\nHost: localhost\r\nCookie: " + browser.cookie + "\r\n\r\n");
    const auto head = socket.read_until("\r\n\r\n");
    CAPTURE(head);
    CHECK(head.find("text/event-stream") != head.npos);
    CHECK(socket.read_until("\n\n") == "retry: 3000\n\n");
    service.change([](Database& db) {
        return record_event(db, 7, "night.late", std::nullopt, "night/1", "late");
    });
    CHECK(socket.read_until("\n\n").starts_with("id: "));
}

TEST_CASE("Pages can be opened to all, apart from the API", "[service][http]") {
    Service service(pages_open);
    seed_all(service);
    Browser browser(service);
    CHECK(browser.get("/regressions/1").status == 200);
    CHECK(browser.get("/regressions/1", {{"x-forwarded-for", "10.0.0.1"}}).status == 303);
    CHECK(browser.get("/api/v1/regressions/1").status == 401);
    CHECK(browser.post("/regressions/1/state", "state=acknowledged").status == 303);  // to /login
    const auto state = service.change([](Database& db) {
        return db.find<std::string>("SELECT state FROM regression WHERE id = 1");
    });
    CHECK(state == "reported");
}

TEST_CASE("A page's headers let a browser do nothing but show it", "[service][http]") {
    Service service(pages_open);
    seed_all(service);
    const Browser browser(service);
    for (const auto* page : {"/", "/login", "/no/such/page"}) {
        const auto reply = browser.get(page);
        CAPTURE(page, reply.body);
        const auto& policy = reply.headers.at("content-security-policy");
        CHECK(policy.find("unsafe") == policy.npos);
        CHECK(policy.find("frame-ancestors 'none'") != policy.npos);
        CHECK(reply.headers.at("x-frame-options") == "DENY");
        CHECK(reply.headers.at("referrer-policy") == "same-origin");
        CHECK(reply.headers.at("x-content-type-options") == "nosniff");
        CHECK(foreign_scripts(reply.body) == 0);
        CHECK(reply.body.find(" style=") == std::string::npos);
    }
}

TEST_CASE("What is not there is a page for people and a problem for programs", "[service][http]") {
    Service service(pages_open);
    seed_all(service);
    const Browser browser(service);
    for (const auto* page : {"/no/such/page", "/regressions/99", "/series/99", "/nightlies/x"}) {
        const auto reply = browser.get(page);
        CAPTURE(page, reply.body);
        CHECK(reply.status == 404);
        CHECK(reply.headers.at("content-type") == "text/html; charset=utf-8");
        const auto problem = browser.client.send("GET", page);
        CHECK(problem.status == 404);
        CHECK(problem.headers.at("content-type") == "application/problem+json");
    }
    CHECK(browser.get("/regressions?state=nonsense").status == 400);
    CHECK(browser.get("/api/v1/nothing").headers.at("content-type") == "application/problem+json");
}

TEST_CASE("Every page answers what it shows as the API does", "[service][http]") {
    Service service(pages_open);
    seed_all(service);
    service.hold_time();
    const Browser browser(service);
    for (const auto* page : every_page) {
        const auto path = std::string(page);
        CAPTURE(path);
        const auto by_accept = browser.get(path, {{"accept", "application/json"}});
        CHECK(by_accept.status == 200);
        CHECK(by_accept.headers.at("content-type") == "application/json");
        const auto shown = browser.get(path);
        CHECK(shown.body.find("format=json") != std::string::npos);
        CHECK(browser.get(path + "?format=json").body == by_accept.body);
    }
    const auto table = browser.get("/regressions?format=csv");
    CHECK(table.headers.at("content-type").starts_with("text/csv"));
}

TEST_CASE("How a script sorted a table is no filter", "[service][http]") {
    Service service(pages_open);
    seed_all(service);
    const Browser browser(service);
    CHECK(browser.get("/regressions?sort=1.3.down").status == 200);
    CHECK(browser.get("/regressions?sort=1.3.down&format=json").status == 200);
    CHECK(browser.get("/regressions?sorted=1").status == 400);
}

TEST_CASE("Styles and scripts are kept for ever under names of their own", "[service][http]") {
    Service service(pages_closed);
    const Browser browser(service);
    for (const auto& file : page_files()) {
        if (file.served.empty()) continue;
        const auto path = "/assets/" + std::string(file.served);
        const auto reply = browser.get(path);
        CHECK(reply.status == 200);
        CHECK(reply.body == file.text);
        CHECK(reply.headers.at("cache-control") == "public, max-age=31536000, immutable");
        CHECK(reply.headers.at("content-type") == file.type);
    }
    CHECK(browser.get("/assets/vigil.css").status == 404);
}

TEST_CASE("A form answers a regression as the API does, with its audit", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    Browser browser(service);
    browser.sign_in(service.token("ada", {Scope::read, Scope::triage}));
    CHECK(
        browser.get("/regressions/1").body.find("action=\"/regressions/1/state\"") !=
        std::string::npos);

    const auto done = browser.post("/regressions/1/state", browser.key() + "&state=acknowledged");
    CHECK(done.status == 303);
    CHECK(done.headers.at("location") == "/regressions/1");
    const auto without_reason =
        browser.post("/regressions/1/state", browser.key() + "&state=accepted&reason=");
    CHECK(without_reason.status == 400);
    CHECK(without_reason.body.find("say why") != std::string::npos);
    CHECK(browser.post("/regressions/1/assign", browser.key() + "&to=bob").status == 303);
    CHECK(
        browser
            .post(
                "/regressions/1/mute",
                browser.key() +
                    "&until=" + text::utc(SystemClock().now_s() + 864'000).substr(0, 10) +
                    "&reason=fix+in+review")
            .status == 303);
    CHECK(
        browser.post("/regressions/1/state", browser.key() + "&state=refuted&reason=noise")
            .status == 303);
    const auto rows = service.change([](Database& db) {
        return db.find<std::string>(
            "SELECT group_concat(who || ' ' || action || ' ' || object || ' ' || reason, '; ')"
            " FROM (SELECT * FROM audit ORDER BY id)");
    });
    CHECK(
        rows.value_or("") ==
        "ada regression.state regression/1 ; ada regression.assign regression/1 ;"
        " ada regression.mute regression/1 fix in review;"
        " ada regression.state regression/1 noise");
}

TEST_CASE("A form without its key, or from another site, changes nothing", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    Browser browser(service);
    browser.sign_in(service.token("ada", {Scope::read, Scope::triage}));
    const std::string wish = "state=acknowledged";
    CHECK(browser.post("/regressions/1/state", wish).status == 403);
    CHECK(browser.post("/regressions/1/state", wish + "&key=0000").status == 403);
    const auto sent = wish + "&" + browser.key();
    CHECK(
        browser.post("/regressions/1/state", sent, {{"sec-fetch-site", "cross-site"}}).status ==
        403);
    CHECK(
        browser.post("/regressions/1/state", sent, {{"origin", "https://evil.example"}}).status ==
        403);
    CHECK(
        browser.post("/regressions/1/state", sent, {{"content-type", "text/plain"}}).status == 415);

    Browser reader(service);
    reader.sign_in(service.token("reader", {Scope::read}));
    CHECK(reader.post("/regressions/1/state", wish + "&" + reader.key()).status == 403);
    CHECK(
        reader.get("/regressions/1").body.find("action=\"/regressions/1/state\"") ==
        std::string::npos);
    const auto state = service.change([](Database& db) {
        return db.find<std::string>("SELECT state FROM regression WHERE id = 1");
    });
    CHECK(state == "reported");
}

TEST_CASE("Names of strangers are words on every page", "[service][http]") {
    Service service(pages_open);
    seed_all(service);
    service.change([&](Database& db) {
        const auto long_name = hostile + std::string(4096, 'x');
        db.execute("UPDATE suspect SET subject = ?1, author = ?1", long_name);
        db.execute("UPDATE series SET benchmark = ?1, variant = ?1", long_name);
        db.execute(
            "UPDATE report SET title = ?1, body = ?2", long_name, long_name + "\n\n" + long_name);
        db.execute("UPDATE regression SET assigned = ?1, reason = ?1", long_name);
        db.execute("UPDATE nightly SET version = ?1 || id, name = ?1 || id", long_name);
        db.execute("UPDATE worker SET reason = ?1", long_name);
        db.execute("UPDATE trouble SET message = ?1", long_name);
        return 0;
    });
    const Browser browser(service);
    for (const auto* page : every_page) {
        const auto reply = browser.get(page);
        CAPTURE(page, reply.body);
        CHECK(reply.status == 200);
        CHECK(foreign_scripts(reply.body) == 0);
        CHECK(reply.body.find("\u202E") == std::string::npos);
    }
}

TEST_CASE("A search that cannot be read takes no regression's page with it", "[service][http]") {
    Service service(pages_open);
    seed_all(service);
    service.change(
        [&](Database& db) { return db.execute("UPDATE bisection SET settings = '{}'"); });
    const auto reply = Browser(service).get("/regressions/1");
    CAPTURE(reply.body);
    CHECK(reply.status == 200);
    CHECK(
        reply.body.find("The search cannot be shown: <bdi>reading bisection.settings") !=
        std::string::npos);
    CHECK(reply.body.find("What happened") != std::string::npos);
}
