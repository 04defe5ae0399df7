#include "service/watch/doctor.hpp"

#include <algorithm>
#include <string_view>

#include "service/watch/doctor_rules.hpp"

namespace vigil::service {

namespace {

/// What is known of a trouble beside its own words, which say what to do. Others are failing.
struct TroubleRule {
    std::string_view kind;
    Badness badness;
    std::string_view remedy;
};
constexpr TroubleRule trouble_rules[] = {
    {"budget.spent", Badness::note, "vigil hours; raise max_machine_hours_a_day, or wait"},
    {"class.no_workers", Badness::failing, "vigil workers; start a worker of the class"},
    {"config.refused", Badness::failing, "vigild --check-config --config FILE"},
    {"content.unknown", Badness::will_fail, "look at unknown/ of the state folder"},
    {"disk.full", Badness::failing, "df; make room where the state folder lies"},
    {"fleet.blocked", Badness::failing, "vigil fleet --state pending"},
    {"nightly.unbuildable", Badness::failing, "vigil nights; vigil logs JOB"},
    {"notice.undelivered", Badness::failing, "vigil notices --given-up"},
    {"report.held", Badness::will_fail, "take hold_reports out of the config, and reload"},
    {"report.undelivered", Badness::failing, "vigil outbox --state pending"},
    {"self_test.missed", Badness::failing, "vigil status --project self-test; docs/runbook.md"},
    {"series.no_direction", Badness::will_fail, "vigil series; add a rule to series_rules"},
    {"series.not_judged", Badness::will_fail, "vigil series; see the message"},
    {"source.incomplete", Badness::note, "vigil trigger PROJECT, once it is whole"},
    {"worker.counts_nothing", Badness::will_fail, "vigil-worker --check-machine on the worker"},
    {"worker.quarantined", Badness::failing, "vigil workers; vigil worker release NAME"}};

DoctorFinding of_trouble(const Trouble& trouble) {
    const auto* rule =
        std::find_if(std::begin(trouble_rules), std::end(trouble_rules), [&](const auto& one) {
            return one.kind == trouble.kind;
        });
    const bool known = rule != std::end(trouble_rules);
    return {
        trouble.kind,
        trouble.subject,
        known ? rule->badness : Badness::failing,
        trouble.message,
        known ? std::string(rule->remedy) : "vigil events --subject " + trouble.subject,
        trouble.since_s};
}

}  // namespace

std::vector<DoctorFinding> diagnose(const DoctorFacts& facts) {
    std::vector<DoctorFinding> found;
    const auto add = [&](std::vector<DoctorFinding> some) {
        for (auto& finding : some) found.push_back(std::move(finding));
    };
    add(find_in_state(facts));
    for (const auto& trouble : facts.troubles) found.push_back(of_trouble(trouble));
    add(find_in_work(facts));
    std::stable_sort(
        found.begin(), found.end(), [](const DoctorFinding& a, const DoctorFinding& b) {
            return a.badness < b.badness;
        });
    return found;
}

bool needs_person(const DoctorFinding& finding) {
    return finding.badness != Badness::note;
}

}  // namespace vigil::service
