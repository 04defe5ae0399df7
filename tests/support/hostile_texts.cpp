#include "tests/support/hostile_texts.hpp"

#include <fmt/format.h>

namespace vigil::test {

namespace {

/// `part(i)` again and again.
template <class Part>
std::string repeated(std::size_t bytes, const std::string& between, const Part& part) {
    std::string text;
    for (std::size_t i = 0; text.size() < bytes; ++i) {
        if (i > 0) text += between;
        text += part(i);
    }
    return text;
}

std::string lines_of(std::size_t bytes, const std::string& line) {
    return repeated(bytes, "", [&](std::size_t) { return line; });
}

std::string ones(std::size_t bytes) {
    return repeated(bytes, ",", [](std::size_t) { return "1"; });
}

std::string name_of(std::size_t bytes) {
    return std::string(bytes, 'n');
}

std::string google_rows(std::size_t bytes) {
    return R"({"benchmarks":[)" +
           repeated(
               bytes,
               ",",
               [](std::size_t i) {
                   return fmt::format(R"({{"name":"b{}","real_time":1,"cpu_time":1}})", i);
               }) +
           "]}";
}

/// One long name with many values.
std::string google_counters(std::size_t bytes) {
    return R"({"benchmarks":[{"name":")" + name_of(bytes / 2) + R"(","real_time":1)" +
           repeated(
               bytes / 2, "", [](std::size_t i) { return fmt::format(R"(,"c{}":{})", i, i); }) +
           "}]}";
}

std::string google_context(std::size_t bytes) {
    return R"({"context":{)" +
           repeated(bytes, ",", [](std::size_t i) { return fmt::format(R"("cpu{}":"x")", i); }) +
           R"(},"benchmarks":[]})";
}

std::string pytest_samples(std::size_t bytes) {
    return R"({"machine_info":{},"benchmarks":[{"name":")" + name_of(200) +
           R"(","stats":{"median":1,"data":[)" + ones(bytes) + "]}}]}";
}

std::string hyperfine_times(std::size_t bytes) {
    return R"({"results":[{"command":")" + name_of(bytes / 2) + R"(","times":[)" + ones(bytes / 2) +
           "]}]}";
}

std::string criterion_values(std::size_t bytes) {
    return R"({"reason":"benchmark-complete","id":")" + name_of(bytes / 2) +
           R"(","iteration_count":[)" + ones(bytes / 4) + R"(],"measured_values":[)" +
           ones(bytes / 4) + R"(],"mean":{"estimate":1}})" + "\n";
}

std::string criterion_broken(std::size_t bytes) {
    return R"({"reason":"benchmark-complete","id":"a","iteration_count":[1],)"
           R"("measured_values":[1],"mean":{"estimate":1}})"
           "\n" +
           lines_of(bytes, "{x}\n");
}

std::string criterion_rows(std::size_t bytes) {
    return "group,function,value,sample_measured_value,unit,iteration_count\n" +
           lines_of(bytes, "g,f,,1,ns,1\n");
}

std::string jmh_metrics(std::size_t bytes) {
    return R"([{"benchmark":")" + name_of(bytes / 4) + R"(","mode":"avgt","primaryMetric":)" +
           R"({"scoreUnit":")" + name_of(bytes / 4) + R"(","rawData":[[)" + ones(bytes / 4) +
           R"(]]},"secondaryMetrics":{)" +
           repeated(
               bytes / 4,
               ",",
               [](std::size_t i) {
                   return fmt::format(R"("m{}":{{"scoreUnit":"s","score":1}})", i);
               }) +
           "}}]";
}

std::string go_facts(std::size_t bytes) {
    std::string text;
    for (char key = 'a'; key < 'p'; ++key) text += std::string(1, key) + ": " + name_of(110) + "\n";
    return text + repeated(bytes, "", [](std::size_t i) {
               return fmt::format("q: {}\nBenchmarkA 1 1 ns/op\n", i % 90);
           });
}

std::string go_results(std::size_t bytes) {
    return "pkg: " + name_of(100) + "\n" + repeated(bytes, "", [](std::size_t i) {
               return fmt::format("Benchmark{} 1 1 ns/op 1 B/op\n", i);
           });
}

