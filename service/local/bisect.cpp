#include "service/local/bisect.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/local/answer.hpp"
#include "service/local/explained.hpp"
#include "service/local/inside.hpp"
#include "service/local/journal.hpp"
#include "service/local/measure_cases.hpp"
#include "service/local/progress.hpp"
#include "service/local/steadier.hpp"

namespace vigil::local {

namespace {

namespace fs = std::filesystem;

constexpr int tries_of_an_end = 2;

constexpr std::size_t search_runs_before_hint = 24;

class Searcher {
  public:
    Searcher(const LocalRequest& request, const World& world)
        : request_(request),
          world_(world),
          display_(world),
          bench_(request, world),
          journal_(log_of(bench_, request)),
          hint_(request.order.measure, search_runs_before_hint) {}

    BisectResult search() {
        begin();
        try {
            while (!world_.stopped() && step()) {
            }
        } catch (const Error&) {
            display_.end();
            if (!world_.stopped()) throw;  // else: what the signal ended
        }
        display_.end();
        const bool stopped = !finished_ && !gave_up_;
        if (stopped) record(Paused{world_.now_s(), "stopped by a signal"});
        if (decision_.posterior.empty()) decision_ = story_.decide();
        searches_.push_back({std::move(story_), std::move(decision_)});
        BisectResult result;
        static_cast<SearchAccount&>(result) = account_of(std::move(searches_));
        result.log = journal_.file();
        result.folder = bench_.folder();
        result.kept_bytes = bench_.workshop().kept_bytes();
        result.stopped = stopped;
        if (!request_.why || stopped) return result;
        const auto say = [&](const std::string& line) { display_.note(line); };
        result.why = explain_culprit(result, bench_, request_.profiler, say);
        return result;
    }

  private:
    void record(const std::vector<LogEntry>& entries) {
        journal_.append(entries);
        for (const LogEntry& entry : entries) {
            take(entry);
            display_.event(story_, entry);
        }
    }
    void record(const LogEntry& entry) { record(std::vector<LogEntry>{entry}); }

    void take(const LogEntry& entry) {
        story_.add(entry);
        const auto* one = std::get_if<Started>(&entry);
        if (one != nullptr) bench_.workshop().enter(place_of(bench_.repository(), *one));
    }

    /// Puts the search so far away and begins another inside of what it found.
    void go_deeper(Story story) {
        searches_.push_back({std::move(story_), std::move(decision_)});
        story_ = std::move(story);
        decision_ = {};
        end_failures_.clear();
        run_failures_.clear();
    }

    void read_log_before() {
        for (const LogEntry& entry : journal_.before()) {
            if (const auto* one = std::get_if<Started>(&entry)) check_rules(*one, journal_.file());
            if (std::holds_alternative<Started>(entry) && story_.started()) {
                decision_ = story_.decide();
                go_deeper(Story::inside_of(story_, decision_));
            }
            take(entry);
        }
        if (!searches_.empty() || (story_.started() && story_.knows_reading())) {
            bench_.workshop().read_as(story_.order().read_as, story_.order().select);
        }
    }

    void begin() {
        read_log_before();
        for (const auto& note : bench_.repository().notes()) display_.note("note: " + note);
        if (!bench_.note().empty()) display_.note("note: " + bench_.note());
        if (!story_.started()) {
            const Order& order = bench_.order();
            Repository& repository = bench_.repository();
            record(start_of(repository, order, repository.range(order.good, order.bad)));
        } else if (!story_.ended()) {
            display_.note(fmt::format(
                "going on after {} runs and {} builds", story_.runs(), story_.builds()));
        }
        // A search that ended is told again; with another budget it may go on.
        if (!story_.ended() || !(story_.spending() == request_.spending)) {
            record(Resumed{world_.now_s(), request_.jobs, request_.spending});
        }
        const std::string parting = parting_text(story_);
        if (!parting.empty()) display_.note("note: " + parting);
        say_what_is_searched();
    }

    void say_what_is_searched() {
        const auto& inside = story_.start().inside;
        display_.note(fmt::format(
            "searching {} suspects, {} to {}{}",
            story_.last(),
            story_.revision(0).brief(),
            story_.revision(story_.last()).brief(),
            inside ? ", inside of " + inside_words(*inside) : ""));
    }

