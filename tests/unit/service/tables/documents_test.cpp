#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/tables/against.hpp"
#include "service/tables/chart.hpp"
#include "service/tables/heading.hpp"
#include "service/tables/notable.hpp"
#include "service/tables/read.hpp"
#include "service/tables/summary.hpp"

// Published documents as they are, and files in the layouts that others publish.

using namespace vigil::tables;
using Catch::Contains;
using nlohmann::json;

namespace {

std::string published(const std::string& name) {
    std::ifstream file(std::string(VIGIL_SOURCE_DIR) + "/tests/data/published/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

ResultList results_in(const std::string& text) {
    ResultList list;
    read_results(text, "file", list);
    return list;
}

Summary summary_in(const std::string& text, const SummaryWishes& wishes = {}) {
    return summarize(results_in(text), wishes);
}

/// Whatever stands alone in a cell and is a number with a point: the times of these documents.
std::vector<double> times_in(const std::string& markdown) {
    std::vector<double> times;
    std::string cell;
    for (const char c : markdown) {
        if (c != '|' && c != '\n') {
            if (c != ' ') cell += c;
            continue;
        }
        double time = 0;
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), time);
        const bool whole = error == std::errc{} && end == cell.data() + cell.size();
        if (whole && cell.find('.') != cell.npos) times.push_back(time);
        cell.clear();
    }
    std::sort(times.begin(), times.end());
    return times;
}

const Result& only(
    const Summary& summary,
    const std::string& model,
    const std::string& device,
    std::int64_t batch,
    const std::string& setting,
    const std::string& backend = "compile") {
    const auto is_it = [&](const Result& one) {
        return one.model == model && one.device == device && one.batch == batch &&
               one.setting == setting && one.backend == backend;
    };
    const auto& all = summary.results;
    REQUIRE(std::count_if(all.begin(), all.end(), is_it) == 1);
    return *std::find_if(all.begin(), all.end(), is_it);
}

}  // namespace

TEST_CASE("Every time of the compile tables is in --json", "[service][tables]") {
    const auto [file, count] = GENERATE(
        std::pair("torch_compile_batches.md", 260), std::pair("torch_compile_unbatched.md", 64));
    const auto wanted = times_in(published(file));
    CHECK(wanted.size() == std::size_t(count));
    std::vector<double> found;
    const auto printed = summary_json(summary_in(published(file)));
    for (const auto& one : printed.at("results")) {
        if (one.contains("time_s")) found.push_back(1000 * one.at("time_s").get<double>());
    }
    std::sort(found.begin(), found.end());
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == Approx(wanted[i]).epsilon(1e-12));
}

TEST_CASE("Every number of a published dashboard is in --json", "[service][tables]") {
    const std::string text = published("inductor_cpu_dashboard.json");
    const auto results = summary_json(summary_in(text)).at("results");
    std::size_t seen = 0;
    const json dashboard = json::parse(text);
    for (const auto& [suite, tables] : dashboard.items()) {
        for (const auto& [table, rows] : tables.items()) {
            const std::string name = table == "compile"   ? "compile_s"
                                     : table == "mem"     ? "memory_ratio"
                                     : table == "speedup" ? "speedup"
                                                          : "status";
            for (const auto& row : rows) {
                const auto one = std::find_if(results.begin(), results.end(), [&](const json& of) {
                    return of.at("suite") == suite && of.at("model") == row[0];
                });
                INFO(suite << " " << table << " " << row.dump());
                REQUIRE(one != results.end());
                if (row[2] == "nan") continue;
                ++seen;
                if (name == "status") {
                    CHECK(one->at(name) == row[2]);
                } else {
                    CHECK(one->at(name).get<double>() == std::stod(row[2].get<std::string>()));
                }
            }
        }
    }
    CHECK(seen > 600);
}

TEST_CASE("Every row of the compile tables lands in its GPU, batch and way", "[service][tables]") {
    const auto summary = summary_in(published("torch_compile_batches.md"));
    CHECK(only(summary, "ViT", "A100", 1, "").get(Field::time_s) == Approx(7.584e-3));
    CHECK(only(summary, "ViT", "V100", 16, "").get(Field::time_s) == Approx(51.633e-3));
    CHECK(only(summary, "BeiT", "T4", 16, "").get(Field::time_s) == Approx(187.976e-3));
    const auto& detr = only(summary, "DETR", "A100", unbatched, "PyTorch nightly");
    CHECK(detr.get(Field::time_s) == Approx(15.221e-3));
    CHECK(*detr.get(Field::speedup) == Approx(30.484 / 15.221));
    CHECK(detr.version == "2.0");
    CHECK(is_oom(only(summary, "DETR", "T4", 16, "PyTorch nightly").status));
    CHECK(is_oom(only(summary, "DETR", "V100", 16, "", "no compile").status));
    const auto& net = only(summary, "ResNet", "A100", 4, "Reduce overhead");
    CHECK(*net.get(Field::speedup) == Approx(7.261 / 2.187));
    // Where a row should stand, the header does: nothing is passed over in silence.
    CHECK(std::count_if(summary.notes.begin(), summary.notes.end(), [](const std::string& note) {
              return note.find("the header again") != note.npos;
          }) == 2);
}

