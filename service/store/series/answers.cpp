#include "service/store/series/answers.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::service {

namespace {

constexpr const char* answer_column = "suspicion.answer";
constexpr std::size_t most_old_nights = 16;

}  // namespace

std::string to_text(const detect::Answer& answer) {
    const auto& evidence = answer.evidence;
    return nlohmann::json{
        {"verdict", to_string(answer.verdict)},
        {"asked", to_string(answer.asked)},
        {"is_creep", answer.is_creep},
        {"is_measured", answer.is_measured},
        {"old_nights", answer.old_nights},
        {"moved", answer.moved},
        {"old_moved", answer.old_moved},
        {"sum", answer.sum},
        {"above", answer.above},
        {"change", evidence.change},
        {"variance", evidence.variance},
        {"freedom", evidence.freedom},
        {"builds", evidence.builds}}
        .dump();
}

detect::Answer parse_answer(const std::string& text) {
    const auto json = wire::parse_json(text, answer_column);
    wire::ObjectReader reader(json, answer_column);
    detect::Answer answer;
    answer.verdict = parse_enum<Verdict>(reader.text("verdict"));
    answer.asked = parse_enum<detect::Asked>(reader.text("asked"));
    answer.is_creep = reader.flag("is_creep");
    answer.is_measured = reader.flag("is_measured");
    for (const auto& night : reader.items("old_nights", most_old_nights)) {
        answer.old_nights.push_back(wire::integer_of(night));
    }
    answer.moved = reader.number("moved");
    answer.old_moved = reader.number("old_moved");
    answer.sum = reader.number("sum");
    answer.above = reader.number("above", {0, 1});
    answer.evidence.change = reader.number("change");
    answer.evidence.variance = reader.number("variance", {0, 1e300});
    answer.evidence.freedom = reader.number("freedom", {0, 1e300});
    answer.evidence.builds = reader.small("builds", {0, 1000});
    return answer;
}

}  // namespace vigil::service
