#include "tests/support/plans.hpp"

#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/sql_texts.hpp"

namespace vigil::tests {
namespace {

TEST_CASE("a plan that reads more with every night is refused", "[plans]") {
    const Plans plans;
    CHECK(plans.growing("SELECT * FROM job WHERE attempt = ?1").size() == 1);
    CHECK(plans.growing("SELECT * FROM project p JOIN job j ON j.attempt = p.id").size() == 1);
    CHECK(plans.growing("SELECT * FROM event WHERE id < ?1 ORDER BY id DESC").size() == 1);
    CHECK(plans.growing("UPDATE regression SET reason = '' WHERE project_id = ?1").size() == 1);
    CHECK(plans.growing("SELECT 1 FROM judged_measurement WHERE median > ?1").size() == 1);
    CHECK(plans.growing("SELECT max(median) FROM measurement WHERE series_id = ?1").size() == 1);
    CHECK(plans.growing("SELECT * FROM job WHERE id = ?1").empty());
    CHECK(plans.growing("SELECT * FROM job WHERE state = 'leased'").empty());
    CHECK(plans.growing("SELECT * FROM project").empty());
    CHECK(plans.growing("SELECT MAX(id) FROM nightly WHERE project_id = ?1 AND id < ?2").empty());
}

TEST_CASE("no statement of the service reads more with every night", "[plans]") {
    const Plans plans;
    std::size_t whole = 0;
    for (const auto& sql : list_sql("service")) {
        if (sql.is_piece) continue;
        ++whole;
        INFO(sql.file << ":" << sql.line << "\n" << sql.text);
        CHECK(plans.refused(sql.text) == std::vector<std::string>{});
    }
    CHECK(whole > 400);
}

TEST_CASE("what is allowed to grow is there, and has a reason", "[plans]") {
    const auto all = list_sql("service");
    for (const auto& allowed : allowed_growth()) {
        INFO(allowed.piece);
        CHECK(allowed.reason.size() > 20);
        CHECK(std::any_of(all.begin(), all.end(), [&](const SqlText& sql) {
            return sql.text.find(allowed.piece) != std::string::npos;
        }));
    }
}

// A piece's plan is known where it runs: each folder that has some is watched by a test program.
TEST_CASE("every folder with pieces of statements is watched", "[plans]") {
    std::istringstream words(VIGIL_WATCHED);
    const std::set<std::string> watched(std::istream_iterator<std::string>(words), {});
    for (const auto& sql : list_sql("service")) {
        INFO(sql.file << ":" << sql.line << "\n" << sql.text);
        CHECK((!sql.is_piece || watched.contains(sql.file.substr(0, sql.file.rfind('/')))));
    }
}

}  // namespace
}  // namespace vigil::tests