TEST_CASE("Gains stand by batch, and copied rows are told", "[service][tables]") {
    const auto summary = summary_in(published("torch_compile_unbatched.md"));
    const auto& gain = summary.batches.front().gains.front();
    REQUIRE(gain.by_batch.size() == 3);
    CHECK(gain.by_batch[0].batch == unbatched);
    CHECK(gain.by_batch[0].count == 2);
    CHECK(
        gain.by_batch[0].speedup ==
        Approx(std::sqrt(12.462 / 6.954 * 30.484 / 15.221)).epsilon(1e-9));
    const std::string text = summary_text(summary, Detail::models);
    CHECK_THAT(text, Contains("By batch (geometric mean, rows): unbatched 1.89x (2)"));
    CHECK_THAT(text, Contains("BeiT (batch 16): A100 and T4 have the same times"));
    CHECK(summary_json(summary).at("batches")[0].at("speedups")[0].at("by_batch").size() == 3);
    // What was read in a way that may be another is in the output itself.
    const auto noted = summary_text(summary_in("model,eager,jit\na,2,1\nb,-1,1\n"), Detail::models);
    CHECK_THAT(noted, Contains("## Reading notes") && Contains("left out: reading file: line 3"));
}

TEST_CASE("Bare names of GPUs, Task/Model and Unbatched are read", "[service][tables]") {
    const auto summary = summary_in(published("torch_compile_unbatched.md"));
    const auto& detr = only(summary, "DETR", "A100", unbatched, "");
    CHECK(detr.domain == "Object Detection");
    CHECK(*detr.get(Field::speedup) == Approx(2.0).epsilon(0.002));
    CHECK(only(summary, "MobileNet", "T4", 4, "Reduce Overhead").domain == "Image Segmentation");
    const std::string text = summary_text(summary, Detail::models);
    CHECK_THAT(text, Contains("unbatched") && Contains("OOM"));
    CHECK_THAT(text, Contains(" T4 |") && Contains("83%, 5/6"));
    CHECK_THAT(text, Contains("left out: DETR (batch 16)"));
}

TEST_CASE("A GPU is held against another", "[service][tables]") {
    const auto summary = summary_in(published("torch_compile_unbatched.md"));
    const auto table =
        std::find_if(summary.across.begin(), summary.across.end(), [](const BatchTable& one) {
            return one.by == Part::device && one.label == "compile";
        });
    REQUIRE(table != summary.across.end());
    CHECK(table->columns == std::vector<std::string>{"A100", "T4", "V100"});
    CHECK(table->gains.at(0).speedup.count == 5);  // DETR at 16 ended without memory on T4
    SummaryWishes wishes;
    wishes.base = "V100";
    const auto other = summary_in(published("torch_compile_unbatched.md"), wishes);
    CHECK(other.across.at(0).columns.at(0) == "V100");
    CHECK(other.results.size() == summary.results.size());
    CHECK_THAT(summary_text(summary, Detail::models), Contains("## Time by device (compile)"));
    const auto versions = summary_in("model,version,time_ms\na,2.5,10\nb,2.5,4\na,2.6,5\n");
    REQUIRE(versions.across.size() == 1);
    CHECK(*versions.across[0].gains.at(0).speedup.value == Approx(2.0));
    CHECK(versions.across[0].gains[0].speedup.left_out.at(0).why == "not measured with 2.6");
}

TEST_CASE("A heading names a device or a batch, and a model is none", "[service][tables]") {
    CHECK(parse_place("V100 (batch size: 16)")->device == "V100");
    CHECK(parse_place("V100 (batch size: 16)")->batch == 16);
    CHECK(parse_place("NVIDIA A100 80GB")->device == "NVIDIA A100 80GB");
    CHECK(parse_place("Batch size 4")->batch == 4);
    CHECK(parse_place("Unbatched")->batch == unbatched);
    CHECK_FALSE(parse_place("T5"));
    CHECK_FALSE(parse_place("Results on A100"));
    CHECK_FALSE(parse_place("Batch"));
    CHECK_FALSE(parse_place(""));
    const auto list = results_in(
        "# Guide\n\n## A100\n\nThe times, in ms.\n\n| model | eager, ms |\n| - | - |\n| a | 1 |\n\n"
        "### Batch size 8\n\n| model | eager, ms |\n| - | - |\n| a | 2 |\n\n"
        "## Elsewhere\n\n| model | eager, ms |\n| - | - |\n| b | 3 |\n");
    REQUIRE(list.results().size() == 3);
    CHECK(list.results()[0].device == "A100");
    CHECK(list.results()[1].batch == 8);
    CHECK(list.results()[1].device == "A100");
    CHECK(list.results()[2].device.empty());
}

