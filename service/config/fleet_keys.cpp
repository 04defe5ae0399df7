#include "service/config/keys.hpp"
#include "service/config/text_rules.hpp"

// The keys of the fleet.

namespace vigil::service {

namespace {

const TextRule fleet_path{"path", path_problem, Presence::required};
const TextRule token_path{"path of a file that others cannot read", free_path_problem};

void describe_fleet_class(KeyVisitor& v, FleetClassConfig& one) {
    const TextRule word{"as Slurm has it", slurm_problem};
    v.small("max_allocations", one.max_allocations, {0, 1000});
    v.small("max_requests_an_hour", one.max_requests_an_hour, {1, 1000});
    v.small("max_machine_hours_a_day", one.max_machine_hours_a_day, {0, 24'000});
    v.small("jobs_each", one.jobs_each, {1, 10'000});
    v.small("idle_s", one.idle_s, {10, 86'400});
    v.small("time_limit_s", one.time_limit_s, {600, 604'800});
    v.flag("drain_differing", one.drain_differing);
    v.text("worker_file", one.worker_file, fleet_path);
    v.text("partition", one.partition, word);
    v.text("constraint", one.constraint, word);
    v.text("gres", one.gres, word);
    v.text("account", one.account, word);
    v.text("qos", one.qos, word);
    v.text("reservation", one.reservation, word);
}

}  // namespace

void describe_fleet(KeyVisitor& v, FleetConfig& fleet) {
    v.text("name", fleet.name, {"name", fleet_name_problem});
    v.text("folder", fleet.folder, fleet_path);
    v.text("worker", fleet.worker, {"program", path_problem});
    v.text("slurmrestd", fleet.slurmrestd, {"unix:PATH or URL", slurmrestd_problem});
    v.text("slurmrestd_token_file", fleet.slurmrestd_token_file, token_path);
    const bool by_url = !fleet.slurmrestd.empty() && !fleet.slurmrestd.starts_with("unix:");
    v.check(
        !by_url || !fleet.slurmrestd_token_file.empty(),
        "slurmrestd",
        "needs slurmrestd_token_file: by a URL, slurmrestd takes requests with a token only");
    v.check(
        fleet.slurmrestd_token_file.empty() || !fleet.slurmrestd.empty(),
        "slurmrestd_token_file",
        "means nothing without slurmrestd: Slurm's commands take no token");
    v.table("machine_classes", "<class>", fleet.machine_classes, describe_fleet_class);
}

}  // namespace vigil::service
