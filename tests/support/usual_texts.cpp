#include "tests/support/usual_texts.hpp"

#include <fmt/format.h>

namespace vigil::test {

namespace {

template <class Row>
std::string rows(
    std::size_t bytes,
    const std::string& begin,
    const std::string& between,
    const std::string& end,
    const Row& row) {
    std::string text = begin;
    for (std::size_t i = 0; text.size() < bytes; ++i) {
        if (i > 0) text += between;
        text += row(i);
    }
    return text + end;
}

double value_of(std::size_t i) {
    return 1234.5678901234 + static_cast<double>(i % 1000) / 7;
}

std::string usual_google(std::size_t bytes) {
    return rows(
        bytes,
        R"({"context":{"date":"2026-11-23T17:18:36+00:00","host_name":"m","num_cpus":2},)"
        "\n\"benchmarks\":[\n",
        ",\n",
        "]}",
        [](std::size_t i) {
            return fmt::format(
                "  {{\n    \"name\": \"BM_Sort<std::vector<int>>/{0}\",\n    \"family_index\": "
                "{0},\n"
                "    \"per_family_instance_index\": 0,\n"
                "    \"run_name\": \"BM_Sort<std::vector<int>>/{0}\",\n"
                "    \"run_type\": \"iteration\",\n    \"repetitions\": 1,\n"
                "    \"repetition_index\": 0,\n    \"threads\": 1,\n    \"iterations\": 6235,\n"
                "    \"real_time\": {1},\n    \"cpu_time\": {1},\n    \"time_unit\": \"ns\"\n  }}",
                i,
                value_of(i));
        });
}

std::string usual_pytest(std::size_t bytes) {
    return rows(bytes, R"({"machine_info":{"node":"m"},"benchmarks":[)", ",", "]}", [](std::size_t i) {
        std::string data;
        for (int k = 0; k < 50; ++k) data += fmt::format("{}{}", k > 0 ? ", " : "", value_of(i));
        return fmt::format(
            R"({{"fullname":"tests/test_sort.py::test_{}","stats":{{"median":1.5,"data":[{}]}}}})",
            i,
            data);
    });
}

std::string usual_hyperfine(std::size_t bytes) {
    return rows(bytes, R"({"results":[)", ",", "]}", [](std::size_t i) {
        std::string data;
        for (int k = 0; k < 10; ++k) data += fmt::format("{}{}", k > 0 ? ", " : "", value_of(i));
        return fmt::format(
            R"({{"command":"./sort {}","median":1.5,"user":0.5,"system":0.1,"times":[{}],)"
            R"("exit_codes":[0,0,0,0,0,0,0,0,0,0]}})",
            i,
            data);
    });
}

std::string usual_criterion(std::size_t bytes) {
    return rows(bytes, "", "", "", [](std::size_t i) {
        std::string counts, data;
        for (int k = 0; k < 100; ++k) {
            counts += fmt::format("{}{}", k > 0 ? "," : "", 30 * (k + 1));
            data += fmt::format("{}{}", k > 0 ? "," : "", value_of(i));
        }
        return fmt::format(
            R"({{"reason":"benchmark-complete","id":"sort/{}","iteration_count":[{}],)"
            R"("measured_values":[{}],"unit":"ns","typical":{{"estimate":4100.0,"unit":"ns"}}}})"
            "\n",
            i,
            counts,
            data);
    });
}

std::string usual_criterion_csv(std::size_t bytes) {
    return rows(
        bytes,
        "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,"
        "iteration_count\n",
        "",
        "",
        [](std::size_t i) {
            return fmt::format("Sort,quick,{},,,{},ns,{}\n", i / 100, value_of(i), i % 100 + 1);
        });
}

std::string usual_jmh(std::size_t bytes) {
    return rows(bytes, "[", ",\n", "]", [](std::size_t i) {
        return fmt::format(
            R"({{"jmhVersion":"1.37","benchmark":"org.example.Sorting.quick{0}","mode":"avgt",)"
            R"("threads":1,"forks":2,"jdkVersion":"17.0.8","params":{{"size":"{0}"}},)"
            R"("primaryMetric":{{"score":{1},"scoreError":0.1,"scoreUnit":"us/op",)"
            R"("rawData":[[{1},{1},{1},{1},{1}],[{1},{1},{1},{1},{1}]]}},"secondaryMetrics":{{}}}})",
            i,
            value_of(i));
    });
}

std::string usual_go(std::size_t bytes) {
    return rows(
        bytes,
        "goos: linux\ngoarch: amd64\npkg: example.org/sort\n",
        "",
        "PASS\n",
        [](std::size_t i) {
            return fmt::format(
                "BenchmarkSort/{}-8   \t  100000\t     {} ns/op\t     128 B/op\t       2 "
                "allocs/op\n",
                i / 10,
                value_of(i));
        });
}

std::string usual_catch2(std::size_t bytes) {
    return rows(
        bytes,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Catch name=\"c\">\n<TestCase "
        "name=\"sorting\">\n",
        "",
        "</TestCase></Catch>\n",
        [](std::size_t i) {
            return fmt::format(
                "<BenchmarkResults name=\"sort {}\" samples=\"100\" resamples=\"100000\" "
                "iterations=\"66\" clockResolution=\"30.7\" estimatedDuration=\"155100\">\n"
                "<mean value=\"{}\" lowerBound=\"1\" upperBound=\"2\" ci=\"0.95\"/>\n"
                "<standardDeviation value=\"1\" lowerBound=\"1\" upperBound=\"2\" ci=\"0.95\"/>\n"
                "<outliers variance=\"0.1\" lowMild=\"0\" lowSevere=\"0\" highMild=\"0\"/>\n"
                "</BenchmarkResults>\n",
                i,
                value_of(i));
        });
}

std::string usual_dot_net(std::size_t bytes) {
    return rows(bytes, R"({"Title":"B","Benchmarks":[)", ",", "]}", [](std::size_t i) {
        std::string data;
        for (int k = 0; k < 15; ++k) data += fmt::format("{}{}", k > 0 ? "," : "", value_of(i));
        return fmt::format(
            R"({{"Type":"T","FullName":"Shop.Parse.Small_{0}","Statistics":)"
            R"({{"OriginalValues":[{1}],"N":15,"Median":2,"Mean":2}},)"
            R"("Memory":{{"BytesAllocatedPerOperation":32}}}})",
            i,
            data);
    });
}

std::string usual_asv(std::size_t bytes) {
    return rows(
        bytes,
        R"({"commit_hash":"c","env_name":"py3.11","date":1696315841000,"params":{"machine":"m"},)"
        R"("result_columns":["result","params","version"],"results":{)",
        ",",
        "}}",
        [](std::size_t i) {
            return fmt::format(
                R"("suite.Sort{0}.time_sort":[[{1},{1},{1},{1}],[["10","100"],["'a'","'b'"]],)"
                R"("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"])",
                i,
                value_of(i));
        });
}

std::string usual_torchbench(std::size_t bytes) {
    return rows(
        bytes,
        R"({"name":"optim","environ":{"pytorch_git_version":"c"},"metrics":{)",
        ",\n",
        "}}",
        [](std::size_t i) {
            return fmt::format(R"(  "model_{}, Adam, cuda, foreach": {})", i, value_of(i));
        });
}

std::string usual_dynamo(std::size_t bytes) {
    return rows(
        bytes,
        "dev,name,batch_size,speedup,abs_latency,compilation_latency,compression_ratio,"
        "eager_peak_mem,dynamo_peak_mem,calls_captured\n",
        "",
        "",
        [](std::size_t i) {
            return fmt::format(
                "cpu,model_{0},2,2.014039,{1},38.538333,0.923878,250.866893,271.536947,545\n",
                i,
                value_of(i));
        });
}

std::string usual_bmf(std::size_t bytes) {
    return rows(bytes, "{", ",", "}", [](std::size_t i) {
        return fmt::format(
            R"("sort::quick::size_{0}":{{"latency":{{"value":{1},"lower_value":{1},"upper_value":{1}}}}})",
            i,
            value_of(i));
    });
}

std::string usual_github(std::size_t bytes) {
    return rows(bytes, "[", ",\n", "]", [](std::size_t i) {
        return fmt::format(
            R"({{"name":"sort/quick/{}","unit":"ns/iter","value":{},"range":"± 12"}})",
            i,
            value_of(i));
    });
}

std::string usual_csv(std::size_t bytes) {
    return rows(bytes, "benchmark,value,unit,time,commit,machine\n", "", "", [](std::size_t i) {
        return fmt::format(
            "sort/quick/{},{},ms,2026-{:02}-{:02},{:040x},m1\n",
            i % 1000,
            value_of(i),
            i / 28000 % 12 + 1,
            i / 1000 % 28 + 1,
            i / 1000);
    });
}

}  // namespace

std::vector<HostileText> usual_files() {
    return {
        {"google_benchmark", usual_google},
        {"pytest_benchmark", usual_pytest},
        {"hyperfine", usual_hyperfine},
        {"criterion", usual_criterion},
        {"criterion, csv", usual_criterion_csv},
        {"jmh", usual_jmh},
        {"go", usual_go},
        {"catch2", usual_catch2},
        {"benchmark_dot_net", usual_dot_net},
        {"asv", usual_asv},
        {"torchbench", usual_torchbench},
        {"dynamo", usual_dynamo},
        {"bmf", usual_bmf},
        {"github_action_benchmark", usual_github},
        {"csv", usual_csv}};
}

}  // namespace vigil::test
