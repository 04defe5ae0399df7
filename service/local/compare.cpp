#include "service/local/compare.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/together.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/job_json.hpp"
#include "service/local/answer.hpp"
#include "service/local/measure_cases.hpp"
#include "service/local/steadier.hpp"

namespace vigil::local {

namespace {

using nlohmann::json;

constexpr int most_spoilt_blocks = 3;
constexpr int tries_of_a_side = 2;
constexpr int blocks_before_hint = 3;
constexpr std::size_t runs_before_hint = 4 * blocks_before_hint;

class Comparer {
  public:
    Comparer(const LocalRequest& request, const World& world)
        : request_(request),
          world_(world),
          bench_(request, world),
          hint_(request.order.measure, runs_before_hint) {}

    CompareResult compare() {
        auto& r = result_;
        r.order = bench_.order();
        if (r.order.good == r.order.bad) {
            throw Error(
                Errc::invalid_argument,
                "--good and --bad are the same commit " + r.order.good.brief());
        }
        r.good = bench_.repository().describe(r.order.good);
        r.bad = bench_.repository().describe(r.order.bad);
        for (const auto& note : bench_.repository().notes()) say("note: " + note);
        if (!bench_.note().empty()) say("note: " + bench_.note());
        build();
        if (!r.stopped && !r.same_product) measure();
        if (request_.why && !r.stopped && !r.same_product) explain();
        return std::move(r);
    }

  private:
    void say(const std::string& line) {
        if (!world_.quiet) *world_.out << line << "\n" << std::flush;
    }

    const char* name(detect::Side side) const { return side == detect::Side::a ? "good" : "bad"; }
    const Revision& revision(detect::Side side) const {
        return side == detect::Side::a ? result_.order.good : result_.order.bad;
    }

    void build() {
        std::vector<detect::Side> missing;
        for (const auto side : {detect::Side::a, detect::Side::b}) {
            if (!bench_.workshop().find_product(revision(side))) missing.push_back(side);
        }
        // Together only when more than one build may run at once.
        const std::size_t at_once = request_.jobs > 1 ? 2 : 1;
        for (std::size_t i = 0; i < missing.size() && !result_.stopped; i += at_once) {
            std::vector<Revision> revisions;
            for (std::size_t k = i; k < std::min(i + at_once, missing.size()); ++k) {
                revisions.push_back(revision(missing[k]));
                say(fmt::format("building {} {}", name(missing[k]), revisions.back().brief()));
            }
            const auto built = bench_.workshop().build(revisions);
            result_.stopped = world_.stopped();
            for (std::size_t k = 0; k < built.size() && !result_.stopped; ++k) {
                result_.seconds += built[k].seconds + built[k].handling_seconds;
                if (built[k].built) ++result_.builds;
                if (built[k].built) continue;
                refuse_end(
                    "the build",
                    end_text(name(missing[i + k]), revisions[k]),
                    built[k].message,
                    bench_.workshop().build_log(revisions[k]));
            }
        }
        if (result_.stopped) return;
        result_.same_product = bench_.workshop().find_product(result_.order.good) ==
                               bench_.workshop().find_product(result_.order.bad);
        if (!result_.same_product) return;
        result_.judgement.decided = true;
        result_.judgement.verdict = Verdict::noise;
        result_.judgement.reason = "both builds made the same bytes: there is nothing to measure";
    }

    std::vector<RunResult> run_sides(const std::vector<detect::Side>& sides) {
        std::vector<Revision> revisions;
        for (const auto side : sides) revisions.push_back(revision(side));
        auto results = revisions.size() > 1 ? bench_.workshop().run_together(revisions)
                                            : std::vector{bench_.workshop().run(revisions.front())};
        result_.stopped = world_.stopped();
        for (const auto& one : results) result_.seconds += one.seconds;
        return results;
    }

    /// Before the first run: how values are read.
    void look(detect::Side side) {
        const auto found = bench_.workshop().look(revision(side));
        if (!found) return;
        result_.order = reading_as(result_.order, *found);
        at_once_ = result_.order.at_once;
        say(reading_text(result_.order));
    }

    /// A block's values in the order of its runs; the kind is the side.
    /// @return nothing when a run failed
    std::optional<std::vector<stats::GroupedValue>> run_block(int block) {
        const auto order = detect::block_order(block);
        look(order.front());
        if (reads_all(result_.order)) return std::nullopt;
        std::vector<int> kinds;
        for (const auto side : order) kinds.push_back(static_cast<int>(side));
        std::vector<stats::GroupedValue> values;
        std::string text = fmt::format("block {:>2}", block + 1);
        for (const auto& group : stats::run_groups(kinds, at_once_)) {
            std::vector<detect::Side> sides;
            for (const int i : group) sides.push_back(order[static_cast<std::size_t>(i)]);
            const auto results = run_sides(sides);
            if (result_.stopped) return std::nullopt;
            for (std::size_t i = 0; i < results.size(); ++i) {
                if (!results[i].value) {
                    note_failure(sides[i], results[i].message);
                    return std::nullopt;
                }
                passed_[sides[i] == detect::Side::a ? 0 : 1] = true;
                const std::string hint = hint_.after(results[i].busy);
                if (!hint.empty() && !result_.order.read_as) result_.hint = hint;
                const int number = static_cast<int>(kinds.size()) * block + group.front();
                values.push_back(
                    {results[i].alone ? -1 : number,
                     static_cast<int>(sides[i]),
                     *results[i].value});
                text += fmt::format(
                    "  {} {}",
                    name(sides[i]),
                    value_text(*results[i].value, unit_of(result_.order)));
            }
        }
        say(text);
        return values;
    }