std::string go_events(std::size_t bytes) {
    return repeated(bytes, "", [](std::size_t i) {
        return fmt::format(
            R"({{"Action":"output","Package":"p{}","Output":"BenchmarkA 1 1 ns/op\n"}})"
            "\n",
            i);
    });
}

std::string catch2_results(std::size_t bytes) {
    std::string text = "<Catch>";
    for (int i = 0; i < 40; ++i) text += "<Section name=\"" + name_of(1000) + "\">";
    text += lines_of(bytes, "<BenchmarkResults name=\"a\"><mean value=\"1\"/></BenchmarkResults>");
    for (int i = 0; i < 40; ++i) text += "</Section>";
    return text + "</Catch>";
}

std::string catch2_kinds(std::size_t bytes) {
    return "<Catch>" +
           repeated(bytes, "", [](std::size_t i) { return fmt::format("<e{} a{}=\"\"/>", i, i); }) +
           "</Catch>";
}

std::string dot_net_values(std::size_t bytes) {
    return R"({"Benchmarks":[{"FullName":")" + name_of(bytes / 2) +
           R"(","Statistics":{"Median":1,"OriginalValues":[)" + ones(bytes / 2) + "]}}]}";
}

std::string torchbench_metrics(std::size_t bytes) {
    return R"({"name":")" + name_of(bytes / 2) + R"(","environ":{},"metrics":{)" +
           repeated(bytes / 2, ",", [](std::size_t i) { return fmt::format(R"("m{}":1)", i); }) +
           "}}";
}

std::string torchbench_words(std::size_t bytes) {
    return R"({"environ":{},"metrics":{")" + lines_of(bytes, "a.") + R"(":1}})";
}

std::string github_suite(std::size_t bytes) {
    return R"({"entries":{")" + name_of(bytes / 2) + R"(":[)" +
           repeated(
               bytes / 2,
               ",",
               [](std::size_t i) {
                   return fmt::format(R"({{"benches":[{{"name":"a{}","value":1}}]}})", i);
               }) +
           "]}}";
}

std::string dynamo_rows(std::size_t bytes) {
    return "dev,name,batch_size,abs_latency,speedup\n" +
           repeated(bytes, "", [](std::size_t i) { return fmt::format("cpu,m{},1,1,1\n", i); });
}

std::string csv_samples(std::size_t bytes) {
    return "name,value\n" + lines_of(bytes, "a,1\n");
}

std::string csv_broken(std::size_t bytes) {
    return "name,value\na,1\n" + lines_of(bytes, "a,x\n\"\n\"x\n");
}

std::string json_values(std::size_t bytes) {
    return R"({"benchmarks":[)" + lines_of(bytes, R"({"":0},)") + "0]}";
}

std::string json_lines(std::size_t bytes) {
    return lines_of(bytes, "{\n");
}

std::string empty_lines(std::size_t bytes) {
    return std::string(bytes, '\n') + "}";
}

std::string words(std::size_t bytes) {
    return lines_of(bytes, "1 ns ");
}

std::string google_table(std::size_t bytes) {
    return "Benchmark Time CPU Iterations\n" + repeated(bytes, "", [](std::size_t i) {
               return fmt::format("b{} 1 ns 1 ns 1 a=1 b=1 c=1\n", i);
           });
}

std::string google_csv(std::size_t bytes) {
    return "name,iterations,real_time,cpu_time,time_unit,a\n" +
           repeated(bytes, "", [](std::size_t i) { return fmt::format("b{},1,1,1,ns,1\n", i); });
}

std::string catch2_table(std::size_t bytes) {
    const std::string rule(79, '-');
    const auto head = "benchmark name samples iterations estimated\n" + rule + "\n";
    return rule + "\n" + name_of(bytes / 2) + "\n" + rule + "\n" + head +
           lines_of(bytes / 2, "a 1 1 1 ns\n1 ns 1 ns 1 ns\n1 ns 1 ns 1 ns\n");
}

std::string criterion_table(std::size_t bytes) {
    return name_of(bytes / 2) + "\ntime: [1 ns 1 ns 1 ns]\n" +
           lines_of(bytes / 2, "thrpt: [1 B/s 1 B/s 1 B/s]\n");
}

std::string hyperfine_table(std::size_t bytes) {
    return "Benchmark 1: " + name_of(bytes / 2) + "\n" +
           lines_of(bytes / 2, "Time (mean ± σ): 1 ms ± 1 ms\n");
}

