#include "service/app/delivery_loop.hpp"

#include <fstream>
#include <iostream>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch.hpp>

#include "service/report/report_step.hpp"
#include "tests/integration/service/report/ledger.hpp"
#include "tests/support/canned_server.hpp"
#include "tests/support/issue_board.hpp"

namespace vigil::service {
namespace {

test::CannedReply silence(const test::CannedRequest&) {
    test::CannedReply reply;
    reply.fault = test::Fault::silence;
    return reply;
}

}  // namespace

TEST_CASE("A receiver that does not answer keeps no other waiting", "[service][app]") {
    Ledger ledger;
    std::optional<test::CannedServer> dead(std::in_place, silence);
    test::IssueBoard board;
    const auto secret = (ledger.folder / "secret").string();
    std::ofstream(secret) << "secret\n";
    auto& hook = ledger.config.report_targets["dead"];
    hook.name = "dead";
    hook.kind = TargetKind::webhook;
    hook.url = dead->url() + "/told";
    hook.secret_file = secret;
    ledger.config.report_targets["issues"].base_url = board.url();
    ledger.config.report_targets["issues"].token_file = secret;
    ledger.config.projects["tensorlab"].reports = {"dead", "issues"};
    const SystemClock clock;
    report_step(ledger.db, ledger.config, clock.now_s());
    REQUIRE(ledger.count("outbox WHERE target = 'dead'") > 0);
    const LiveConfig config(ledger.config);

    boost::asio::io_context io{1};
    WriterLane writer(std::move(ledger.db), 100);
    DeliveryLoop loop({io, config, clock, writer}, [](const Config& now) {
        return Deliverer(now, std::cout, real_trackers());
    });
    const auto count = [&](const std::string& what) -> boost::asio::awaitable<std::int64_t> {
        std::int64_t found = 0;
        co_await writer.run([&](Database& db) {
            found = db.find<std::int64_t>("SELECT count(*) FROM outbox WHERE " + what).value();
        });
        co_return found;
    };
    std::int64_t waiting = 0;
    const auto watch = [&]() -> boost::asio::awaitable<void> {
        while (co_await count("target = 'issues' AND state = 'pending'") > 0) {
        }
        waiting = co_await count("target = 'dead' AND in_flight = 1");
        loop.stop();
        dead.reset();  // whoever waits for it waits no longer
    };
    boost::asio::co_spawn(io, loop.run(), boost::asio::detached);
    boost::asio::co_spawn(io, watch(), boost::asio::detached);
    io.run();
    CHECK(board.issues().size() == 1);
    CHECK(waiting == 1);
}

}  // namespace vigil::service
