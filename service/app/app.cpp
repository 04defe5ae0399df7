#include "service/app/app.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "schema/log/log.hpp"
#include "schema/log/service_manager.hpp"
#include "schema/model/error.hpp"
#include "service/app/callback_loop.hpp"
#include "service/app/delivery_loop.hpp"
#include "service/app/fleet_loop.hpp"
#include "service/app/housekeeping.hpp"
#include "service/app/night_loops.hpp"
#include "service/app/object_store_loop.hpp"
#include "service/app/project_supply.hpp"
#include "service/app/reload.hpp"
#include "service/app/state_folder.hpp"
#include "service/fleet/slurm_rest.hpp"
#include "service/http/server.hpp"
#include "service/runtime/lanes.hpp"
#include "service/runtime/memory.hpp"

namespace vigil::service {

namespace {

namespace asio = boost::asio;

// SIGTERM ends the daemon within 30 s, a second one within 5 s: first the requests, then the lanes.
constexpr auto drain_deadline = std::chrono::seconds(18);
constexpr auto longest_join = std::chrono::seconds(8);
constexpr auto hurried_deadline = std::chrono::seconds(2);
constexpr auto hurried_join = std::chrono::seconds(2);
constexpr int lane_limit = 1000;  // pieces of work that may wait for one lane

// A read of years takes a processor for a while. Others go on beside it, but a machine with many
// processors has the workers' results to keep as well.
int long_reader_count() {
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 2, 4);
}

// The thread is nobody's: it ends with the process.
void end_by_force_after(std::chrono::seconds wait, int exit_code) {
    std::thread([wait, exit_code] {
        std::this_thread::sleep_for(wait);
        log_warn("vigild.cut", {{"reason", "a lane did not end in time"}});
        std::_Exit(exit_code);
    }).detach();
}

}  // namespace

// The io_context comes first: lanes post to it until they are gone, so they must go before it.
class App::Parts {
  public:
    Parts(Config settings, std::string config_file, NewLedger rule)
        : config_(std::move(settings)),
          folder_(config_.now(), rule),
          clock_(folder_.steady_s()),
          ballast_(folder_.ballast(), config_.now().ledger.ballast_bytes),
          writer_(folder_.open_writer(), lane_limit, [this] { give_up_ballast(); }),
          reader_(folder_.open_reader(), lane_limit),
          long_readers_(
              long_reader_count(), [this] { return folder_.open_reader(); }, lane_limit),
          intake_(Intake{}, lane_limit),
          imports_(Intake{}, lane_limit),
          content_(folder_.open_content(), lane_limit),
          nights_(parts(), content_),
          deliveries_(
              parts(),
              [](const Config& config) { return Deliverer(config, std::cout, real_trackers()); }),
          callbacks_(parts()),
          fleet_(parts(), make_cluster),
          objects_(parts(), folder_.open_content()),
          housekeeping_(parts(), content_, ballast_),
          reload_(io_, std::move(config_file), config_, clock_, writer_),
          server_(
              io_,
              ApiContext{
                  config_,
                  clock_,
                  writer_,
                  reader_,
                  long_readers_,
                  intake_,
                  imports_,
                  content_,
                  [this] { wake(); }}) {
        nights_.on_moved = [this] {
            server_.notify_work();
            deliveries_.wake();
            callbacks_.wake();
        };
        nights_.on_wishes = [this] { wake_supplies(); };
        fleet_.on_revoked = [this](const std::string& token) { server_.forget_token(token); };
        fleet_.on_moved = [this] { server_.notify_work(); };
        reload_.on_changed = [this] {
            begin_supplies();
            wake();
            server_.notify_work();
        };
    }

    void run() {
        keep_no_large_blocks();
        server_.start();
        spawn("tick", nights_.tick());
        spawn("logs", nights_.logs());
        begin_supplies();
        spawn("delivery", deliveries_.run());
        spawn("callbacks", callbacks_.run());
        spawn("fleet", fleet_.run());
        spawn("objects", objects_.run());
        spawn("housekeeping", housekeeping_.run());
        spawn("reload", reload_.run());
        asio::co_spawn(io_, end_on_signal(), asio::detached);
        const auto port = std::to_string(server_.port());
        log_info(
            "vigild.ready",
            {{"address", "http://" + config_.now().http.address + ":" + port},
             {"state_dir", config_.now().state_dir}});
        asio::co_spawn(io_, tell_watchdog(), asio::detached);
        io_.run();
        // What a lane does now ends soon; where it hangs (a disk that does not answer), we end
        // without it: whatever is acknowledged is on disk.
        end_by_force_after(hurried_ ? hurried_join : longest_join, failed_ ? 1 : 0);
        log_info("vigild.ended");
    }

