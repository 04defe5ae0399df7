#include "service/source/wheel_name.hpp"

#include <catch2/catch.hpp>

using namespace vigil::service;

namespace {

WheelName named(const std::string& tags) {
    return parse_wheel_name("x-1-" + tags + "-any.whl").value();
}

}  // namespace

TEST_CASE("A wheel's name says package, version and tags", "[service][source]") {
    const auto wheel = parse_wheel_name(
        "Torch_Vision-0.25.0.dev20251112+cpu-1-cp310.cp311-abi3-"
        "manylinux_2_17_x86_64.manylinux2014_x86_64.whl");
    REQUIRE(wheel);
    CHECK(wheel->package == "torch-vision");
    CHECK(wheel->version == "0.25.0.dev20251112+cpu");
    CHECK(wheel->python == "cp310.cp311");
    CHECK(wheel->abi == "abi3");
    CHECK(wheel->build == std::pair(std::int64_t{1}, std::string()));
    for (const auto* name :
         {"torch-2.whl",
          "torch-x-cp311-cp311-any.whl",
          "torch.tar.gz",
          ".whl",
          "torch-2-b1-cp311-cp311-any.whl"}) {
        CHECK_FALSE(parse_wheel_name(name));
    }
}

TEST_CASE("Every manylinux tag of the machine runs, others do not", "[service][source]") {
    for (const auto* tag :
         {"manylinux1_x86_64",
          "manylinux2010_x86_64",
          "manylinux2014_x86_64",
          "manylinux_2_28_x86_64",
          "manylinux_2_17_x86_64.manylinux2014_x86_64",
          "linux_x86_64",
          "any"}) {
        CAPTURE(tag);
        CHECK(runs_on(tag, "x86_64"));
    }
    for (const auto* tag :
         {"manylinux2014_aarch64", "macosx_11_0_x86_64", "win_amd64", "musllinux_1_1_x86_64", ""}) {
        CAPTURE(tag);
        CHECK_FALSE(runs_on(tag, "x86_64"));
    }
}

TEST_CASE("A wheel fits an interpreter by its Python and ABI tags", "[service][source]") {
    struct Case {
        const char* tags;
        const char* interpreter;
        std::optional<int> fit;
    };
    for (const auto& [tags, interpreter, fit] : std::vector<Case>{
             {"cp313-cp313", "cp313", 0},
             {"cp313-cp313t", "cp313t", 0},
             {"cp313-cp313t", "cp313", {}},
             {"cp313-cp313", "cp313t", {}},
             {"cp312-cp312", "cp313", {}},
             {"cp310.cp311-cp310.cp311", "cp311", 0},
             {"cp37-cp37m", "cp37", 0},
             {"pp310-pypy310_pp73", "pp310", 0},
             {"pp310-pypy310_pp73", "cp310", {}},
             {"cp39-abi3", "cp313", 1},
             {"cp314-abi3", "cp313", {}},
             {"cp39-abi3", "cp313t", {}},
             {"py3-none", "cp313", 2},
             {"py2.py3-none", "cp313t", 2},
             {"py312-none", "cp313", 2},
             {"py314-none", "cp313", {}},
             {"cp313-none", "cp313t", 2},
             {"cp312-none", "cp313", {}},
             {"py3-none", "py3", 2},
             {"cp313-cp313d", "cp313", {}},
             {"cp99999999999999999999-abi3", "cp313", {}},
             {"..-.", "cp313", {}}}) {
        CAPTURE(tags, interpreter);
        CHECK(fit_of(named(tags), interpreter) == fit);
    }
}

TEST_CASE("A wheel says whose ABI it needs", "[service][source]") {
    CHECK(interpreter_of(named("cp313-cp313")) == "cp313");
    CHECK(interpreter_of(named("cp313-cp313t")) == "cp313t");
    CHECK(interpreter_of(named("pp310-pypy310_pp73")) == "pp310");
    CHECK(interpreter_of(named("cp39-abi3")).empty());
    CHECK(interpreter_of(named("py3-none")).empty());
    CHECK(interpreter_of(WheelName{}).empty());
}
