#include "service/store/series/answers.hpp"

#include <nlohmann/json.hpp>

#include "service/store/json_column.hpp"
#include "service/store/json_columns.hpp"

namespace vigil::detect {

static void to_json(nlohmann::json& value, const Answer& answer) {
    value = {
        {"verdict", answer.verdict},
        {"asked", answer.asked},
        {"is_creep", answer.is_creep},
        {"is_measured", answer.is_measured},
        {"old_nights", answer.old_nights},
        {"moved", answer.moved},
        {"old_moved", answer.old_moved},
        {"sum", answer.sum},
        {"above", answer.above},
        {"change", answer.evidence.change},
        {"variance", answer.evidence.variance},
        {"freedom", answer.evidence.freedom},
        {"builds", answer.evidence.builds}};
}

static void from_json(const nlohmann::json& value, Answer& answer) {
    value.at("verdict").get_to(answer.verdict);
    value.at("asked").get_to(answer.asked);
    value.at("is_creep").get_to(answer.is_creep);
    value.at("is_measured").get_to(answer.is_measured);
    value.at("old_nights").get_to(answer.old_nights);
    value.at("moved").get_to(answer.moved);
    value.at("old_moved").get_to(answer.old_moved);
    value.at("sum").get_to(answer.sum);
    value.at("above").get_to(answer.above);
    value.at("change").get_to(answer.evidence.change);
    value.at("variance").get_to(answer.evidence.variance);
    value.at("freedom").get_to(answer.evidence.freedom);
    value.at("builds").get_to(answer.evidence.builds);
}

}  // namespace vigil::detect

namespace vigil::service {

template <>
constexpr const char* column_of<detect::Answer> = "suspicion.answer";
template struct JsonColumn<detect::Answer>;

namespace {

/// One of old_suspicion.
struct OldAnswer {
    std::int64_t night = 0;
    Verdict verdict = Verdict::noise;
    detect::Asked asked = detect::Asked::worse;
    std::vector<NightlyId> old_nights;
    bool is_creep = false;
    bool is_measured = false;
    double moved = 0;
    double old_moved = 0;
    double sum = 0;
    double above = 0;
    double change = 0;
    double variance = 0;
    double freedom = 0;
    int builds = 0;
};

detect::Answer answer_of(const OldAnswer& row) {
    detect::Answer answer{
        .verdict = row.verdict,
        .asked = row.asked,
        .is_creep = row.is_creep,
        .is_measured = row.is_measured,
        .old_nights = {},
        .moved = row.moved,
        .old_moved = row.old_moved,
        .sum = row.sum,
        .above = row.above,
        .evidence = {row.change, row.variance, row.freedom, row.builds}};
    for (const auto night : row.old_nights) answer.old_nights.push_back(night.value);
    return answer;
}

}  // namespace

std::string text_of(const detect::Answer& answer) {
    return JsonColumn<detect::Answer>::text(answer);
}

detect::Answer answer_of(const AnswerRow& row) {
    if (!row.text.empty()) return JsonColumn<detect::Answer>::parse(row.text);
    return {
        .verdict = row.verdict,
        .asked = row.asked,
        .is_creep = row.is_creep,
        .is_measured = row.is_measured,
        .old_nights = {row.old_night},
        .moved = row.moved};
}

std::map<std::int64_t, detect::Answer> load_answers(Database& db, SeriesId series) {
    std::map<std::int64_t, detect::Answer> answers;
    for (const auto& row : db.all<OldAnswer>(
             "SELECT nightly_id, verdict, asked, "
             "ifnull(old_nights, '[' || good_nightly_id || ']'), is_creep, "
             "is_measured, moved, old_moved, sum, above, change, variance, freedom, builds "
             "FROM old_suspicion WHERE series_id = ?1",
             series)) {
        answers.emplace(row.night, answer_of(row));
    }
    const auto rows = db.all<AnswerRow>(
        std::string("SELECT ") + answer_columns +
            " FROM suspicion u WHERE u.series_id = ?1 AND u.kind = 'level' "
            "AND u.verdict IS NOT NULL ORDER BY u.nightly_id",
        series);
    for (const auto& row : rows) answers.emplace(row.night, answer_of(row));
    return answers;
}

}  // namespace vigil::service
