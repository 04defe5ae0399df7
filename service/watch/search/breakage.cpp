#include "service/watch/search/breakage.hpp"

#include <nlohmann/json.hpp>

#include "bisect/search/breakage.hpp"
#include "schema/wire/job_json.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/work/night_jobs.hpp"
#include "service/watch/search/conclude.hpp"
#include "service/watch/search/plan_probe.hpp"

namespace vigil::service {

namespace {

constexpr int max_lost_builds = 2;  // jobs that ended without a build that worked or failed

void ask_for_build(
    Database& db, const BisectionRow& search, int number, int commit, std::int64_t now_s) {
    const auto build = ensure_suspect_build(db, search, commit, now_s);
    if (is_under_way(db, build)) return;
    search::ProbeRequest request;
    request.commits = {commit};
    request.why = "does commit " + std::to_string(commit) + " build";
    plan_probe(db, search, number, request, {build}, {}, now_s);
}

search::SeriesEnding ending_of(
    const ProjectConfig& config, const search::BreakageStep& step, int last) {
    search::SeriesEnding ending;
    ending.first = 1;
    ending.last = last;
    switch (step.state) {
        case search::Breakage::commit:
            ending.ending = search::Ending::culprit;
            ending.first = ending.last = step.commit;
            ending.parent = step.commit - 1;
            ending.probability = 1;
            ending.reason = "its parent is built, it failed " +
                            std::to_string(search::tries_of_a_build) + " times";
            break;
        case search::Breakage::none:
            ending.ending = search::Ending::not_reproduced;
            ending.reason = config.source.kind == SourceKind::git
                                ? "the nightly is built when it is tried again"
                                : "the archive's recipe fails, and the source of its revision is "
                                  "built: look at how the nightlies are made";
            break;
        case search::Breakage::elsewhere:
            ending.reason =
                "the last good nightly cannot be built any more either: it is not the "
                "commits";
            break;
        case search::Breakage::open: break;
    }
    return ending;
}

void conclude(
    Database& db,
    const BisectionRow& search,
    const search::SeriesEnding& ending,
    int builds,
    std::int64_t now_s) {
    const BisectionConclusion conclusion{
        ending.reason + "; " + std::to_string(builds) + (builds == 1 ? " build" : " builds"),
        {ending},
        {}};
    note_conclusion(db, search.id, conclusion);
    // The log of a commit that was found is still to be read.
    if (ending.ending != search::Ending::culprit) {
        move_bisection(db, search.id, BisectionState::done, now_s);
    }
    record_bisection_event(db, search.id, "done", conclusion.summary, now_s);
}

}  // namespace

int end_unbuildable_jobs(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    constexpr int tries = search::tries_of_a_build;
    if (load_build_facts(db, nightly.build).failures < tries) return 0;
    const auto recipe = wire::digest_of(config.recipe);
    const int ended = fail_unbuildable_jobs(db, nightly.id, nightly.build, recipe, tries, now_s);
    if (ended > 0) {
        const auto words = std::to_string(ended) + " jobs ended: its build failed";
        record_nightly_event(db, nightly, "nightly.unbuildable", words, now_s);
    }
    return ended;
}

bool search_breakage(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    if (why_no_revisions(config)) return false;
    const auto seen = load_build_facts(db, nightly.build);
    const auto good = find_built_before(db, nightly.id);
    const auto machine_class = find_first_class(db, nightly.id);
    if (seen.built || seen.failures == 0 || !good || !machine_class) return false;
    NewBisection search{
        .project = nightly.project,
        .nightly = nightly.id,
        .kind = BisectionKind::build,
        .good = load_revision(db, *good),
        .bad = load_revision(db, nightly.build),
        .settings = {}};
    search.settings.groups = {*machine_class};
    search.settings.budget = {config.search.max_probes, config.search.max_builds};
    const auto begun = add_bisection(db, search, now_s);
    const auto words =
        "nightly " + to_string(nightly.id) + " does not build; the commit is searched";
    record_bisection_event(db, begun, "breakage", words, now_s);
    return true;
}

void advance_breakage(
    Database& db, const ProjectConfig& config, const BisectionRow& search, std::int64_t now_s) {
    if (search.state != BisectionState::searching || search.is_concluded) return;
    if (close_probes(db, search.id) > 0) return;
    if (const int lost = count_lost_probes(db, search.id); lost >= max_lost_builds) {
        const auto why = std::to_string(lost) + " builds ended without saying whether they work";
        fail_bisection(db, search.id, why, now_s);
        return;
    }
    const auto* recipe = find_recipe(config, InputKind::source_tree);
    if (recipe == nullptr) {
        fail_bisection(db, search.id, why_no_revisions(config).value(), now_s);
        return;
    }
    const auto tries = list_build_tries(db, search, wire::digest_of(*recipe));
    const auto step = search::next_build(tries);
    const int builds = count_probes(db, search.id);
    if (step.state != search::Breakage::open) {
        const auto ending = ending_of(config, step, static_cast<int>(tries.size()) - 1);
        conclude(db, search, ending, builds, now_s);
    } else if (builds >= search.settings.budget.max_builds) {
        fail_bisection(db, search.id, "all builds of the search are spent", now_s);
    } else {
        ask_for_build(db, search, builds, step.commit, now_s);
    }
}

void record_log_tail(
    Database& db, BisectionId bisection, const std::string& tail, std::int64_t now_s) {
    if (!note_log_tail(db, bisection, tail)) return;
    move_bisection(db, bisection, BisectionState::done, now_s);
}

}  // namespace vigil::service
