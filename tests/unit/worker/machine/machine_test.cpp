#include "worker/machine/machine.hpp"

#include <catch2/catch.hpp>

using namespace vigil::worker;

TEST_CASE("What rocm-smi says is told in the words of nvidia-smi", "[worker][machine]") {
    const auto gpus = parse_rocm_values(R"json({
        "card1": {"Card Series": "AMD Instinct MI300X", "VBIOS version": "113-M3",
                  "Temperature (Sensor edge) (C)": "41.0", "Card Vendor": "AMD"},
        "card0": {"Card series": "AMD Instinct\nMI250", "GPU use (%)": 7},
        "system": {"Driver version": "6.7.0"}})json");
    REQUIRE(gpus.size() == 2);
    CHECK(gpus[0].at("name") == "AMD Instinct MI250");
    CHECK(gpus[0].at("driver_version") == "6.7.0");
    CHECK(gpus[1].at("name") == "AMD Instinct MI300X");
    CHECK(gpus[1].at("vbios_version") == "113-M3");
    CHECK(gpus[1].at("temperature.gpu") == "41.0");
    CHECK(gpus[1].at("maker") == "amd");
    for (const auto* odd :
         {"", "[]", "{", "WARNING: no GPU", "{\"card0\": 7}", "{\"card0\": [1, {}]}"}) {
        CAPTURE(odd);
        CHECK(parse_rocm_values(odd).empty());
    }
}
