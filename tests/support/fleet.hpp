#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bisect/history/list_claims.hpp"
#include "schema/model/job.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/requests.hpp"
#include "service/watch/night/backfill.hpp"
#include "service/watch/night/nightlies.hpp"
#include "tests/support/commit_graph.hpp"

// A simulated fleet: real ledger, real decisions, invented measurements. Time is a number.

namespace vigil::tests {

/// What a commit does to one variant: factors on CPU time and on peak memory from here on.
struct Change {
    int commit = 0;
    std::string variant = {};
    double time = 1;
    double memory = 1;
    std::string machine_class = {};  ///< empty: on every class
    std::string case_name = {};      ///< of the program; empty: all
    std::string worker = {};         ///< on this machine alone; empty: on all
};

/// A repository of numbered commits and the machines that measure it.
struct World {
    std::uint32_t seed = 1;
    int commits = 70;  ///< 0 is the first night's
    std::vector<std::string> variants = {"infer"};
    std::vector<std::string> machine_classes = {"fast"};
    std::vector<Change> changes = {};
    std::map<std::string, int> crashes = {};     ///< variant: it fails from this commit on
    std::map<std::string, int> runs_again = {};  ///< variant: it works from this commit on
    std::set<int> broken = {};                   ///< commits that do not compile
    std::set<int> silent = {};                   ///< commits whose product equals their parent's
    std::string absent = {};                     ///< machine class none of whose workers ever comes
    double noise = 0.01;                         ///< of CPU time, between processes
    double memory_noise = 0;
    double spell = 0;    ///< of CPU time, between jobs: what all runs of one job share
    int interleave = 1;  ///< of the benchmark
    std::map<int, double> machine_moves = {};  ///< from this night on (first: 1), CPU time's factor
    std::string moving_worker = {};            ///< who moves; empty: all
    double ageing = 0;                         ///< machines get slower by so much every night
    double lost_share = 0;                     ///< attempts that die without a result
    std::vector<Branch> branches = {};         ///< merged into the line
    std::set<int> moves = {};  ///< merges that come as commits that move the dependency "lib"
    std::map<int, std::string> messages = {};   ///< of commits; else "commit N"
    std::map<std::string, int> broken_on = {};  ///< machine class: no build from this commit on
    std::map<int, int> flaky = {};              ///< commit: how often its build fails, then works
    /// Nights come as archives, and revisions are built from their source.
    bool archives = false;
    /// Each variant is a program of so many cases, "case 0" ..., each of which it can run alone.
    int cases = 0;
    std::map<std::string, int> failing_cases = {};  ///< case: it fails from this commit on
    std::map<std::string, int> gone_cases = {};     ///< case: it is there no more from here on
    std::set<std::string> not_alone = {};           ///< cases that the program does not run alone
    std::set<int> none_alone = {};                  ///< commits at which it runs none alone
    std::map<int, double> archives_move = {};  ///< from this commit's night on, CPU time's factor
    std::string repository = {};  ///< a real one, of a line without merges; empty: invented
    std::vector<Revision> revisions = {};  ///< of its commits, by number
    /// What a run of this purpose and variant says instead of its metric; empty: the truth.
    std::function<std::vector<double>(Purpose, const std::string&, Metric, std::mt19937&)> lie = {};
};

/// Plays nights of one project on a ledger file until nothing is left to do.
class Fleet {
  public:
    Fleet(World world, const std::string& ledger_file);

    /// A nightly of this commit arrives and everything that follows from it is done.
    void night(int commit);

    /// A nightly of this commit comes out while the daemon is away; its archive can still be had.
    void pass_over(int commit);

    /// The same, where somebody asks for this commit by name.
    void ask(int commit);

    /// Earlier nights are measured: those of the last of these commits that `nights` asks for.
    /// @param commits  each the last one of a day, oldest first
    /// @param in_rounds  ends after so many rounds, done or not
    BackfillId backfill(
        const std::vector<int>& commits,
        int nights = 365,
        std::int64_t runs_budget = service::usual_backfill_runs,
        int in_rounds = 5000);

    /// Does what is left to do.
    void settle();

    /// Ids before the first night stay free, as in the daemon.
    service::FirstId first_id = service::FirstId::next;

    /// Somebody asks for something to be measured, and everything that follows from it is done.
    RequestId request(service::NewRequest wanted);

    /// What the repository answers takes so many rounds.
    int slow_texts = 0;

    /// Called after every step with rows in it; returning true rolls the step back and opens the
    /// ledger anew, as a kill would.
    std::function<bool()> kill = [] { return false; };

    service::Database& db() { return db_; }
    const service::Config& config() const { return config_; }
    service::Config& config() { return config_; }
    std::string revision(int commit) const {
        const auto number = static_cast<std::size_t>(commit);
        return world_.revisions.empty() ? CommitGraph::revision(commit)
                                        : world_.revisions.at(number).str();
    }
    std::int64_t now_s() const { return now_s_; }
    int kills() const { return kills_; }

    std::set<std::string> busy;   ///< workers that are there and claim nothing
    std::set<std::string> dying;  ///< workers that send no result of what they claim

    /// The worker does not come again, and was last seen long ago.
    void stop(const std::string& worker);

    /// Revisions named as culprits so far, in order of their regressions.
    std::vector<std::string> culprits();
    int count(const std::string& table, const std::string& condition = "1");

  private:
    void transact(const std::function<void(service::Database&)>& work);
    void arrive(int commit, bool by_name);
    service::NightlyOffer offer_of(int commit);
    bool play_round();
    void list_past_days();
    bool advance_requests();
    bool supply_names();
    void name(service::Database& db, const service::MissingName& missing);
    void show(const std::string& worker);
    bool comes(const std::string& worker) const;
    bool supply();
    history::ClaimedRange claims(const Revision& bad, const Revision& fixed) const;
    bool work_once();
    void measure_cases(RunOutcome& run, int commit, const BenchmarkPlan& plan, double pace);
    bool is_broken(int commit, const std::string& machine_class) const;
    bool crashes(int commit, const std::string& variant) const;
    bool fails_this_time(int commit);
    void finish(const std::string& worker);
    void lie(RunOutcome& run, Purpose purpose, const std::string& variant);
    double value(
        int commit,
        const std::string& variant,
        const std::string& machine_class,
        bool time,
        const std::string& case_name = "");

    World world_;
    CommitGraph graph_;
    service::Config config_;
    std::string file_;
    service::Database db_;
    std::mt19937 random_;
    std::int64_t now_s_ = 1'700'000'000;
    int kills_ = 0;
    int nights_ = 0;
    std::set<std::string> stopped_;
    std::vector<service::NightlyOffer> passed_over_;
    std::vector<int> past_;
};

}  // namespace vigil::tests
