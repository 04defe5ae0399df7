#include "service/local/reading/order.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
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
        case Measure::samples:
        case Measure::quantity: return Metric::reported_value;
    }
    return Metric::wall_time_ns;
}

int at_once_for(Measure measure) {
    return measure == Measure::cpu ? usual_at_once : 1;
}

bool reads_all(const Order& order) {
    return order.read_as && order.read_as->benchmark.empty();
}

Order reading_as(Order order, const ReadAs& read_as) {
    order.read_as = read_as;
    // A person may turn round what is printed.
    if (order.direction == Direction::lower_is_better) order.direction = read_as.direction;
    if (order.measure == Measure::cpu) order.at_once = 1;  // each run measures itself
    return order;
}

std::string unit_of(const Order& order) {
    return order.read_as ? order.read_as->unit
                         : std::string(vigil::unit_of(metric_of(order.measure)));
}

MetricKind kind_of(const Order& order) {
    return order.read_as ? order.read_as->kind : vigil::kind_of(metric_of(order.measure));
}

const std::string& bench_line(const Order& order) {
    return order.read_as ? order.read_as->bench : order.bench;
}

std::string measure_text(const Order& order) {
    if (order.read_as) {
        const auto& quantity = reads_all(order) ? order.quantity : order.read_as->quantity;
        if (reads_all(order)) {
            const bool cpu = order.measure == Measure::cpu;
            const auto what = quantity.empty() ? "time" : text::one_line(quantity, 80);
            return (cpu ? "CPU time" : what) + " of each case";
        }
        return fmt::format(
            "{} of {}",
            quantity.empty() ? "time" : text::one_line(quantity, 80),
            text::one_line(order.read_as->benchmark, 120));
    }
    switch (order.measure) {
        case Measure::time: return "wall time";
        case Measure::cpu: return "CPU time";
        case Measure::memory: return "peak memory";
        case Measure::samples: return "printed value";
        case Measure::quantity: return text::one_line(order.quantity, 80);
    }
    return "";
}

std::string reading_text(const Order& order) {
    return fmt::format(
        "measured: {}, as {} prints it; run: {}",
        measure_text(order),
        order.read_as->program,
        text::one_line(bench_line(order), 1000));
}

json to_json(const ReadAs& read_as) {
    return {
        {"program", read_as.program},
        {"benchmark", read_as.benchmark},
        {"quantity", read_as.quantity},
        {"unit", read_as.unit},
        {"kind", to_string(read_as.kind)},
        {"direction", to_string(read_as.direction)},
        {"bench", read_as.bench}};
}

ReadAs parse_read_as(wire::ObjectReader& reader) {
    ReadAs read_as;
    read_as.program = reader.text("program");
    read_as.benchmark = reader.text("benchmark");
    read_as.quantity = reader.text("quantity");
    read_as.unit = reader.text("unit");
    read_as.kind = reader.choice<MetricKind>("kind");
    read_as.direction = reader.choice<Direction>("direction");
    read_as.bench = reader.text("bench");
    return read_as;
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
    if (!order.select.empty()) value["select"] = order.select;
    if (!order.quantity.empty()) value["quantity"] = order.quantity;
    if (order.ignore_failure) value["ignore_failure"] = true;
    if (order.better) value["better"] = true;
    if (!order.rules_file.empty()) {
        value["rules_file"] = order.rules_file;
        value["rules"] = order.rules_digest;
    }
    return value;
}

json requested_json(const Order& order) {
    json value{
        {"metric", to_string(order.measure)},
        {"direction", to_string(order.direction)},
        {"threshold", order.threshold},
        {"unit", unit_of(order)},
        {"at_once", order.at_once}};
    if (order.read_as) value["read_as"] = to_json(*order.read_as);
    return value;
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
    order.select = reader.text_or("select", "");
    order.quantity = reader.text_or("quantity", "");
    order.ignore_failure = reader.flag_or("ignore_failure", false);
    order.better = reader.flag_or("better", false);
    order.rules_file = reader.text_or("rules_file", "");
    order.rules_digest = reader.text_or("rules", "");
    reader.done();
    return order;
}

std::string build_key(const Order& order, Trees trees) {
    json parts{order.repository, order.build, order.outputs};
    if (trees == Trees::with_submodules) parts.push_back("with submodules");
    return key_of(parts);
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
        order.measure == Measure::quantity ? text::shell_word(order.quantity)
                                           : std::string(to_string(order.measure)),
        100 * order.threshold);
    if (!order.select.empty()) text += " --case " + text::shell_word(order.select);
    // Of time the harness said so.
    const bool is_printed = order.measure == Measure::samples || order.measure == Measure::quantity;
    if (is_printed && order.direction == Direction::higher_is_better) text += " --higher-is-better";
    if (!order.rules_file.empty()) text += " --rules " + text::shell_word(order.rules_file);
    if (order.ignore_failure) text += " --ignore-failure";
    if (!order.outputs.empty()) {
        text += " --outputs " + text::shell_word(fmt::format("{}", fmt::join(order.outputs, ",")));
    }
    if (order.at_once != at_once_for(order.measure) && !order.read_as) {
        text += fmt::format(" --at-once {}", order.at_once);
    }
    return text;
}

}  // namespace vigil::local
