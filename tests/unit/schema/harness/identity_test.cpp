// What tells two results apart is part of their names; what nothing tells apart is left out.

#include "tests/unit/schema/harness/reading_test.hpp"

namespace vigil::harness::testing {
namespace {

TEST_CASE("BenchmarkDotNet: the job is part of the name") {
    const auto entry = [](const std::string& job, double value) {
        return fmt::format(
            R"x({{"DisplayInfo":"Hash.Sha: {} [n=10, mode=a]","Type":"Hash","MethodTitle":"Sha",)x"
            R"x("Parameters":"n=10&mode=a","FullName":"Lib.Hash.Sha(n: 10)",)x"
            R"x("Statistics":{{"OriginalValues":[{}],"Median":1}},)x"
            R"x("Memory":{{"BytesAllocatedPerOperation":8}}}})x",
            job,
            value);
    };
    const auto net6 = entry(".NET 6.0(Runtime=.NET 6.0)", 40);
    const auto server = entry("Job-QXZRTA(Runtime=.NET 8.0, Server=True)", 30);
    const auto usual = entry("DefaultJob", 20);
    const auto report = only_report("{\"Benchmarks\":[" + net6 + "," + server + "," + usual + "]}");
    CHECK(
        values_of(report) == Lines{
                                 "Lib.Hash.Sha(n: 10) [.NET 6.0(Runtime=.NET 6.0)]|: 40",
                                 "Lib.Hash.Sha(n: 10) [.NET 6.0(Runtime=.NET 6.0)]|allocated: 8",
                                 "Lib.Hash.Sha(n: 10) [Runtime=.NET 8.0, Server=True]|: 30",
                                 "Lib.Hash.Sha(n: 10) [Runtime=.NET 8.0, Server=True]|allocated: 8",
                                 "Lib.Hash.Sha(n: 10)|: 20",
                                 "Lib.Hash.Sha(n: 10)|allocated: 8"});
    CHECK(report.readings[0].former == "Lib.Hash.Sha(n: 10)");
    const auto alone = only_report("{\"Benchmarks\":[" + net6 + "]}");
    CHECK(alone.readings[0].benchmark == report.readings[0].benchmark);
}

TEST_CASE("JMH: threads, Java and its arguments are part of the name") {
    const auto entry = [](const std::string& more, double score) {
        return R"({"benchmark":"a.B.run","mode":"thrpt",)" + more + R"("primaryMetric":{"score":)" +
               std::to_string(score) + R"(,"scoreUnit":"ops/s"},"secondaryMetrics":{}})";
    };
    const auto report = only_report(
        "[" + entry(R"("threads":1,)", 1) + "," + entry(R"("threads":8,)", 2) + "," +
        entry(R"("threads":1,"jvm":"/opt/jdk-17.0.8+7/bin/java",)", 3) + "," +
        entry(R"("threads":1,"jvm":"/opt/jdk-21.0.1/bin/java",)", 4) + "," +
        entry(R"("threads":1,"jvm":"/usr/lib/jvm/java-1.8.0_292/bin/java",)", 5) + "," +
        entry(R"("threads":1,"jvmArgs":["-XX:+UseZGC","-Djava.io.tmpdir=/tmp/7","-Da=b"],)", 6) +
        "]");
    CHECK(
        values_of(report) == Lines{
                                 "a.B.run|thrpt: 1",
                                 "a.B.run [threads=8]|thrpt: 2",
                                 "a.B.run [jvm=/opt/jdk-17]|thrpt: 3",
                                 "a.B.run [jvm=/opt/jdk-21]|thrpt: 4",
                                 "a.B.run [jvm=/usr/lib/jvm/java-1.8]|thrpt: 5",
                                 "a.B.run [-XX:+UseZGC -Da=b]|thrpt: 6"});
}

TEST_CASE("JMH: of single calls the percentiles are told too") {
    const auto report = only_report(
        R"([{"benchmark":"a.B.call","mode":"sample","primaryMetric":{"score":9,"scoreUnit":"us/op",)"
        R"("scorePercentiles":{"0.0":1,"50.0":8,"99.0":30,"99.9":70,"100.0":400},)"
        R"("rawDataHistogram":[[[[8,10]]]]}}])");
    CHECK(
        values_of(report) == Lines{
                                 "a.B.call|sample: 9",
                                 "a.B.call|sample p50: 8",
                                 "a.B.call|sample p99: 30",
                                 "a.B.call|sample p99.9: 70"});
}

TEST_CASE("Catch2: a section that is entered twice has two results") {
    const auto result = [](const std::string& section, const std::string& inside) {
        return "<Section name=\"" + section + "\"><BenchmarkResults name=\"map\">" + inside +
               "</BenchmarkResults></Section>";
    };
    const auto report = only_report(
        "<Catch2TestRun><TestCase name=\"t\">" + result("full", "<mean value=\"10\"/>") +
        result("full", "<mean value=\"700\"/>") + result("empty", "<failed message=\"x\"/>") +
        "</TestCase></Catch2TestRun>");
    CHECK(
        values_of(report) == Lines{
                                 "t / full / map|: 10",
                                 "t / full / map #2|: 700",
                                 "t / empty / map| failed: it threw an exception"});
    CHECK(report.readings[1].former == "t / full / map");
}

TEST_CASE("dynamo: type, mode and suite are told by the rows, else by the file's name") {
    const std::string table = "dev,name,batch_size,abs_latency\ncpu,vgg,16,4\n";
    const auto name_in = [&](const std::string& file, const std::string& text) {
        return only_report(text, {.file_name = file}).readings[0].benchmark;
    };
    CHECK(
        name_in(
            "inductor_with_cudagraphs_timm_models_float16_inference_cpu_performance.csv", table) ==
        "vgg/cpu/inductor with cudagraphs timm float16 inference/batch 16");
    CHECK(name_in("results-2026-01-03.csv", table) == "vgg/cpu/batch 16");
    CHECK(name_in("night7_bf16_train.csv", table) == "vgg/cpu/bf16 train/batch 16");
    CHECK(
        name_in(
            "amp.csv",
            "dev,name,batch_size,tag,dtype,mode,abs_latency\ncpu,vgg,16,t1,int8,eval,4\n") ==
        "vgg/cpu/int8 eval t1/batch 16");
}

TEST_CASE("hyperfine: parameters that the command does not show are part of its name") {
    const auto report =
        only_report(R"({"results":[{"command":"sort","times":[1],"parameters":{"threads":"1"}},)"
                    R"({"command":"sort","times":[2],"parameters":{"threads":"4"}},)"
                    R"({"command":"sort -j8","times":[3],"parameters":{"threads":"8"}}]})");
    CHECK(
        values_of(report) == Lines{"sort [threads=1]|: 1", "sort [threads=4]|: 2", "sort -j8|: 3"});
}

TEST_CASE("Go: what was built by another toolchain is another benchmark") {
    const auto report = only_report(
        "toolchain: gc\nBenchmarkA 10 5 ns/op\nBenchmarkA 10 6 ns/op\n"
        "toolchain: tiny\nBenchmarkA 10 9 ns/op\n");
    CHECK(
        values_of(report) ==
        Lines{"BenchmarkA [toolchain=gc]|: 5 6", "BenchmarkA [toolchain=tiny]|: 9"});
    const auto mixed = only_report(
        "goarch: amd64\nBenchmarkA 10 5 ns/op\nBenchmarkB 10 5 ns/op\n"
        "goarch: arm64\nBenchmarkA 10 9 ns/op\n");
    CHECK(values_of(mixed) == Lines{"BenchmarkB|: 5"});
    CHECK(
        mixed.left_out ==
        Lines{"'BenchmarkA': 2 rows of this name, and nothing in the file tells them apart"});
}

TEST_CASE("A table: columns that tell rows apart are part of the name, others are told") {
    const auto report = only_report(
        "benchmark,value,device,threads,colour\na,1,cuda,4,red\na,2,cpu,4,red\na,3,cpu,4,"
        "blue\n");
    CHECK(
        values_of(report) ==
        Lines{"a [device=cuda, threads=4]|: 1", "a [device=cpu, threads=4]|: 2 3"});
    CHECK(report.left_out == Lines{"not read: column 'colour'"});
}

TEST_CASE("Rows that nothing tells apart are left out, and named") {
    const auto google = only_report(
        R"({"benchmarks":[{"name":"Fill","real_time":1,"family_index":0,"per_family_instance_index":0},)"
        R"({"name":"Fill","real_time":1.1,"family_index":0,"per_family_instance_index":0},)"
        R"({"name":"Pop","real_time":5,"family_index":1,"per_family_instance_index":0},)"
        R"({"name":"Pop","real_time":9,"family_index":2,"per_family_instance_index":0}]})");
    CHECK(values_of(google) == Lines{"Fill|: 1 1.1"});
    CHECK(google.left_out_count == 1);
    const auto pytest = only_report(
        R"({"machine_info":{},"benchmarks":[{"fullname":"t.py::a","stats":{"median":1}},)"
        R"({"fullname":"t.py::a","stats":{"median":2}},{"fullname":"t.py::b","stats":{"median":3}}]})");
    CHECK(values_of(pytest) == Lines{"t.py::b|: 3"});
    CHECK(
        pytest.left_out ==
        Lines{"'t.py::a': 2 rows of this name, and nothing in the file tells them apart"});
}

}  // namespace
}  // namespace vigil::harness::testing