    /// @return whether there is more to do
    bool step() {
        if (request_.at_once == 0 && story_.is_interference_open() && !settle_interference())
            return false;
        decision_ = story_.decide();
        tell_verified();
        if (decision_.done) {
            if (!story_.ended()) record_end();
            finished_ = !search_inside();
            return !finished_;
        }
        if (story_.facts().open_probes.empty()) {
            std::vector<LogEntry> asked;
            int number = static_cast<int>(story_.probes().size());
            for (const auto& probe : decision_.probes)
                asked.push_back(ProbeRequested{number++, probe});
            VIGIL_ASSERT(!asked.empty());  // or it had ended
            record(asked);
        }
        try {
            const auto open = story_.facts().open_probes;
            build_for(open);
            for (const int number : open) {
                if (!run_probe(number)) return false;
            }
        } catch (const Error& error) {
            // Inside of a merge an end may be of no use; the merge itself is found all the same.
            if (searches_.empty() || error.code() != Errc::conflict) throw;
            gave_up_ = true;
            record(Paused{world_.now_s(), error.what()});
            return false;
        }
        return true;
    }

    /// The ends say whether runs at once disturb each other.
    /// @return false when stopped
    bool settle_interference() {
        display_.now(story_, decision_, "measuring the ends alone, beside their runs at once");
        const auto interference = measure_interference(
            bench_.workshop(),
            world_,
            story_.revision(0),
            story_.revision(story_.last()),
            story_.values_together(),
            story_.at_once());
        if (!interference) return false;
        record(*interference);
        const std::string note = interference_note(*interference);
        if (!note.empty()) display_.note(note);
        return true;
    }

    /// A culprit that is verified is told at once; what follows looks for further changes.
    void tell_verified() {
        for (const auto& one : decision_.verified) {
            if (one.first != one.last || !told_.insert(story_.revision(one.last)).second) continue;
            display_.note(told_text(story_, one));
        }
    }

    void record_end() {
        const auto& ending = decision_.endings.front();
        auto last = culprits_of(bench_.repository(), story_, decision_);
        last.push_back(SearchEnded{ending.ending, ending.first, ending.last});
        record(last);
    }

    /// @return whether there is a merge to search in
    bool search_inside() {
        Repository& repository = bench_.repository();
        const auto& ending = decision_.endings.front();
        const auto inside = next_inside(repository, story_, ending, searches_);
        if (!inside) return false;
        try {
            Story story = Story::inside_of(story_, decision_);
            if (!search::is_left(story.budget())) {
                throw Error(Errc::conflict, "the budget is spent");
            }
            Started start =
                start_inside(repository, bench_.workshop().submodules(), bench_.order(), *inside);
            start.order.select = story_.order().select;  // the case that was chosen
            const auto read_as = story_.order().read_as;
            go_deeper(std::move(story));
            std::vector<LogEntry> begun{start};
            if (read_as) begun.emplace_back(*read_as);
            record(begun);
        } catch (const Error& error) {
            if (error.code() == Errc::unavailable) throw;
            display_.note(fmt::format(
                "note: {} cannot be searched inside: {}", inside_words(*inside), error.what()));
            return false;
        }
        say_what_is_searched();
        return true;
    }

    const search::ProbeState& probe(int number) const { return story_.probe(number); }

    /// Inside of a merge nobody chose the bad end: a commit before it may stand in for it.
    bool has_stand_in(int commit) const { return !searches_.empty() && commit > 1; }
    bool is_end(int commit) const { return commit == 0 || commit == story_.last(); }
    /// "the good commit 1a2b3c4d5e"
    std::string end_words(int commit) const {
        return end_text(commit == 0 ? "good" : "bad", story_.revision(commit));
    }

    /// Commit and probe of every build that the probes need, each commit once.
    std::vector<std::pair<int, int>> missing_builds(const std::vector<int>& probes) {
        std::vector<std::pair<int, int>> missing;
        std::set<int> seen;
        for (const int number : probes) {
            for (const int commit : probe(number).request.commits) {
                if (!seen.insert(commit).second) continue;
                const auto product = bench_.workshop().find_product(story_.revision(commit));
                if (!product) missing.emplace_back(commit, number);
                if (product && !story_.commit(commit).built) {
                    record(BuildEnded{number, commit, true, true, *product, 0, ""});
                }
            }
        }
        return missing;
    }

    void build_for(const std::vector<int>& probes) {
        auto missing = missing_builds(probes);
        const auto at_once = static_cast<std::size_t>(request_.jobs);
        for (std::size_t i = 0; i < missing.size() && !world_.stopped(); i += at_once) {
            const auto end = std::min(i + at_once, missing.size());
            build_together(
                {missing.begin() + std::ptrdiff_t(i), missing.begin() + std::ptrdiff_t(end)});
        }
    }

