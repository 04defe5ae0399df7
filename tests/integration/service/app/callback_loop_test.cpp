#include "service/app/callback_loop.hpp"

#include <fstream>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch.hpp>

#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/workers.hpp"
#include "tests/support/canned_server.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

/// A project that asks for its runs at an address, with one run that waits to be asked for.
void add_project(
    Database& db, Config& config, const std::string& name, const CallbackConfig& callback) {
    auto& far = config.projects[name];
    far.name = name;
    far.source.kind = SourceKind::elsewhere;
    far.source.callback = callback;
    NewJob job;
    job.project = ensure_project(db, name, 100);
    job.machine_class = ensure_machine_class(db, "far");
    job.only_worker = ensure_stand_in(db, job.project, job.machine_class, 100);
    job.builds = {ensure_source_build(db, job.project, Revision(std::string(40, 'a')), 100)};
    BenchmarkPlan benchmark;
    benchmark.benchmark = "sort";
    benchmark.variant = "default";
    benchmark.command = {"no program runs here"};
    job.plan.benchmarks = {benchmark};
    job.plan.steps = {Step{}};
    add_job(db, job, 100);
}

}  // namespace

TEST_CASE("A receiver that answers no question keeps no other waiting", "[service][app]") {
    const test::ScratchFolder folder;
    std::optional<test::CannedServer> dead(std::in_place, [](const test::CannedRequest&) {
        test::CannedReply reply;
        reply.fault = test::Fault::silence;
        return reply;
    });
    test::CannedServer alive([](const test::CannedRequest&) { return test::CannedReply{}; });
    std::ofstream(folder / "secret") << "secret\n";
    CallbackConfig to;
    to.secret_file = (folder / "secret").string();
    auto db = Database::open_writer(folder / "vigil.db");
    migrate(db);
    Config all;
    to.url = dead->url() + "/measure";
    add_project(db, all, "a-dead", to);
    to.url = alive.url() + "/measure";
    add_project(db, all, "b-alive", to);
    const LiveConfig config(all);

    const SystemClock clock;
    boost::asio::io_context io{1};
    WriterLane writer(std::move(db), 100);
    CallbackLoop loop({io, config, clock, writer});
    const auto count = [&](const std::string& what) -> boost::asio::awaitable<std::int64_t> {
        std::int64_t found = 0;
        co_await writer.run([&](Database& ledger) {
            found = *ledger.find<std::int64_t>("SELECT count(*) FROM callback WHERE " + what);
        });
        co_return found;
    };
    std::int64_t waiting = 0;
    const auto watch = [&]() -> boost::asio::awaitable<void> {
        while (co_await count("state = 'sent'") == 0) {
        }
        waiting = co_await count("state = 'pending' AND in_flight = 1");
        loop.stop();
        dead.reset();  // whoever waits for it waits no longer
    };
    boost::asio::co_spawn(io, loop.run(), boost::asio::detached);
    boost::asio::co_spawn(io, watch(), boost::asio::detached);
    io.run();
    CHECK(waiting == 1);
}

}  // namespace vigil::service
