#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "schema/model/error.hpp"
#include "service/app/loop.hpp"
#include "service/app/repositories.hpp"
#include "service/store/findings/bisections.hpp"

namespace vigil::service {

/// Does what a project's rows ask for outside the ledger: its nightlies from their source, its
/// trees and suspects from git. Each project has a lane of its own, so a source that does not
/// answer keeps nobody else waiting; that it is waited for is a trouble ("source.waiting"), as is a
/// source that gives no nightly ("source.failed") or not all of one ("source.incomplete"), or no
/// trees and commits ("repository.unreachable"), or a submodule that cannot be had
/// ("submodule.missing"). io thread only.
class ProjectSupply : public Loop {
  public:
    /// @param content  a handle of its own on the content store
    ProjectSupply(
        const LoopParts& parts, ContentStore content, ProjectId project, std::string name);

    /// Runs until stop().
    boost::asio::awaitable<void> run();
    /// Tells, once, a source that is waited for too long. Runs until stop().
    boost::asio::awaitable<void> watch();

    /// What runs on the lane ends soon; what it was asked for stays asked for.
    void stop();

    /// Called when a night may go on.
    std::function<void()> on_moved = [] {};

  private:
    using Steady = std::chrono::steady_clock;
    /// What came of a piece of work on the lane.
    enum class Supplied { done, failed, not_now };

    boost::asio::awaitable<bool> supply_once();
    Supplied take_failure(Errc code, const std::string& reason, std::string& why);
    boost::asio::awaitable<bool> supply_triggers();
    boost::asio::awaitable<void> plant_self_test(std::string& why);
    boost::asio::awaitable<bool> supply_trees();
    std::optional<Digest> recipe_of_both() const;
    std::string why_no_history() const;
    boost::asio::awaitable<bool> supply_suspects();
    /// @return  false: not now
    boost::asio::awaitable<bool> supply_nights(MissingSuspects wanted);
    boost::asio::awaitable<bool> supply_fixes();
    boost::asio::awaitable<bool> supply_touched();
    boost::asio::awaitable<bool> supply_reverts();
    boost::asio::awaitable<bool> supply_backfills();
    boost::asio::awaitable<bool> supply_archives();
    boost::asio::awaitable<bool> supply_names();
    boost::asio::awaitable<bool> supply_night_commits();
    boost::asio::awaitable<bool> supply_pulls();
    boost::asio::awaitable<Supplied> ask(
        const std::function<void(Repositories&)>& work, std::string& why);
    boost::asio::awaitable<Supplied> ask_repository(
        const std::string& unreadable,
        const std::function<void(Repositories&)>& work,
        std::string& why);
    /// Writes rows, where nothing went wrong before.
    /// @param why  what did; empty: nothing
    /// @return  what went wrong by now; empty: nothing
    static std::string try_unless_failed(
        Database& db, const std::string& why, const std::function<void()>& work);
    /// Whether to try again later for the submodules that a tree lacks; else they are given up.
    bool waits_for_submodules(BuildId build, const SourceTree& tree);
    boost::asio::awaitable<void> note(std::string kind, std::string message);
    boost::asio::awaitable<void> end(std::string kind);

    static constexpr int max_supplies = 8;  // of a kind, before the loop looks around again

    const ProjectId project_;
    const std::string name_;
    Lane<Repositories> lane_;
    WakeTimer watch_pause_;
    std::optional<Steady::time_point> busy_since_;
    Steady::time_point not_before_;  ///< after a failure that passes
    std::chrono::seconds back_off_{0};
    /// A tree whose submodules may be had later.
    struct Incomplete {
        Steady::time_point since;
        Steady::time_point next;
    };
    std::map<BuildId, Incomplete> incomplete_;
};

}  // namespace vigil::service
