// What a person does with findings and machines by the forms of pages.

#include <catch2/catch.hpp>

#include "tests/integration/service/http/browser.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

TEST_CASE("The inbox answers several at once, each as the API does", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    service.change([](Database& db) {
        db.execute(
            "INSERT INTO regression (project_id, nightly_id, state, good_build_id, bad_build_id,"
            " created_at_s, changed_at_s) SELECT project_id, nightly_id, state, good_build_id,"
            " bad_build_id, 100, 100 FROM regression");
        return 0;
    });
    Browser browser(service);
    browser.sign_in(service.token("ada", {Scope::read, Scope::triage}));
    const auto page = browser.get("/inbox");
    CHECK(page.body.find("2 wait for an answer, 2 are late") != std::string::npos);
    CHECK(page.body.find("name=\"regression-2\"") != std::string::npos);
    const auto states = [&] {
        return service
            .change([](Database& db) {
                return db.find<std::string>(
                    "SELECT group_concat(state || ' ' || assigned) FROM regression");
            })
            .value_or("");
    };
    const std::string both = "&regression-1=on&regression-2=on";
    const auto answer = [&](const std::string& fields) {
        return browser.post("/inbox/answers", browser.key() + both + fields).status;
    };
    CHECK(answer("") == 400);
    CHECK(answer("&answer=close") == 400);
    CHECK(answer("&answer=accept&reason=&to=&until=") == 400);  // it asks why
    CHECK(browser.post("/inbox/answers", browser.key() + "&answer=acknowledge").status == 400);
    CHECK(answer("&regression-77=on&answer=acknowledge") == 404);
    CHECK(states() == "reported ,reported ");  // all or none
    CHECK(answer("&answer=acknowledge&reason=seen&to=&until=") == 303);
    CHECK(answer("&answer=assign&reason=&to=bob&until=") == 303);
    CHECK(answer("&answer=mute&reason=known&to=&until=nonsense") == 400);
    CHECK(states() == "acknowledged bob,acknowledged bob");
    CHECK(browser.post("/inbox/answers", both + "&answer=accept&reason=x").status == 403);
    const auto rows = service.change([](Database& db) {
        return db.find<std::string>(
            "SELECT group_concat(action || ' ' || object || ' ' || reason, '; ') FROM"
            " (SELECT * FROM audit WHERE object LIKE 'regression/%' ORDER BY id)");
    });
    CHECK(
        rows.value_or("") ==
        "regression.state regression/1 seen; regression.state regression/2 seen;"
        " regression.assign regression/1 ; regression.assign regression/2 ");
    Browser reader(service);
    reader.sign_in(service.token("reader", {Scope::read}));
    CHECK(reader.get("/inbox?first=size").body.find("type=\"checkbox\"") == std::string::npos);
    CHECK(reader.get("/inbox?first=colour").status == 400);
}

TEST_CASE("What is stuck is told with why, and can be sent again", "[service][http]") {
    Service service(pages_closed);
    seed_all(service);
    service.change([](Database& db) {
        db.execute("UPDATE outbox SET state = 'dead', message = 'the folder is gone'");
        db.execute("UPDATE job SET state = 'parked', message = 'no worker fits' WHERE id = 2");
        return 0;
    });
    Browser browser(service);
    browser.sign_in(service.token("ada", {Scope::read, Scope::triage}));
    const auto page = browser.get("/machines").body;
    CHECK(page.find("the folder is gone") != page.npos);
    CHECK(page.find("no worker fits") != page.npos);
    CHECK(page.find("action=\"/outbox/1/retry\"") != page.npos);
    CHECK(browser.post("/outbox/1/retry", "").status == 403);  // without its key
    const auto sent = browser.post("/outbox/1/retry", browser.key());
    CHECK(sent.status == 303);
    CHECK(sent.headers.at("location") == "/machines");
    CHECK(browser.post("/outbox/1/retry", browser.key()).status == 409);
    const auto held =
        browser.post("/workers/worker-one/quarantine", browser.key() + "&reason=its+fan");
    CHECK(held.status == 303);
    CHECK(browser.get("/machines").body.find("its fan") != std::string::npos);
    CHECK(browser.post("/workers/worker-one/release", browser.key()).status == 303);
    const auto rows = service.change([](Database& db) {
        return db.find<std::string>(
            "SELECT group_concat(action || ' ' || object || ' ' || reason, '; ')"
            " FROM (SELECT * FROM audit ORDER BY id)");
    });
    CHECK(
        rows.value_or("") ==
        "outbox.retry outbox/1 ; worker.quarantine worker/worker-one its fan;"
        " worker.release worker/worker-one ");
}