TEST_CASE("A nightly of TorchBench has times and two peaks", "[service][tables]") {
    const auto list = results_in(R"({"name": "torch-nightly",
        "environ": {"pytorch_git_version": "4f2c"}, "metrics": {
        "test_eval[dlrm-cuda-eager]_latency": 1.25, "test_eval[dlrm-cuda-eager]_cmem": 2.5,
        "test_eval[dlrm-cuda-eager]_gmem": 3.5, "test_train[a-b_c-cpu-jit]_latency": 100.5,
        "test_train[a-b_c-cpu-jit]_cmem": 0.5}})");
    REQUIRE(list.results().size() == 2);
    const auto& [gpu, cpu] = std::tie(list.results()[0], list.results()[1]);
    CHECK(gpu.model == "dlrm");
    CHECK(gpu.mode == "infer");
    CHECK(gpu.version == "4f2c");
    CHECK(gpu.get(Field::time_s) == Approx(1.25e-3));
    CHECK(gpu.get(Field::peak_bytes) == 3.5 * (1 << 30));
    CHECK(gpu.metrics.at("peak_cpu_bytes") == 2.5 * (1 << 30));
    CHECK(cpu.model == "a-b_c");
    CHECK(cpu.backend == "jit");
    CHECK(cpu.get(Field::peak_bytes) == 0.5 * (1 << 30));
}

TEST_CASE("No column of dynamo's files is lost", "[service][tables]") {
    const auto list = results_in(
        "dev,name,batch_size,speedup,abs_latency,compilation_latency,compression_ratio,"
        "eager_peak_mem,dynamo_peak_mem,calls_captured,graph_breaks,cudagraph_skips_why\n"
        "cuda,resnet18,16,1.5,12.5,30.5,0.85,1.25,1.5,100,0,none of them\n");
    REQUIRE(list.results().size() == 1);
    const Result& one = list.results()[0];
    CHECK(one.get(Field::time_s) == Approx(12.5e-3));
    CHECK(one.get(Field::compile_s) == 30.5);
    CHECK(one.get(Field::peak_bytes) == 1.5e9);
    CHECK(one.metrics.at("eager_peak_mem") == 1.25);
    CHECK(one.metrics.at("calls_captured") == 100);
    CHECK(one.facts.at("cudagraph_skips_why") == "none of them");
    REQUIRE(list.notes().size() == 1);
    CHECK_THAT(list.notes()[0], Contains("in no table, kept under metrics: eager_peak_mem, calls"));
}

TEST_CASE("A percentage is a ratio, or with its sign a change", "[service][tables]") {
    const auto list = results_in("model,speedup,memory ratio\na,112%,+5%\nb,+12%,-10%\n");
    CHECK(list.results()[0].get(Field::speedup) == Approx(1.12));
    CHECK(list.results()[0].get(Field::memory_ratio) == Approx(1.05));
    CHECK(list.results()[1].get(Field::speedup) == Approx(1.12));
    CHECK(list.results()[1].get(Field::memory_ratio) == Approx(0.9));
    CHECK_THAT(results_in("model,time_ms\na,5%\n").notes()[0], Contains("percentage"));
}

TEST_CASE("Models stand best first, with flags and outliers", "[service][tables]") {
    std::string csv = "model,speedup,status,compile_s,mem\n";
    for (int i = 0; i < 10; ++i) {
        csv += "m" + std::to_string(i) + ",1.0" + std::to_string(i) + ",pass,3,1\n";
    }
    csv += "slow,0.2,pass,130,0.8\nbroken,0,fail_to_run,0,0\nbest,1.2,pass,3,1\n";
    const auto summary = summary_in(csv);
    const std::string text = summary_text(summary, Detail::models);
    CHECK_THAT(text, Contains("slower, long compile, more memory"));
    CHECK(text.find("| best ") < text.find("| m9 "));
    CHECK(text.find("| m0 ") < text.find("| slow "));
    CHECK(text.find("| slow ") < text.find("| broken "));
    CHECK_THAT(text, Contains("## Failures") && Contains("broken (fail_to_run)"));
    const auto outliers = outliers_of(summary.dashboard.at(0).rows);
    REQUIRE_FALSE(outliers.empty());
    CHECK(std::any_of(outliers.begin(), outliers.end(), [](const OutlierModel& one) {
        return one.model == "slow" && one.deviations < -3.5;
    }));
    const auto value = summary_json(summary).at("dashboard").at("all results");
    CHECK(value.at("flagged").at(0).at("flags").size() == 3);
    CHECK(summary_in(text).dashboard.at(0).rows.size() == 13);  // it is read back
    CHECK(outliers_of(summary_in("model,speedup\na,1\nb,9\n").dashboard.at(0).rows).empty());
}

