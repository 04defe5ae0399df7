#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schema/profile/profile.hpp"
#include "service/local/builds/commands.hpp"
#include "service/local/builds/folder_lock.hpp"
#include "service/local/builds/repository.hpp"
#include "service/local/builds/submodules.hpp"
#include "service/local/reading/order.hpp"
#include "service/local/reading/printed_cases.hpp"

namespace vigil::local {

struct BuildResult {
    bool built = false;
    std::string digest;
    double seconds = 0;           ///< of the build command
    double handling_seconds = 0;  ///< of checking the commit out, and keeping what was built
    std::string message;          ///< why not, one line
};

struct RunResult {
    std::optional<double> value;  ///< metric's unit, >= 0; none where all cases are read
    double seconds = 0;
    std::string message;        ///< why there is none, one line
    double busy = 0;            ///< processor time by wall time
    bool alone = true;          ///< false: it shared its moment with the others of its group
    PrintedCases printed = {};  ///< where all cases are read (reads_all): one has a value at least

    bool gave_value() const { return value.has_value() || !printed.cases.empty(); }
};

/// Builds commits in worktrees and runs benchmarks on what was built. Each place (one; more only
/// when several builds run at once) is one path: every build is made there, moved away, and moved
/// back there to be measured, so that compiler caches hit, products compare and nothing depends on
/// where it lies. Not for use by several threads.
class Workshop {
  public:
    /// Puts in order what a kill left.
    /// @param folder  ours alone; see FolderLock
    Workshop(
        const World& world,
        Commands& commands,
        Repository& repository,
        std::filesystem::path folder,
        Order order);
    /// Removes the worktrees; products stay.
    ~Workshop();
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;

    /// The digest of a commit's product, when there is one.
    std::optional<std::string> find_product(const Revision& revision) const;

    /// A commit that moves a submodule; its commits between the two are built there.
    struct MovedSubmodule {
        Revision commit;
        Revision parent;  ///< of the commit
        std::string path;
        Revision before;
        Revision after;
    };
    /// From now on revisions are commits of that submodule: each stands for the project's commit
    /// with the submodule there. nullopt: revisions are the project's again.
    void enter(std::optional<MovedSubmodule> moved) { moved_ = std::move(moved); }
    Submodules& submodules() { return submodules_; }

    /// Builds commits at the same time, each in its own place. When stopped, the results mean
    /// nothing.
    /// @throws Error{unavailable} when a worktree cannot be made or a product not be kept
    std::vector<BuildResult> build(const std::vector<Revision>& revisions);

    /// Runs a product to see how values are read (find_read_as), until a run has shown it; nothing
    /// is run where that is known, or the order's measure does not depend on it. Where the program
    /// can print all digits, a second run asks it to. The last run counts as the product's next
    /// where that is alone.
    /// @return  what was seen, of which the runs from now on are read
    /// @throws  what find_read_as does
    std::optional<ReadAs> look(const Revision& revision);

    /// Runs are read so from now on, as an earlier look has shown.
    /// @param select  Order::select from now on
    void read_as(const std::optional<ReadAs>& known, const std::string& select);

    /// One fresh process on a product that is there. When stopped, the result means nothing.
    RunResult run(const Revision& revision);

    /// One fresh process for each, all at once, each seeing its product where it was built. What
    /// gives no value so is run again alone, since some programs stand no second one beside them.
    /// Only where order.at_once is above 1. When stopped, the results mean nothing.
    std::vector<RunResult> run_together(const std::vector<Revision>& revisions);

    /// Where one run on a product that is there spends instructions or memory, at most `timeout_s`
    /// long. When stopped, the result means nothing.
    /// @throws Error{unavailable} saying why there is no profile
    profile::Profile profile(const Revision& revision, Profiler profiler, int timeout_s);

    std::filesystem::path build_log(const Revision& revision) const;
    const std::filesystem::path& folder() const { return folder_; }
    /// Bytes of all products.
    std::uintmax_t kept_bytes() const;

  private:
    std::filesystem::path tree_of(int place) const;
    std::filesystem::path source_of(int place) const;
    std::filesystem::path product_of(const Revision& revision) const;
    void recover();
    void clear_place(int place);
    /// @return why it cannot be built, one line; empty: it can
    std::string check_out(int place, const Revision& wanted);
    void put_away(int place);
    /// failure_of a run, where its exit code counts.
    std::string run_failure(const worker::RunReport& report) const;
    /// Calls work(path) while the product lies where it was built.
    template <class Work>
    auto in_place(const Revision& revision, const Work& work);
    worker::RunReport run_once(const Revision& revision);
    std::vector<worker::RunReport> run_reports(const std::vector<Revision>& revisions);
    std::vector<RunResult> run_group(const std::vector<Revision>& revisions);
    RunResult read(
        const Revision& revision, const worker::RunReport& report, std::size_t members) const;
    BuildResult keep(const Revision& revision, int place, const worker::RunReport& report);

    const World& world_;
    Commands& commands_;
    Repository& repository_;
    std::filesystem::path folder_;
    Order order_;
    Submodules submodules_;
    std::optional<MovedSubmodule> moved_;
    std::set<int> sources_;  ///< places with a worktree of ours that the next build can have
    bool looked_ = false;    ///< it is known how values are read
    /// A run that was made to look, and counts as the next one of its product.
    std::optional<std::pair<Revision, worker::RunReport>> seen_;
};

}  // namespace vigil::local