    /// Of all blocks so far, what the runs of a group met in common taken off.
    std::vector<detect::SessionRun> levelled_runs() const {
        std::vector<detect::SessionRun> runs = result_.runs;
        const auto levelled = stats::level_groups(values_);
        for (std::size_t i = 0; i < runs.size(); ++i) runs[i].value = levelled[i];
        return runs;
    }

    /// Whether the first block's runs at once were disturbed by each other, or it was stopped; then
    /// runs follow one another. Where a person said how many run at once, that is not asked.
    bool is_disturbed() {
        if (request_.at_once > 0 || at_once_ <= 1) return false;
        EndValues together;
        for (const auto& one : values_) {
            const bool good = one.kind == static_cast<int>(detect::Side::a);
            if (one.group >= 0) (good ? together.good : together.bad).push_back(one.value);
        }
        if (together.good.empty() || together.bad.empty()) return false;
        const auto interference = measure_interference(
            bench_.workshop(), world_, result_.order.good, result_.order.bad, together, at_once_);
        result_.stopped = !interference;
        if (!interference) return true;
        result_.seconds += interference->seconds;
        at_once_ = interference->at_once;
        if (at_once_ > 1) return false;
        say(interference_note(*interference));
        result_.order.at_once = at_once_;
        return true;
    }

    void note_failure(detect::Side side, const std::string& message) {
        ++result_.runs_failed;
        const std::size_t index = side == detect::Side::a ? 0 : 1;
        say(fmt::format("a run of {} gave nothing: {}", name(side), text::one_line(message, 200)));
        if (passed_[index] || ++failed_[index] < tries_of_a_side) return;
        refuse_end(
            "the benchmark",
            end_text(name(side), revision(side)),
            message,
            bench_.folder() / "logs" / (revision(side).str() + "-run.log"));
    }

    void measure_all() {
        result_.order.at_once = 1;
        auto measured = measure_cases(
            bench_.workshop(),
            world_,
            result_.order,
            request_.max_blocks,
            [&](const std::string& line) { say(line); });
        result_.seconds += measured.seconds;
        result_.runs_failed += measured.runs_failed;
        result_.runs_of_cases = measured.runs;
        result_.stopped = measured.stopped;
        result_.cases = std::move(measured.compared);
        if (result_.cases->cases.empty()) return;  // stopped before the first block
        const auto& first = result_.cases->cases.front();
        result_.order = reading_as(result_.order, read_as_of(*result_.cases, first));
        result_.runs = first.runs;
        result_.judgement = first.judgement;
    }

    void measure() {
        detect::SessionRules rules;
        rules.threshold = result_.order.threshold;
        rules.max_blocks = request_.max_blocks;
        int spoilt = 0;
        for (int block = 0; block < request_.max_blocks;) {
            const auto values = run_block(block);
            if (result_.stopped) return;
            if (reads_all(result_.order)) return measure_all();
            if (!values) {
                if (++spoilt < most_spoilt_blocks) continue;
                result_.judgement.reason = "given up: runs keep failing";
                return;
            }
            for (const auto& one : *values) {
                values_.push_back(one);
                result_.runs.push_back({static_cast<detect::Side>(one.kind), block, one.value});
            }
            if (block == 0 && is_disturbed()) {
                if (result_.stopped) return;
                values_.clear();
                result_.runs.clear();
                continue;
            }
            rules.direction = result_.order.direction;
            rules.kind = kind_of(result_.order);
            result_.judgement = detect::judge_session(levelled_runs(), rules);
            if (result_.judgement.decided) return;
            if (!result_.hint.empty() && block + 1 == blocks_before_hint) say(result_.hint);
            ++block;
        }
    }

    /// Beside the measured runs and never among them: a profiled run takes many times as long. Who
    /// stops it has the verdict all the same.
    void explain() {
        result_.why = explain_sides(
            bench_.workshop(),
            bench_.repository(),
            {result_.order.good,
             result_.order.bad,
             result_.judgement.comparison.change_ratio,
             profilers_for(result_.order, request_.profiler),
             kind_of(result_.order) == MetricKind::memory,
             std::min(result_.order.timeout_s, profile_timeout_s)},
            [&](const std::string& line) { say(line); });
    }