TEST_CASE("Caveats say what the totals do not", "[service][tables]") {
    const auto summary = summary_in(
        R"({"vigil_bench": 1, "outcome": "passed", "samples": {"wall_time_ns": [5]}, "info": )"
        R"({"model": "a", "machine": "xeon", "torch_version": "2.6", )"
        R"("accuracy": {"unchecked": "no memory"}, )"
        R"("metrics": {"leak": {"value": 9, "interval": [8, 10], "verdict": "leak"}}}})"
        "\n"
        R"({"vigil_bench": 1, "outcome": "unsupported", )"
        R"("info": {"model": "b", "machine": "xeon"}})");
    const std::string text = summary_text(summary, Detail::headlines);
    CHECK_THAT(text, Contains("100%, 1/1"));
    CHECK_THAT(text, Contains("1 result: cannot be run by the base either, in no total."));
    CHECK_THAT(text, Contains("its answer was not checked"));
    CHECK_THAT(text, Contains("memory grows with every step"));
    CHECK_THAT(text, Contains("machine: xeon (2 results)") && Contains("LibTorch: 2.6"));
}

TEST_CASE("A speedup that was measured in turns goes before that of medians", "[service][tables]") {
    const auto summary = summary_in(
        R"({"vigil_bench": 1, "outcome": "passed", "samples": {"wall_time_ns": [9]}, )"
        R"("info": {"model": "a", "backend": "eager"}})"
        "\n"
        R"({"vigil_bench": 1, "outcome": "passed", "samples": {"wall_time_ns": [3]}, )"
        R"("info": {"model": "a", "backend": "jit", "compared": {"base": "eager", "speedup": 1.5, )"
        R"("speedup_low": 1.4, "cpu_speedup": 1.25, "turns": 20}}})");
    const auto& jit = summary.results.at(1);
    CHECK(jit.get(Field::speedup) == 1.5);
    CHECK(jit.get(Field::cpu_speedup) == 1.25);
    CHECK(jit.metrics.at("speedup_low") == 1.4);
    CHECK(jit.facts.at("compared_with") == "eager");
}

TEST_CASE("Two lists: what fails, what is worse, what is gone", "[service][tables]") {
    const auto before = results_in(
        "model,version,batch,time_ms,compile_s,status\na,1,4,10,5,pass\nb,1,4,10,5,pass\n"
        "c,1,4,10,5,fail\nd,1,4,10,5,pass\n");
    const auto after = results_in(
        "model,version,batch,time_ms,compile_s,status\na,2,4,12,4,pass\nb,2,4,,,oom\n"
        "c,2,4,10,5,pass\ne,2,4,1,1,pass\n");
    const auto changes = compare_results(before.results(), after.results(), worse_by_default);
    CHECK(changes.paired == 3);
    REQUIRE(changes.worse.size() == 1);
    CHECK(changes.worse[0].number == "time_s");
    CHECK(changes.worse[0].change_ratio == Approx(0.2));
    REQUIRE(changes.better.size() == 1);
    CHECK(changes.better[0].number == "compile_s");
    CHECK(changes.new_failures.at(0).after == "oom");
    CHECK(changes.fixed.at(0).model == "c");
    CHECK(changes.gone.at(0).model == "d");
    CHECK(changes.added.at(0).model == "e");
    const auto& time = changes.numbers.at(0);
    CHECK(*time.ratio.value == Approx(1.2));
    CHECK(time.ratio.left_out.size() == 4);
    CHECK_THAT(changes_text(changes), Contains("may be noise"));
    // Higher is better: half of the throughput is 100 % worse.
    const auto slower = compare_results(
        results_in("model,throughput\na,10\n").results(),
        results_in("model,throughput\na,5\n").results(),
        worse_by_default);
    CHECK(slower.worse.at(0).change_ratio == Approx(1.0));
}

TEST_CASE("A chart has a bar for each number and no foreign markup", "[service][tables]") {
    const auto svg =
        chart_svg(summary_in("model,speedup,status\n<b>&,1.5,pass\nc,0.5,pass\nd,0,fail_to_run\n"));
    CHECK_THAT(svg, Contains("&lt;b&gt;&amp;") && !Contains("<b>"));
    CHECK_THAT(svg, Contains("1.50x") && Contains("0.50x") && Contains("1 without a bar"));
    CHECK_THAT(svg, Contains("</svg>"));
    CHECK(chart_svg(Summary()).empty());
}
