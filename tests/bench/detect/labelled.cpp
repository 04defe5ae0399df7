#include "tests/bench/detect/labelled.hpp"

#include <cmath>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"

namespace vigil::bench {

namespace {

using nlohmann::json;

std::vector<json> read_lines(const std::string& file) {
    std::ifstream in(file);
    std::vector<json> lines;
    std::string line;
    while (std::getline(in, line)) lines.push_back(wire::parse_json(line, file));
    return lines;
}

Labelled read_series(const json& series) {
    Labelled one;
    const bool lower = series.at("direction") == "lower_is_better";
    one.direction = lower ? Direction::lower_is_better : Direction::higher_is_better;
    one.start = series.at("start").get<std::size_t>();
    for (std::size_t i = 0; i < series.at("values").size(); ++i) {
        const json& value = series.at("values").at(i);
        one.values.push_back(value.is_null() ? std::nan("") : value.get<double>());
        one.moved.push_back(
            series.contains("env") && i > 0 &&
            series.at("env").at(i) != series.at("env").at(i - 1));
    }
    return one;
}

}  // namespace

std::vector<Labelled> read_labelled(const std::string& folder) {
    std::map<std::string, json> labels;
    for (auto& label : read_lines(folder + "/online.labels.jsonl")) {
        const auto id = label.at("id").get<std::string>();
        labels[id] = std::move(label);
    }
    std::vector<Labelled> all;
    for (const auto& series : read_lines(folder + "/online.jsonl")) {
        Labelled one = read_series(series);
        for (const auto& event : labels.at(series.at("id").get<std::string>()).at("events")) {
            const auto kind = event.at("kind").get<std::string>();
            if (kind != "regression" && kind != "drift" && kind != "sub" && kind != "reverted")
                continue;
            const bool required = kind == "regression" && event.at("expect") == "detect";
            one.steps.push_back({event.at("night").get<std::size_t>(), required});
        }
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace vigil::bench