    const LocalRequest& request_;
    const World& world_;
    Bench bench_;
    CompareResult result_;
    std::vector<stats::GroupedValue> values_;  ///< as result_.runs
    SteadierHint hint_;
    int at_once_ = bench_.order().at_once;  ///< runs that may be alive together
    bool passed_[2] = {false, false};
    int failed_[2] = {0, 0};
};

json side_json(const history::Commit& commit) {
    return {
        {"revision", commit.revision.str()},
        {"author", commit.author},
        {"subject", commit.subject},
        {"merge", commit.merge}};
}

}  // namespace

CompareResult compare(const LocalRequest& request, const World& world) {
    return Comparer(request, world).compare();
}

std::string comparison_lines(const Comparison& c, const ComparedSides& sides) {
    if (c.runs_before == 0) return "";
    std::string change = text::percent(c.change_ratio);
    if (std::isfinite(c.low) && std::isfinite(c.high)) {
        change += ", 90 % interval " + percent_text(c.low) + " to " + percent_text(c.high);
    }
    return fmt::format(
        "  {:<7}  {}\n  good     {}  {}\n  bad      {}  {}\n",
        sides.measure,
        change,
        value_text(c.before, sides.unit),
        sides.good,
        value_text(c.after, sides.unit),
        sides.bad);
}

namespace {

/// Verdict, table and counts; then what they are of.
std::string all_cases_text(const CompareResult& result) {
    const auto& compared = *result.cases;
    const auto side = [](const char* name, const history::Commit& commit) {
        return fmt::format(
            "  {:<9} {}  {}\n", name, commit.revision.brief(), text::one_line(commit.subject, 60));
    };
    ReadAs all;
    all.program = compared.program;
    all.bench = compared.bench;
    const std::string verdict = cases_verdict(compared.counts);
    return fmt::format(
        "\n{}{}\n{}{}{}  {:<9} {:.4g} %; {}, {}\n  {}\n",
        result.stopped ? "stopped before a verdict; so far " : "",
        verdict,
        cases_text(compared),
        side("good", result.good),
        side("bad", result.bad),
        "threshold",
        100 * result.order.threshold,
        text::counted(result.runs_of_cases, "run"),
        text::short_duration(result.seconds),
        reading_text(reading_as(result.order, all)));
}

}  // namespace

std::string compare_text(const CompareResult& result, std::size_t width) {
    const auto why = result.why ? why_text(*result.why, width) : "";
    if (result.cases) return all_cases_text(result) + why;
    const Comparison& c = result.judgement.comparison;
    const auto& read_as = result.order.read_as;
    const std::string verdict = verdict_line(outcome_of(result.judgement, result.stopped));
    const std::string& reason = result.judgement.reason;
    const bool said = reason.starts_with(verdict) || reason.empty();
    std::string text = fmt::format(
        "\n{}{}{}\n", said ? "" : verdict, said ? "" : ": ", reason.empty() ? verdict : reason);
    const auto name = [](const history::Commit& commit) {
        return commit.revision.brief() + "  " + text::one_line(commit.subject, 60);
    };
    text += comparison_lines(
        c,
        {read_as ? measure_text(result.order) : std::string(to_string(result.order.measure)),
         unit_of(result.order),
         name(result.good),
         name(result.bad)});
    if (c.runs_before > 0) {
        text += fmt::format(
            "  chance of more than {:.4g} %: {}; {} + {} runs, {}\n",
            100 * result.order.threshold,
            text::share(std::min(c.above, 0.999)),
            c.runs_before,
            c.runs_after,
            text::short_duration(result.seconds));
    }
    if (read_as) text += "  " + reading_text(result.order) + "\n";
    if (!result.hint.empty()) text += "  " + result.hint + "\n";
    return text + why;
}

json compare_json(const CompareResult& result) {
    json samples = json::array();
    for (const auto& run : result.runs) {
        samples.push_back(
            {{"side", run.side == detect::Side::a ? "good" : "bad"},
             {"block", run.block},
             {"value", run.value}});
    }
    const auto runs =
        result.cases ? static_cast<std::size_t>(result.runs_of_cases) : result.runs.size();
    json value = requested_json(result.order);
    if (result.cases) value["cases"] = cases_json(*result.cases);
    if (result.why) value["why"] = why_json(*result.why);
    value.update(
        {{"verdict", to_string(outcome_of(result.judgement, result.stopped))},
         {"reason", result.judgement.reason},
         {"comparison", wire::to_json(result.judgement.comparison)},
         {"good", side_json(result.good)},
         {"bad", side_json(result.bad)},
         {"stopped", result.stopped},
         {"runs", runs},
         {"runs_failed", result.runs_failed},
         {"builds", result.builds},
         {"seconds", result.seconds},
         {"same_product", result.same_product},
         {"values", std::move(samples)}});
    return value;
}

}  // namespace vigil::local
