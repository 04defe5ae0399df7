// What a regression's report knows of people, and of how a build failed.

#include <string>

#include <catch2/catch.hpp>

#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/report/report_step.hpp"
#include "service/store/findings/regressions.hpp"
#include "tests/integration/service/report/ledger.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

bool says_so(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("A regression's facts tell who answered, who is asked and by when", "[service]") {
    Ledger ledger;
    report_step(ledger.db, ledger.config, ledger.now_s);
    const auto load = [&] {
        return load_regression_facts(ledger.db, RegressionId{1}, ledger.config);
    };
    CHECK_FALSE(load().answer.has_value());
    CHECK(load().answer_by_s == 2200 + ledger.config.projects["tensorlab"].answer_due_s);
    assign_regression(ledger.db, RegressionId{1}, "ada", "bob", "she knows it", ++ledger.now_s);
    report_step(ledger.db, ledger.config, ledger.now_s);
    CHECK(ledger.count("report WHERE regression_id = 1") == 2);  // the issue says so
    CHECK(says_so(render_regression(load()).body, "Assignee: `ada`, to whom it is assigned."));
    const auto to = RegressionState::accepted;
    move_by_hand(ledger.db, RegressionId{1}, to, "ada", "worth it @all", ++ledger.now_s);
    const auto facts = load();
    REQUIRE(facts.answer.has_value());
    CHECK(facts.answer->from == "reported");
    CHECK(facts.answer->to == "accepted");
    CHECK(facts.answer->by == "ada");
    CHECK_FALSE(facts.answer_by_s.has_value());
    const auto body = render_regression(facts).body;
    CHECK(body.starts_with("**Accepted as the new level by `ada`: `worth it "));
    CHECK(says_so(body, "Nothing is asked."));
    CHECK_FALSE(says_so(body, "@all"));
}

TEST_CASE("A regression's facts tell how the bad build failed", "[service][report]") {
    Ledger ledger;
    const auto load = [&] {
        return load_regression_facts(ledger.db, RegressionId{1}, ledger.config).series.at(0);
    };
    CHECK_FALSE(load().failed.has_value());
    ledger.db.execute_script("UPDATE run SET outcome = 'oom' WHERE job_id = 3 AND build_id = 1");
    CHECK_FALSE(load().failed.has_value());  // the good build
    ledger.db.execute_script("UPDATE run SET outcome = 'oom' WHERE job_id = 3 AND build_id = 2");
    CHECK(load().failed == Outcome::oom);
}

TEST_CASE("A report offers comments where deliveries tell of them", "[service][report]") {
    Ledger ledger;
    const auto body = [&] {
        return render_regression(load_regression_facts(ledger.db, RegressionId{1}, ledger.config))
            .body;
    };
    CHECK_FALSE(says_so(body(), "`/vigil ack`"));
    ledger.config.webhook = WebhookConfig{"secret", {{"Owner/Name", "tensorlab"}}};
    CHECK(says_so(body(), "| `/vigil ack` |"));
    ledger.config.webhook->projects = {{"owner/other", "tensorlab"}};
    CHECK_FALSE(says_so(body(), "`/vigil ack`"));
}
