// Filters by text that people write, and one that nobody listed.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/error.hpp"
#include "service/api/common/listing.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

TEST_CASE("A filter that nobody listed is refused as unknown", "[service][api]") {
    Service service;
    seed_all(service);
    const List odd{
        "project",
        "SELECT id FROM project WHERE id <= :newest AND (:colour IS NULL OR name = :colour) LIMIT "
        ":limit"};
    for (const auto* value : {"red", "7"}) {
        CAPTURE(value);
        http::Request request;
        request.query["colour"] = value;
        const auto said = service.change([&](Database& db) {
            const HandlerContext context{service.config(), 100, 0, 100};
            try {
                list_response(request, db, context, odd);
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        });
        CHECK(said == "query parameter colour: this filter is not known here");
    }
}

TEST_CASE("An author is found by part of the name, in any script and case", "[service][api]") {
    Service service;
    seed_all(service);
    const auto found = [&](const std::string& name, const std::string& query) {
        service.change([&](Database& db) {
            db.execute("DELETE FROM author_email");
            db.execute("INSERT INTO author_email VALUES (?1, 'secret@example.org')", hash_of('b'));
            return db.execute("UPDATE suspect SET author = ?1", name);
        });
        const auto path = "/api/v1/regressions" + http::query_string({{"author", query}});
        return json_of(service.client().send("GET", path)).at("items").size() == 1;
    };
    CHECK(found("\u00D6zg\u00FCr Y\u0131lmaz", "\u00F6zg\u00FCr"));
    CHECK(found("O\u0308zgu\u0308r", "\u00F6ZG\u00DCR"));  // composed and not
    CHECK(found("\u0130stanbul", "istanbul"));
    CHECK(found("\u0416\u0410\u041D\u041D\u0410", "\u0436\u0430\u043D"));
    CHECK(found("\u03A3\u039F\u03A6\u039F\u03A3", "\u03C3\u03BF\u03C6\u03BF\u03C2"));
    CHECK(found("Stra\u00DFe", "STRASSE"));
    CHECK_FALSE(found("\u00D6zg\u00FCr", "ozgur2"));
    CHECK_FALSE(found("Author One", "secret"));  // addresses are not searched
    CHECK_FALSE(found("Author One", "example.org"));
}