    void build_together(std::vector<std::pair<int, int>> wanted) {
        while (!wanted.empty() && !world_.stopped()) {
            std::vector<Revision> revisions;
            std::vector<LogEntry> begun;
            std::string text = "building";
            for (const auto& [commit, number] : wanted) {
                begun.push_back(BuildBegun{number, commit});
                revisions.push_back(story_.revision(commit));
                text += " " + revisions.back().brief();
            }
            record(begun);
            display_.now(story_, decision_, text);
            const auto results = bench_.workshop().build(revisions);
            if (world_.stopped()) return;
            std::vector<std::pair<int, int>> once_more;
            for (std::size_t k = 0; k < wanted.size(); ++k) {
                const auto [commit, number] = wanted[k];
                const auto& r = results[k];
                BuildEnded ended{number, commit, r.built, false, r.digest, r.seconds, r.message};
                ended.handling_seconds = r.handling_seconds;
                record(ended);
                if (r.built || !is_end(commit)) continue;
                if (++end_failures_[commit] >= tries_of_an_end) {
                    if (has_stand_in(commit)) continue;
                    refuse_end(
                        "the build",
                        end_words(commit),
                        r.message,
                        bench_.workshop().build_log(revisions[k]));
                }
                once_more.push_back(wanted[k]);
            }
            wanted = std::move(once_more);
        }
    }

    /// @return false when stopped
    bool run_probe(int number) {
        for (const auto& group : story_.groups_left(number)) {
            if (world_.stopped()) return false;
            if (story_.out_of_time() || probe(number).over) return true;
            const int at_once = story_.at_once();
            look(commit_of(number, group.front()));
            if (world_.stopped()) return false;
            if (story_.at_once() != at_once) return run_probe(number);  // grouped anew
            if (!run_group(number, group)) return false;
        }
        return true;
    }

    int commit_of(int number, int position) const {
        return probe(number).request.commits[static_cast<std::size_t>(position)];
    }

    /// Before the first run: how values are read.
    void look(int commit) {
        const auto found = bench_.workshop().look(story_.revision(commit));
        if (!found || world_.stopped()) return;
        display_.note(reading_text(reading_as(story_.order(), *found)));
        if (!found->benchmark.empty()) return record(*found);
        const auto say = [&](const std::string& line) { display_.note(line); };
        const auto chosen =
            choose_case_of(story_, *found, bench_.workshop(), world_, request_.max_blocks, say);
        if (!chosen.empty()) record(chosen);
    }

    /// @return false when stopped
    bool run_group(int number, const std::vector<int>& group) {
        display_.now(story_, decision_, measuring_text(story_, number, group));
        std::vector<LogEntry> begun;
        std::vector<Revision> revisions;
        for (const int position : group) {
            begun.push_back(RunBegun{number, position});
            revisions.push_back(story_.revision(commit_of(number, position)));
        }
        record(begun);
        const auto runs = revisions.size() > 1
                              ? bench_.workshop().run_together(revisions)
                              : std::vector{bench_.workshop().run(revisions.front())};
        if (world_.stopped()) return false;
        std::vector<LogEntry> ended;
        for (std::size_t i = 0; i < group.size(); ++i) {
            const auto& run = runs[i];
            const int together = run.alone ? -1 : group.front();
            ended.push_back(RunEnded{
                number, group[i], run.value, run.seconds, run.message, together, run.busy});
        }
        record(ended);
        for (std::size_t i = 0; i < group.size(); ++i) {
            const std::string hint = hint_.after(runs[i].busy);
            if (!hint.empty() && !story_.order().read_as) display_.note(hint);
            if (!runs[i].value) check_end(commit_of(number, group[i]), runs[i].message);
        }
        return true;
    }

    void check_end(int commit, const std::string& message) {
        if (!is_end(commit) || !story_.commit(commit).values.empty()) return;
        if (++run_failures_[commit] < tries_of_an_end || has_stand_in(commit)) return;
        const Revision& revision = story_.revision(commit);
        const auto& other = story_.commit(story_.last() - commit);
        const bool both = other.values.empty() && other.runs_failed > 0;
        const bool only_bad = commit != 0 && !both;
        refuse_end(
            "the benchmark",
            both ? end_words(0) + " and at " + end_words(story_.last()) : end_words(commit),
            message + (only_bad ? "; git bisect run finds where it began to fail" : ""),
            bench_.folder() / "logs" / (revision.str() + "-run.log"));
    }

    const LocalRequest& request_;
    const World& world_;
    Display display_;
    Bench bench_;
    Journal journal_;
    Story story_;
    search::Decision decision_;
    std::vector<Found> searches_;  ///< before the one that goes on, which is inside of them
    SteadierHint hint_;
    std::set<Revision> told_;  ///< culprits
    bool finished_ = false;
    bool gave_up_ = false;             ///< the one that goes on, inside of a merge
    std::map<int, int> end_failures_;  ///< of this program: a person may have repaired something
    std::map<int, int> run_failures_;
};

}  // namespace

BisectResult bisect(const LocalRequest& request, const World& world) {
    return Searcher(request, world).search();
}

}  // namespace vigil::local