  private:
    LoopParts parts() { return {io_, config_, clock_, writer_}; }

    // On the writer's thread, when a write failed because the disk is full.
    void give_up_ballast() {
        if (ballast_.held())
            log_error("disk.full", {{"todo", "free disk space; the ballast file was removed"}});
        ballast_.release();
    }

    void wake() {
        nights_.wake();
        deliveries_.wake();
        wake_supplies();
    }

    void wake_supplies() {
        for (const auto& [project, supply] : supplies_) supply->wake();
    }

    // For each project that has none yet: at the start, and of a changed config.
    void begin_supplies() {
        for (const auto& [project, name] : folder_.projects()) {
            auto& supply = supplies_[project.value];
            if (supply) continue;
            supply =
                std::make_unique<ProjectSupply>(parts(), folder_.open_content(), project, name);
            supply->on_moved = [this] {
                nights_.wake();
                nights_.on_moved();
            };
            spawn("supply", supply->run());
            spawn("supply_watch", supply->watch());
        }
    }

    // A loop that ends by an exception has met a bug or a dead ledger: better no daemon than one
    // that watches nothing.
    void spawn(const char* name, asio::awaitable<void> loop) {
        ++loops_;
        asio::co_spawn(io_, std::move(loop), [this, name](const std::exception_ptr& failure) {
            --loops_;
            if (failure == nullptr) return;
            try {
                std::rethrow_exception(failure);
            } catch (const std::exception& error) {
                log_critical("loop.ended", {{"loop", name}, {"error", error.what()}});
            }
            failed_ = true;
            std::raise(SIGTERM);
        });
    }

    asio::awaitable<void> end_on_signal() {
        asio::signal_set signals(io_, SIGTERM, SIGINT);
        const int first = co_await signals.async_wait(asio::use_awaitable);
        log_info("vigild.draining", {{"signal", first}});
        notify_manager("STOPPING=1");
        asio::co_spawn(io_, hurry(), asio::detached);
        nights_.stop();
        for (const auto& [project, supply] : supplies_) supply->stop();
        deliveries_.stop();
        callbacks_.stop();
        fleet_.stop();
        objects_.stop();
        housekeeping_.stop();
        reload_.stop();
        co_await server_.drain(drain_deadline);
        io_.stop();
    }

    // Ready when all else runs, the wait for signals too. A daemon whose io thread hangs is killed
    // by the manager and started again.
    asio::awaitable<void> tell_watchdog() {
        notify_manager("READY=1");
        const auto interval = watchdog_interval();
        asio::steady_timer timer(io_);
        while (interval) {
            notify_manager("WATCHDOG=1");
            timer.expires_after(*interval);
            co_await timer.async_wait(asio::use_awaitable);
        }
    }

    // A second signal: what is left gets a few seconds, no more.
    asio::awaitable<void> hurry() {
        asio::signal_set signals(io_, SIGTERM, SIGINT);
        co_await signals.async_wait(asio::use_awaitable);
        log_warn("vigild.hurried");
        hurried_ = true;
        asio::steady_timer timer(io_, hurried_deadline);
        co_await timer.async_wait(asio::use_awaitable);
        io_.stop();
    }

    asio::io_context io_{1};
    LiveConfig config_;
    StateFolder folder_;
    SystemClock clock_;
    Ballast ballast_;
    WriterLane writer_;
    Lane<Database> reader_;
    Lanes<Database> long_readers_;
    Lane<Intake> intake_;
    Lane<Intake> imports_;
    Lane<ContentStore> content_;
    NightLoops nights_;
    DeliveryLoop deliveries_;
    CallbackLoop callbacks_;
    FleetLoop fleet_;
    ObjectStoreLoop objects_;
    Housekeeping housekeeping_;
    Reload reload_;
    HttpServer server_;
    std::map<std::int64_t, std::unique_ptr<ProjectSupply>> supplies_;  // by the project's id
    int loops_ = 0;
    bool hurried_ = false;
    bool failed_ = false;

  public:
    bool failed() const { return failed_; }
};

App::App(Config config, std::string config_file, NewLedger rule)
    : parts_(std::make_unique<Parts>(std::move(config), std::move(config_file), rule)) {}
App::~App() = default;

void App::run() {
    parts_->run();
    if (parts_->failed()) {
        throw Error(Errc::internal, "a loop of the daemon ended; the log has the reason");
    }
}

}  // namespace vigil::service
