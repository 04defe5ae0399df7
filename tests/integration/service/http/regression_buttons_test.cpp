// What the page of a regression asks for by a button: profiles of its culprit, and a revert check.

#include <catch2/catch.hpp>

#include "tests/integration/service/http/browser.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

TEST_CASE("A button asks why, and what was drawn is linked", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    Browser reader(service);
    Browser browser(service);
    const auto shows = [&](const std::string& part) {
        return browser.get("/regressions/1").body.find(part) != std::string::npos;
    };
    const std::string button = "action=\"/regressions/1/why\"";
    reader.sign_in(service.token("ada", {Scope::read, Scope::triage}));
    CHECK(reader.get("/regressions/1").body.find(button) == std::string::npos);  // it asks for work
    browser.sign_in(service.token("bob", {Scope::read, Scope::trigger}));
    CHECK(shows(button));
    CHECK(browser.post("/regressions/1/why", browser.key()).status == 409);  // nothing is verified
    service.change([](Database& db) {
        return db.execute(
            "UPDATE regression_series SET verified = ?1",
            Comparison{1, 2, 1, 0.9, 1.1, 1, 3, 3, Finding::worse, false});
    });
    CHECK(browser.post("/regressions/1/why", "key=another").status == 403);
    const auto asked = browser.post("/regressions/1/why", browser.key());
    CHECK(asked.status == 303);
    CHECK(asked.headers.at("location") == "/regressions/1");
    CHECK_FALSE(shows(button));  // it is asked
    CHECK_FALSE(shows("/regressions/1/flame.svg"));
    CHECK(browser.get("/regressions/1/flame.svg").status == 404);
    service.change(
        [](Database& db) { return db.execute("UPDATE why SET state = 'done', flame = '<svg/>'"); });
    CHECK(shows(button));
    CHECK(shows("/regressions/1/flame.svg"));
    const auto drawn = browser.get("/regressions/1/flame.svg");
    CHECK(drawn.body == "<svg/>");
    CHECK(drawn.headers.at("content-security-policy") == "default-src 'none'");
}

TEST_CASE(
    "A button asks for a revert check, and everybody reads how it stands", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    Browser reader(service);
    Browser browser(service);
    const auto shows = [](const Browser& one, const std::string& part) {
        return one.get("/regressions/1").body.find(part) != std::string::npos;
    };
    const std::string button = "action=\"/regressions/1/revert\"";
    reader.sign_in(service.token("ada", {Scope::read, Scope::triage}));
    browser.sign_in(service.token("bob", {Scope::read, Scope::trigger}));
    CHECK_FALSE(shows(reader, "Revert check"));  // it asks for work
    CHECK(reader.post("/regressions/1/revert", reader.key()).status == 403);
    CHECK(shows(browser, button));
    CHECK(
        browser.post("/regressions/1/revert", browser.key()).status == 409);  // nothing is verified
    service.change([](Database& db) {
        return db.execute(
            "UPDATE regression_series SET verified = ?1",
            Comparison{1, 2, 1, 0.9, 1.1, 1, 3, 3, Finding::worse, false});
    });
    CHECK(browser.post("/regressions/1/revert", "key=another").status == 403);
    const auto asked = browser.post("/regressions/1/revert", browser.key());
    CHECK(asked.status == 303);
    CHECK(asked.headers.at("location") == "/regressions/1");
    CHECK_FALSE(shows(browser, button));
    CHECK(shows(reader, "role=\"status\""));
    CHECK(shows(reader, "</span> asked</span>"));
    CHECK_FALSE(shows(reader, "Runs of the check"));
    service.change([](Database& db) {
        db.execute(
            "INSERT INTO request(id, project_id, kind, state, a, b, asked, token, created_at_s)"
            " VALUES (1, 1, 'comparison', 'measuring', 'a', 'b', '{}', 'a check', 1)");
        return db.execute("UPDATE revert_check SET state = 'measuring', request_id = 1");
    });
    CHECK(shows(reader, "</span> measuring</span>"));
    CHECK(shows(reader, "href=\"/requests/1\">Runs of the check"));
    CHECK_FALSE(shows(browser, button));
    service.change([](Database& db) {
        return db.execute(
            "UPDATE revert_check SET state = 'done', outcome = 'conflicts', conflicting = 1, "
            "conflicts = '[\"<b>a</b>\"]'");
    });
    CHECK(shows(reader, "does not apply: conflicts in 1 file (&lt;b&gt;a&lt;/b&gt;)"));
    CHECK_FALSE(shows(reader, "</span> measuring</span>"));
    CHECK(shows(browser, button));
    CHECK(shows(browser, "<button>Check again</button>"));
}
