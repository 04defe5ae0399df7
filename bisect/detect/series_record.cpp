#include "bisect/detect/series_record.hpp"

#include "bisect/trend/state_bytes.hpp"

namespace vigil::detect {

namespace {

using trend::StateReader;
using trend::StateWriter;

constexpr std::uint64_t most_nights = 1 << 10;
constexpr std::uint64_t most_runs = 1 << 20;
constexpr std::uint64_t most_era = 0xffffffff;
constexpr std::uint64_t most_count = std::uint64_t{1} << 48;
constexpr std::uint64_t most_id = std::uint64_t{1} << 62;

// Ids may be below 0: the lowest bit is the sign.
void write_id(StateWriter& out, std::int64_t id) {
    const auto size = static_cast<std::uint64_t>(id < 0 ? -(id + 1) : id);
    out.count(size << 1 | (id < 0 ? 1U : 0U));
}

std::int64_t read_id(StateReader& in) {
    const std::uint64_t coded = in.count(most_id);
    const auto size = static_cast<std::int64_t>(coded >> 1);
    return (coded & 1) != 0 ? -size - 1 : size;
}

void write_ids(StateWriter& out, const std::vector<std::int64_t>& ids) {
    out.count(ids.size());
    std::int64_t before = 0;
    for (const auto id : ids) {
        write_id(out, id - before);
        before = id;
    }
}

std::vector<std::int64_t> read_ids(StateReader& in) {
    std::vector<std::int64_t> ids;
    const std::size_t count = in.size(most_nights);
    std::int64_t before = 0;
    for (std::size_t i = 0; i < count && in.is_good(); ++i) ids.push_back(before += read_id(in));
    return ids;
}

void write_evidence(StateWriter& out, const SessionEvidence& evidence) {
    out.number(evidence.change);
    out.number(evidence.variance);
    out.number(evidence.freedom);
    out.count(static_cast<std::uint64_t>(evidence.builds));
}

SessionEvidence read_evidence(StateReader& in) {
    SessionEvidence evidence;
    evidence.change = in.number();
    evidence.variance = in.number();
    evidence.freedom = in.number();
    evidence.builds = static_cast<int>(in.count(most_nights));
    return evidence;
}

// Where neither scatter nor level changed, as with exact memory, a night is a few bytes.
void write_night(StateWriter& out, const SeriesNight& night, const SeriesNight& before) {
    const bool alike = night.level == before.level && night.middle == before.middle &&
                       night.scatter == before.scatter;
    out.count((alike ? 1U : 0U) | (night.good ? 2U : 0U));
    out.count(night.era - before.era);
    if (alike) return;
    out.number(night.level);
    out.number(night.middle);
    out.count(static_cast<std::uint64_t>(night.scatter.runs));
    out.short_number(night.scatter.above);
    out.short_number(night.scatter.below);
}

SeriesNight read_night(StateReader& in, const SeriesNight& before) {
    SeriesNight night = before;
    const std::uint64_t flags = in.count(3);
    night.good = (flags & 2) != 0;
    night.era += static_cast<std::uint32_t>(in.count(most_era));
    if ((flags & 1) != 0) return night;
    night.level = in.number();
    night.middle = in.number();
    night.scatter.runs = static_cast<int>(in.count(most_runs));
    night.scatter.above = in.short_number();
    night.scatter.below = in.short_number();
    return night;
}

Asked read_asked(StateReader& in) {
    return static_cast<Asked>(in.count(static_cast<std::uint64_t>(Asked::either)));
}

void write(StateWriter& out, const Question& question) {
    out.count(static_cast<std::uint64_t>(question.asked));
    out.flag(question.is_creep);
    out.flag(question.in_halves);
    write_ids(out, question.old_nights);
    for (const double value :
         {question.run.spread,
          question.run.skew,
          question.night_spread,
          question.baseline,
          question.moved,
          question.expected,
          question.sum}) {
        out.number(value);
    }
}

Question read_question(StateReader& in) {
    Question question;
    question.asked = read_asked(in);
    question.is_creep = in.flag();
    question.in_halves = in.flag();
    question.old_nights = read_ids(in);
    in.check(!question.old_nights.empty());
    for (double* value :
         {&question.run.spread,
          &question.run.skew,
          &question.night_spread,
          &question.baseline,
          &question.moved,
          &question.expected,
          &question.sum}) {
        *value = in.number(from_zero);  // which a change may be
    }
    return question;
}

void write(StateWriter& out, const GoingOn& going_on) {
    out.count(static_cast<std::uint64_t>(going_on.asked));
    out.flag(going_on.is_creep);
    write_ids(out, going_on.old_nights);
    write_evidence(out, going_on.evidence);
    out.number(going_on.above);
    out.count(static_cast<std::uint64_t>(going_on.measured));
    out.count(static_cast<std::uint64_t>(going_on.waited));
    out.number(going_on.moved);
    out.number(going_on.sum);
}

GoingOn read_going_on(StateReader& in) {
    GoingOn going_on;
    going_on.asked = read_asked(in);
    going_on.is_creep = in.flag();
    going_on.old_nights = read_ids(in);
    going_on.evidence = read_evidence(in);
    going_on.above = in.number();
    going_on.measured = static_cast<int>(in.count(most_nights));
    going_on.waited = static_cast<int>(in.count(most_nights));
    going_on.moved = in.number();
    going_on.sum = in.number();
    in.check(!going_on.old_nights.empty());
    return going_on;
}

void write(StateWriter& out, const LastSession& last) {
    write_id(out, last.night);
    out.number(last.moved);
    out.number(last.change);
    write_evidence(out, last.evidence);
    out.flag(last.environment);
}

LastSession read_last(StateReader& in) {
    LastSession last;
    last.night = read_id(in);
    last.moved = in.number();
    last.change = in.number();
    last.evidence = read_evidence(in);
    last.environment = in.flag();
    return last;
}

void write(StateWriter& out, const Refused& refused) {
    write_id(out, refused.night);
    out.count(static_cast<std::uint64_t>(refused.times));
    out.number(refused.sum);
}

Refused read_refused(StateReader& in) {
    Refused refused;
    refused.night = read_id(in);
    refused.times = static_cast<int>(in.count(most_nights));
    refused.sum = in.number();
    return refused;
}

template <class T>
void write_optional(StateWriter& out, const std::optional<T>& value) {
    out.flag(value.has_value());
    if (value) write(out, *value);
}

template <class Read>
auto read_optional(StateReader& in, Read read) {
    return in.flag() ? std::optional(read(in)) : std::nullopt;
}

void write_nights(StateWriter& out, const SeriesRecord& record) {
    out.count(record.nights.size());
    SeriesNight before;
    for (const auto& night : record.nights) {
        write_night(out, night, before);
        before = night;
    }
}

// Their ids are the newest of all.
void read_nights(StateReader& in, SeriesRecord& record) {
    const std::size_t count = in.size(record.ids.size());
    SeriesNight before;
    for (std::size_t i = 0; i < count && in.is_good(); ++i) {
        before = read_night(in, before);
        before.id = record.ids[record.ids.size() - count + i];
        record.nights.push_back(before);
    }
}

}  // namespace

std::vector<std::byte> write_record(const SeriesRecord& record) {
    StateWriter out;
    out.reserve(8 * record.ids.size() + 24 * record.nights.size() + 256);
    out.count(record_version);
    trend::write_level_state(out, record.shape);
    write_ids(out, record.ids);
    write_nights(out, record);
    out.number(record.levels_by.spread);
    out.number(record.levels_by.skew);
    out.count(record.era);
    out.count(record.level_nights);
    write_id(out, record.level_begin);
    out.count(record.first.size());
    for (const double level : record.first) out.number(level);
    write_optional(out, record.last);
    write_optional(out, record.going_on);
    write_optional(out, record.creep_refused);
    write_optional(out, record.recovery_refused);
    write_optional(out, record.question);
    return out.take();
}

std::optional<SeriesRecord> read_record(std::span<const std::byte> bytes) {
    StateReader in(bytes);
    if (in.count(record_version) != record_version) return std::nullopt;
    auto shape = trend::read_level_state(in);
    if (!shape) return std::nullopt;
    SeriesRecord record(shape->scale.direction());
    record.shape = std::move(*shape);
    record.ids = read_ids(in);
    read_nights(in, record);
    record.levels_by.spread = in.number();
    record.levels_by.skew = in.number();
    record.era = static_cast<std::uint32_t>(in.count(most_era));
    record.level_nights = in.size(most_count);
    record.level_begin = read_id(in);
    const std::size_t first = in.size(most_nights);
    for (std::size_t i = 0; i < first && in.is_good(); ++i) record.first.push_back(in.number());
    record.last = read_optional(in, read_last);
    record.going_on = read_optional(in, read_going_on);
    record.creep_refused = read_optional(in, read_refused);
    record.recovery_refused = read_optional(in, read_refused);
    record.question = read_optional(in, read_question);
    const bool whole = in.check(record.ids.size() == record.shape.kept.size()) && in.is_at_end();
    return whole ? std::optional(std::move(record)) : std::nullopt;
}

}  // namespace vigil::detect
