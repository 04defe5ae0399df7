#include "service/local/order.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/escape.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::local {

namespace {

using nlohmann::json;

constexpr std::size_t key_digits = 12;

std::string key_of(const json& value) {
    return wire::sha256(wire::write_json(value)).str().substr(0, key_digits);
}

}  // namespace

Metric metric_of(Measure measure) {
    switch (measure) {
        case Measure::time: return Metric::wall_time_ns;
        case Measure::cpu: return Metric::cpu_time_ns;
        case Measure::memory: return Metric::peak_process_bytes;
        case Measure::samples: return Metric::reported_value;
    }
    return Metric::wall_time_ns;
}

int at_once_for(Measure measure) {
    return measure == Measure::cpu ? usual_at_once : 1;
}

json to_json(const Order& order) {
    json value{
        {"repository", order.repository},
        {"good", order.good.str()},
        {"bad", order.bad.str()},
        {"build", order.build},
        {"bench", order.bench},
        {"metric", to_string(order.measure)},
        {"direction", to_string(order.direction)},
        {"threshold", order.threshold},
        {"outputs", order.outputs},
        {"path", order.path},
        {"timeout_s", order.timeout_s}};
    // Not told otherwise, so that logs of searches without it keep their names.
    if (order.at_once > 1) value["at_once"] = order.at_once;
    return value;
}

json asked_json(const Order& order) {
    return {
        {"metric", to_string(order.measure)},
        {"direction", to_string(order.direction)},
        {"threshold", order.threshold},
        {"at_once", order.at_once}};
}

Order parse_order(const json& value, const std::string& path) {
    wire::ObjectReader reader(value, path);
    Order order;
    order.repository = reader.text("repository");
    order.good = reader.revision("good");
    order.bad = reader.revision("bad");
    order.build = reader.text("build");
    order.bench = reader.text("bench");
    order.measure = reader.choice<Measure>("metric");
    order.direction = reader.choice<Direction>("direction");
    order.threshold = reader.number("threshold", {1e-6, 1e6});
    order.outputs = reader.texts_or_none("outputs");
    order.path = reader.text_or("path", "");
    order.timeout_s = reader.small("timeout_s", {1, 864'000});
    order.at_once = reader.small_or("at_once", 1, {1, most_at_once});
    reader.done();
    return order;
}

std::string build_key(const Order& order) {
    return key_of({order.repository, order.build, order.outputs});
}

std::string search_key(const Order& order) {
    return key_of(to_json(order));
}

std::string options_text(const Order& order, const std::string& good, const std::string& bad) {
    std::string text = fmt::format(
        "--repo {} --good {} --bad {} --build {} --bench {} --metric {} --threshold {:.6g}%",
        text::shell_word(order.repository),
        good,
        bad,
        text::shell_word(order.build),
        text::shell_word(order.bench),
        to_string(order.measure),
        100 * order.threshold);
    if (order.direction == Direction::higher_is_better) text += " --higher-is-better";
    if (!order.outputs.empty()) {
        text += " --outputs " + text::shell_word(fmt::format("{}", fmt::join(order.outputs, ",")));
    }
    if (order.at_once != at_once_for(order.measure)) {
        text += fmt::format(" --at-once {}", order.at_once);
    }
    return text;
}

}  // namespace vigil::local
