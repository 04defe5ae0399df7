#include "service/cli/ask/reproduced.hpp"

#include <cstdio>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/detect/session.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/local/compare.hpp"
#include "worker/run/samples.hpp"

namespace vigil::cli {

namespace {

std::string words_of(Metric metric) {
    switch (metric) {
        case Metric::wall_time_ns: return "wall time";
        case Metric::cpu_time_ns: return "CPU time";
        case Metric::gpu_time_ns: return "GPU time";
        case Metric::peak_process_bytes: return "peak memory";
        case Metric::reported_value: return "printed value";
        default: return std::string(to_string(metric));
    }
}

/// Fills in what /usr/bin/time said last: "0.10 s user, 0.02 s system, 0.13 s wall, 4096 KiB peak".
void read_times(const std::string& errors, worker::RunReport& report) {
    std::istringstream lines(errors);
    for (std::string line; std::getline(lines, line);) {
        double user = 0, system = 0, wall = 0;
        long long kib = 0;
        const int read = std::sscanf(
            line.c_str(),
            "%lf s user, %lf s system, %lf s wall, %lld KiB peak",
            &user,
            &system,
            &wall,
            &kib);
        if (read != 4) continue;
        report.wall_time_ns = static_cast<std::int64_t>(wall * 1e9);
        report.cpu_time_ns = static_cast<std::int64_t>((user + system) * 1e9);
        report.peak_bytes = kib * 1024;
    }
}

double value_in(const ComparedRuns& compared, const ReproducedRun& run) {
    worker::RunReport report;
    report.end = worker::RunEnd::exited;
    // The script says first which side it is.
    const bool named = run.output.starts_with("== ");
    report.output = named ? run.output.substr(run.output.find('\n') + 1) : run.output;
    report.errors = run.errors;
    read_times(run.errors, report);
    BenchmarkPlan plan;
    plan.samples = compared.samples;
    const auto read = worker::guarded_samples_of(report, plan);
    for (const auto& samples : read.samples) {
        if (samples.metric == compared.metric) return stats::median(samples.values);
    }
    throw Error(
        Errc::conflict,
        fmt::format(
            "a run of the {} build gave no {}{}{}",
            run.good ? "good" : "bad",
            words_of(compared.metric),
            read.message.empty() ? "" : ": ",
            text::one_line(read.message)));
}

}  // namespace

std::optional<ComparedRuns> find_compared(const std::string& script) {
    const std::string mark = "\n# compares ";
    const auto at = script.find(mark);
    if (at == script.npos) return std::nullopt;
    const auto begin = at + mark.size();
    const auto line = script.substr(begin, script.find('\n', begin) - begin);
    const auto value = wire::parse_json(line, "the report's line \"# compares\"");
    wire::ObjectReader reader(value, "compares");
    if (!reader.has("metric")) return std::nullopt;  // nothing was confirmed
    ComparedRuns compared;
    compared.benchmark = reader.text("benchmark");
    compared.good = reader.text("good");
    compared.bad = reader.text("bad");
    compared.metric = reader.choice<Metric>("metric");
    compared.unit = reader.text("unit");
    compared.direction = reader.choice<Direction>("direction");
    compared.threshold = reader.number("threshold", {1e-6, 1e6});
    auto samples = reader.object("samples");
    compared.samples.format = samples.choice<SampleFormat>("format");
    compared.samples.printed = samples.choice<Metric>("printed");
    compared.samples.unit = samples.text("unit");
    compared.samples.select = samples.text("select");
    compared.samples.ignore_exit_code = samples.flag_or("ignore_exit_code", false);
    return compared;
}

std::string reproduced_text(const ComparedRuns& compared, const std::vector<ReproducedRun>& runs) {
    std::vector<detect::SessionRun> measured;
    for (const auto& run : runs) {
        const auto side = run.good ? detect::Side::a : detect::Side::b;
        measured.push_back({side, 0, value_in(compared, run)});
    }
    detect::SessionRules rules;
    rules.direction = compared.direction;
    rules.threshold = compared.threshold;
    rules.kind = kind_of(compared.metric);
    const auto judgement = detect::judge_session(measured, rules);
    return local::comparison_lines(
        judgement.comparison,
        {words_of(compared.metric) + " of " + text::one_line(compared.benchmark, 120),
         compared.unit,
         text::one_line(compared.good, 40),
         text::one_line(compared.bad, 40)});
}

}  // namespace vigil::cli
