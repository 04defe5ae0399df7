#include "service/schedule/run_notes.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/case_json.hpp"
#include "schema/wire/run_fact_json.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/series/sessions.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/cases.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

namespace {

/// The arguments do not name the case as the program knows it: it runs whole from now on.
void note_unprinted(const TakenRun& r) {
    const bool missed = std::ranges::any_of(
        r.outcome.facts, [](const auto& fact) { return fact.name == wire::case_not_printed; });
    if (!missed || !r.plan.cases || r.plan.cases->only.empty()) return;
    const auto& name = r.plan.cases->only;
    const UnprintedCase unprinted{
        r.job.project, r.plan.benchmark, r.plan.variant, name, r.plan.cases->arguments};
    if (!note_whole_case(r.db, unprinted)) return;
    run_whole(r.db, r.job.project, r.plan.benchmark, r.plan.variant, name);
    std::string command;
    for (const auto& word : r.plan.command) {
        command += (command.empty() ? "" : " ") + text::shell_word(word);
    }
    const auto words = fmt::format(
        "{} {} did not print the case \"{}\" when it was run for it alone ({}); the whole program "
        "is run for it: see case_arguments in the config",
        r.plan.benchmark,
        r.plan.variant,
        text::one_line(name, 120),
        text::one_line(command, 300));
    record_event(
        r.db, r.now_s, "case.not_printed", r.job.project, "benchmark/" + r.plan.benchmark, words);
}

void tell_leaks(const TakenRun& r) {
    for (const auto& fact : r.outcome.facts) {
        const bool leaks = (fact.name == "leak" || fact.name == "gpu_leak") &&
                           fact.text == "leak" && fact.low.value_or(0) > 0;
        if (!leaks) continue;
        record_event(
            r.db,
            r.now_s,
            "run.leaks",
            r.job.project,
            "run/" + to_string(r.run),
            fmt::format(
                "{} {}: {} grows by {:.0f} bytes each iteration ({:.0f} to {:.0f})",
                r.plan.benchmark,
                r.plan.variant,
                fact.name == "leak" ? "memory" : "the GPU's memory",
                fact.value.value_or(0),
                *fact.low,
                fact.high.value_or(0)));
    }
}

/// A worker that cannot count what is judged is told once, for as long as it is so.
void tell_counting(const TakenRun& r) {
    if (!r.plan.counts_instructions || r.outcome.outcome != Outcome::passed) return;
    std::optional<std::string> why;
    for (const auto& fact : r.outcome.facts) {
        const bool is_own = fact.name == to_string(Metric::instructions) && !fact.value;
        if (fact.name == wire::not_counted || is_own) why = fact.text;
    }
    const auto worker = r.job.worker.value();
    const Trouble trouble{
        .kind = std::string(counts_nothing),
        .subject = "worker/" + to_string(worker),
        .project = r.job.project,
        .message = fmt::format(
            "worker {} cannot count instructions, which {} judges: its runs have no such value. "
            "{}",
            load_worker_name(r.db, worker),
            load_project_name(r.db, r.job.project),
            why.value_or(""))};
    set_trouble(r.db, trouble, why.has_value(), r.now_s);
}

}  // namespace

void tell_of_run(const TakenRun& run) {
    note_unprinted(run);
    tell_leaks(run);
    tell_counting(run);
}

}  // namespace vigil::service
