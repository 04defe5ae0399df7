// Which way series of benchmark files are better, and what a file of rules changes.

#include <fstream>
#include <functional>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/scratch_folder.hpp"
#include "tests/unit/service/cli/said.hpp"

using namespace vigil;
using Catch::Contains;
using nlohmann::json;

namespace {

class Nights {
  public:
    /// 24 nights of what `text` makes of a factor, which is 1.3 from night 19 on.
    explicit Nights(const std::function<std::string(int, double)>& text) {
        for (int i = 0; i < 24; ++i) {
            const double jitter = 1 + 0.004 * (i * 7 % 5 - 2);
            write(fmt::format("n{:02}", i), text(i, (i < 19 ? 1 : 1.3) * jitter));
            files_.push_back((folder_ / fmt::format("n{:02}", i)).string());
        }
    }

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }

    test::Said detect(std::vector<std::string> options = {}) const {
        std::vector<std::string> args{"detect"};
        args.insert(args.end(), files_.begin(), files_.end());
        args.insert(args.end(), options.begin(), options.end());
        return test::say(args);
    }

  private:
    test::ScratchFolder folder_;
    std::vector<std::string> files_;
};

Nights go_nights() {
    return Nights([](int, double factor) {
        return fmt::format(
            "goos: linux\npkg: example.org/k\nBenchmarkIndex-8 100 500000 ns/op {:.3f} ns/search "
            "{:.3f} compares/search\nPASS\n",
            40 * factor,
            12 * factor);
    });
}

Nights counter_nights() {
    return Nights([](int i, double factor) {
        return json{
            {"context",
             {{"date", fmt::format("2026-01-{:02}T02:00:00+00:00", i + 1)}, {"num_cpus", 4}}},
            {"benchmarks",
             {{{"name", "gemm/64"},
               {"real_time", 10},
               {"time_unit", "us"},
               {"FLOPS", 5e10 * factor},
               {"hit_rate", 0.7 * factor},
               {"FOM: rate", 1e6 * factor},
               {"Passed", 1}}}}}
            .dump();
    });
}

}  // namespace

TEST_CASE("More time for each search is worse", "[service][cli]") {
    const auto told = go_nights().detect();
    CHECK(told.code == 1);
    CHECK_THAT(told.out, Contains("ns/search") && Contains("compares/search"));
    CHECK_THAT(told.out, Contains("2 got worse") && !Contains("better"));
}

TEST_CASE("Known counters that grow are better, unknown ones are not judged", "[service][cli]") {
    const auto told = counter_nights().detect();
    CHECK(told.code == 0);
    CHECK_THAT(told.out, Contains("better") && !Contains("worse  "));
    CHECK_THAT(
        told.err,
        Contains("2 series not judged, as their better direction is unknown: gemm/64 FOM: rate, "
                 "gemm/64 Passed; give --direction, or --rules FILE with [{\"benchmark\": "
                 "\"gemm/64\", \"variant\": \"FOM: rate\", \"direction\": "
                 "\"higher_is_better\"}]"));
}

TEST_CASE("A file of rules says which way is better and what is judged", "[service][cli]") {
    const auto nights = counter_nights();
    const auto rules = nights.write("rules.json", R"([
        {"variant": "FLOPS", "judge": false},
        {"variant": "FOM*", "direction": "lower_is_better"}])");
    const auto told = nights.detect({"--rules", rules});
    CHECK(told.code == 1);
    CHECK_THAT(told.out, Contains("gemm/64 FOM: rate") && !Contains("FLOPS"));
    CHECK_THAT(told.err, Contains("1 series left out by rules"));
    CHECK_THAT(told.err, Contains("1 series not judged") && Contains("gemm/64 Passed"));
    const auto all = nights.detect({"--direction", "higher"});
    CHECK(all.code == 0);
    CHECK_THAT(all.err, !Contains("not judged"));
}

TEST_CASE("A series that is not judged cannot be explained, and says so", "[service][cli]") {
    const auto told = counter_nights().detect({"--series", "gemm/64 Passed"});
    CHECK(told.code == 5);
    CHECK_THAT(told.err, Contains("1 series not judged"));
}

TEST_CASE("A file of rules that cannot be read is refused with the place", "[service][cli]") {
    const auto nights = counter_nights();
    const auto refusal = [&](const std::string& text) {
        const auto told = nights.detect({"--rules", nights.write("bad.json", text)});
        CHECK(told.code == 4);
        return told.err;
    };
    CHECK_THAT(refusal("{}"), Contains("must be a list of rules"));
    CHECK_THAT(refusal(R"([{"series": "x"}])"), Contains("[0]") && Contains("series"));
    CHECK_THAT(refusal(R"([{"direction": "up"}])"), Contains("[0].direction"));
    CHECK_THAT(refusal("["), Contains("bad.json"));
}
