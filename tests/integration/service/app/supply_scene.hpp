#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "service/app/project_supply.hpp"
#include "service/schedule/trigger.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"
#include "service/store/troubles.hpp"
#include "tests/integration/service/source/git_repository.hpp"
#include "tests/support/run_on.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {

namespace asio = boost::asio;

inline Trigger load_trigger(Database& db, TriggerId trigger) {
    return db.load<Trigger>(
        "trigger",
        "SELECT id, project_id, cause, cause_key, revision, state, message, nightly_id, "
        "created_at_s, ended_at_s FROM trigger_request WHERE id = ?1",
        trigger);
}

/// Projects of git repositories, each with a supply of its own, on a real ledger.
struct SupplyScene {
    test::ScratchFolder scratch;
    test::GitRepository origin{scratch / "origin"};
    asio::io_context io{1};
    LiveConfig config{Config{}};
    SystemClock clock;
    std::unique_ptr<WriterLane> writer;
    std::vector<std::unique_ptr<ProjectSupply>> supplies;

    SupplyScene() {
        Config first;
        first.state_dir = (scratch / "state").string();
        std::filesystem::create_directories(first.state_dir);
        config.replace(std::move(first));
        origin.write("a", "1");
        origin.commit("one");
        auto db = Database::open_writer(ledger());
        migrate(db);
        writer = std::make_unique<WriterLane>(Database::open_writer(ledger()), 100);
    }

    std::filesystem::path ledger() const { return scratch / "state" / "ledger.sqlite"; }

    TriggerId add(const std::string& name, const std::string& repository) {
        Config changed = config.now();
        auto& project = changed.projects[name];
        project.name = name;
        project.source.kind = SourceKind::git;
        project.source.repository = repository;
        project.source.branch = "main";
        config.replace(std::move(changed));
        return add_supply(name);
    }

    TriggerId add_supply(const std::string& name) {
        auto db = Database::open_writer(ledger());
        const auto id = ensure_project(db, name, 1);
        supplies.push_back(std::make_unique<ProjectSupply>(
            LoopParts{io, config, clock, *writer},
            ContentStore(scratch / "state/content"),
            id,
            name));
        return ask(id, "first");
    }

    TriggerId ask(
        ProjectId project,
        const std::string& key,
        const std::optional<std::string>& wanted = std::nullopt) {
        auto db = Database::open_writer(ledger());
        return request_nightly(db, project, TriggerCause::request, key, wanted, 1);
    }

    // Lets the supplies work until `done` says so of the ledger, then ends them.
    void play_until(const std::function<bool(Database&)>& done) {
        for (auto& supply : supplies) {
            asio::co_spawn(io, supply->run(), asio::detached);
            asio::co_spawn(io, supply->watch(), asio::detached);
        }
        const auto look = [&]() -> asio::awaitable<void> {
            asio::steady_timer pause(io);
            for (bool ended = false; !ended;) {
                co_await writer->run([&](Database& db) { ended = done(db); });
                pause.expires_after(std::chrono::milliseconds(5));
                co_await pause.async_wait(asio::use_awaitable);
            }
            for (auto& supply : supplies) supply->stop();
        };
        test::run_on(io, look());
    }

    Trigger play_until_ended(TriggerId trigger) {
        std::optional<Trigger> found;
        play_until([&](Database& db) {
            found = load_trigger(db, trigger);
            return found->state != TriggerState::waiting;
        });
        return *found;
    }

    std::vector<Trouble> troubles() {
        auto db = Database::open_reader(ledger());
        return list_troubles(db);
    }
};

}  // namespace vigil::service
