#include "service/local/measure_cases.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/local/request.hpp"

namespace vigil::local {

namespace {

constexpr int failed_blocks = 3;       // then it is given up
constexpr int failures_of_a_side = 2;  // that gave no value yet: it cannot be measured

class CaseMeasurer {
  public:
    CaseMeasurer(
        Workshop& workshop,
        const World& world,
        const Order& order,
        int max_blocks,
        const std::function<void(const std::string&)>& say)
        : workshop_(workshop),
          world_(world),
          order_(order),
          max_blocks_(max_blocks),
          say_(say),
          table_(rules_of(order, max_blocks)) {}

    MeasuredCases measure() {
        int spoilt = 0;
        for (int block = 0; block < max_blocks_ && spoilt < failed_blocks && !result_.stopped;) {
            const auto runs = run_block(block);
            if (runs.empty()) {
                ++spoilt;
                continue;
            }
            result_.runs += static_cast<int>(runs.size());
            table_.add_block(block, runs);
            say_(fmt::format("block {:>2}  {}", ++block, table_.progress_text()));
            if (table_.open() == 0) break;
        }
        result_.compared = table_.result(result_.stopped);
        result_.compared.program = order_.read_as->program;
        result_.compared.bench = order_.read_as->bench;
        return std::move(result_);
    }

  private:
    static detect::SessionRules rules_of(const Order& order, int max_blocks) {
        detect::SessionRules rules;
        rules.threshold = order.threshold;
        rules.max_blocks = max_blocks;
        return rules;
    }

    /// @return none when a run failed, or it was stopped
    std::vector<CaseTable::SideRun> run_block(int block) {
        std::vector<CaseTable::SideRun> runs;
        for (const auto side : detect::block_order(block)) {
            const bool good = side == detect::Side::a;
            auto run = workshop_.run(good ? order_.good : order_.bad);
            result_.stopped = world_.stopped();
            if (result_.stopped) return {};
            result_.seconds += run.seconds;
            if (!run.gave_value()) {
                note_failure(good, run.message);
                return {};
            }
            passed_[good] = true;
            runs.emplace_back(side, std::move(run.printed));
        }
        return runs;
    }

    void note_failure(bool good, const std::string& message) {
        ++result_.runs_failed;
        const char* const name = good ? "good" : "bad";
        say_(fmt::format("a run of {} gave nothing: {}", name, text::one_line(message, 200)));
        if (passed_[good] || ++failed_[good] < failures_of_a_side) return;
        const Revision& revision = good ? order_.good : order_.bad;
        refuse_end(
            "the benchmark",
            end_text(name, revision),
            message,
            workshop_.folder() / "logs" / (revision.str() + "-run.log"));
    }

    Workshop& workshop_;
    const World& world_;
    const Order& order_;
    int max_blocks_;
    const std::function<void(const std::string&)>& say_;
    CaseTable table_;
    MeasuredCases result_;
    bool passed_[2] = {false, false};  ///< [good]
    int failed_[2] = {0, 0};
};

}  // namespace

MeasuredCases measure_cases(
    Workshop& workshop,
    const World& world,
    const Order& order,
    int max_blocks,
    const std::function<void(const std::string&)>& say) {
    return CaseMeasurer(workshop, world, order, max_blocks, say).measure();
}

std::vector<LogEntry> choose_case_of(
    const Story& story,
    const ReadAs& all,
    Workshop& workshop,
    const World& world,
    int max_blocks,
    const std::function<void(const std::string&)>& say) {
    Order order = reading_as(story.order(), all);
    order.good = story.revision(0);
    order.bad = story.revision(story.last());
    for (const auto& end : {order.good, order.bad}) {
        if (workshop.find_product(end)) continue;
        throw Error(Errc::conflict, "measuring all cases: " + end.brief() + " is not built");
    }
    const auto& spending = story.spending();
    // Of equal products one block shows what there is; more would tell nothing.
    const bool equal = workshop.find_product(order.good) == workshop.find_product(order.bad);
    const int affordable = equal ? 1 : std::clamp(spending.runs / 4, 1, max_blocks);
    const auto measured = measure_cases(workshop, world, order, affordable, say);
    if (measured.stopped) return {};
    auto chosen = choose_case(measured.compared, order.better);
    chosen.runs = measured.runs;
    chosen.seconds = measured.seconds;
    const auto& searched = case_to_search(measured.compared, order.better);
    const ReadAs read_as = read_as_of(measured.compared, searched);
    workshop.read_as(read_as, chosen.name);
    const auto wanted = order.better ? Comparing::better : Comparing::worse;
    say(fmt::format(
        "{}; searching {}{}",
        cases_verdict(chosen.counts, order.better),
        text::one_line(chosen.name, 120),
        searched.verdict == wanted ? "" : ", the most changed"));
    return {std::move(chosen), read_as};
}

}  // namespace vigil::local
