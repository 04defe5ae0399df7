#include "service/schedule/class_fingerprint.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

Fingerprint usual_machine() {
    Fingerprint usual;
    usual.cpu_model = "EPYC 7763";
    usual.cpus = 128;
    usual.memory_bytes = 512 * gib;
    usual.gpus = {"A100 40GB, 550.54", "A100 40GB, 550.54"};
    usual.labels = {{"rack", "a"}};
    usual.toolchain = "gcc";
    return usual;
}

std::string only_difference(const Fingerprint& shown) {
    const auto differences = list_differences(usual_machine(), shown);
    REQUIRE(differences.size() == 1);
    return differences[0];
}

}  // namespace

TEST_CASE("Machines differ in what moves numbers, and in nothing else", "[service][schedule]") {
    auto shown = usual_machine();
    CHECK(list_differences(usual_machine(), shown).empty());
    shown.labels = {{"rack", "b"}};
    shown.memory_bytes = 503 * gib;
    CHECK(list_differences(usual_machine(), shown).empty());
    shown = usual_machine();
    shown.cpu_model = "EPYC 9654";
    CHECK(only_difference(shown) == "CPU 'EPYC 9654' instead of 'EPYC 7763'");
    shown = usual_machine();
    shown.cpus = 64;
    CHECK(only_difference(shown) == "64 instead of 128 CPUs");
    shown = usual_machine();
    shown.memory_bytes = 256 * gib;
    CHECK(only_difference(shown) == "256.0 instead of 512.0 GiB of memory");
    shown = usual_machine();
    shown.gpus = {"A100 40GB, 560.28", "A100 40GB, 550.54"};
    CHECK_THAT(only_difference(shown), Contains("560.28"));
    shown.gpus.clear();
    CHECK(
        only_difference(shown) == "no GPU instead of GPU A100 40GB, 550.54 and A100 40GB, 550.54");
    shown = usual_machine();
    shown.toolchain = "clang";
    CHECK_THAT(only_difference(shown), Contains("compiler"));
    shown.cpus = 2;
    CHECK(list_differences(usual_machine(), shown).size() == 2);
}

TEST_CASE("A class is what most of its machines are", "[service][schedule]") {
    auto other = usual_machine();
    other.cpus = 64;
    const auto is_usual = [](const Fingerprint& one) { return one == usual_machine(); };
    CHECK(is_usual(most_usual({usual_machine()})));
    CHECK(is_usual(most_usual({usual_machine(), other})));  // who came first
    CHECK(is_usual(most_usual({other, usual_machine(), usual_machine()})));
    CHECK(most_usual({other, usual_machine()}) == other);
    CHECK(is_majority(other, {other}));
    CHECK_FALSE(is_majority(other, {usual_machine(), other}));
    CHECK(is_majority(other, {usual_machine(), other, other}));
    CHECK_FALSE(is_majority(other, {}));
}