std::string jmh_table(std::size_t bytes) {
    return "Benchmark (" + name_of(bytes / 2) + ") Mode Score Units\n" +
           lines_of(bytes / 2, "a b avgt 1 ns\n");
}

std::string pytest_table(std::size_t bytes) {
    return "Name (time in ms) Min" + lines_of(bytes / 50, " a") + "\n" +
           lines_of(bytes, "b" + lines_of(bytes / 50, " 1") + " 1\n");
}

std::string not_utf8(std::size_t bytes) {
    return std::string(bytes, '\xff');
}

}  // namespace

std::string asv_of_wide_names(std::size_t bytes) {
    std::string text = R"({"commit_hash":"c","env_name":"e","result_columns":["result","params"],)"
                       R"("results":{"t":[null,[["a","b"],["a","b"],["a","b"],["a","b"],["a","b"],)"
                       R"(["a","b"],["a","b"],["a","b"],["a","b"],["a","b"],["a","b"],["a","b"])";
    while (text.size() < bytes) text += ",[\"" + name_of(80) + "\"]";
    return text + "]]}}";
}

std::string asv_of_nothing_that_ran(std::size_t bytes) {
    const auto ten = R"(["0","1","2","3","4","5","6","7","8","9"])";
    return R"({"commit_hash":"c","env_name":"e","result_columns":["result","params"],"results":{)" +
           repeated(
               bytes,
               ",",
               [&](std::size_t i) {
                   return fmt::format(R"("t{}":[null,[{},{},{},{}]])", i, ten, ten, ten, ten);
               }) +
           "}}";
}

std::string csv_of_nights(std::size_t bytes) {
    return "name,value,machine,revision\n" + repeated(bytes, "", [](std::size_t i) {
               return fmt::format("some_benchmark,1.25,a_machine_with_a_long_name,{:040x}\n", i);
           });
}

std::string catch2_of_depth(std::size_t bytes) {
    return "<Catch>" + lines_of(bytes, "<BenchmarkResults name=\"a\">");
}

std::string bmf_of_long_key(std::size_t bytes) {
    return "{\"" + name_of(bytes / 2) + "\":{" +
           repeated(
               bytes / 2,
               ",",
               [](std::size_t i) { return fmt::format(R"("{}":{{"value":1}})", i); }) +
           "}}";
}

std::vector<HostileText> hostile_files() {
    return {
        {"asv, wide names", asv_of_wide_names},
        {"asv, nothing ran", asv_of_nothing_that_ran},
        {"csv, nights", csv_of_nights},
        {"csv, samples", csv_samples},
        {"csv, broken", csv_broken},
        {"catch2, depth", catch2_of_depth},
        {"catch2, results", catch2_results},
        {"catch2, kinds", catch2_kinds},
        {"bmf, long key", bmf_of_long_key},
        {"google_benchmark, rows", google_rows},
        {"google_benchmark, counters", google_counters},
        {"google_benchmark, context", google_context},
        {"pytest_benchmark, samples", pytest_samples},
        {"hyperfine, times", hyperfine_times},
        {"criterion, values", criterion_values},
        {"criterion, broken lines", criterion_broken},
        {"criterion, rows", criterion_rows},
        {"jmh, metrics", jmh_metrics},
        {"go, facts", go_facts},
        {"go, results", go_results},
        {"go, events", go_events},
        {"benchmark_dot_net, values", dot_net_values},
        {"torchbench, metrics", torchbench_metrics},
        {"torchbench, words", torchbench_words},
        {"github_action_benchmark, suite", github_suite},
        {"dynamo, rows", dynamo_rows},
        {"json, values", json_values},
        {"json, lines", json_lines},
        {"empty lines", empty_lines}};
}

std::vector<HostileText> hostile_tables() {
    return {
        {"google table", google_table},
        {"google csv", google_csv},
        {"catch2 table", catch2_table},
        {"criterion lines", criterion_table},
        {"hyperfine lines", hyperfine_table},
        {"jmh table", jmh_table},
        {"pytest table", pytest_table},
        {"go lines", go_results},
        {"json, lines", json_lines},
        {"empty lines", empty_lines},
        {"one line of words", words},
        {"not UTF-8", not_utf8}};
}

}  // namespace vigil::test
