#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/comparison.hpp"
#include "service/api/rows/asker.hpp"
#include "service/store/lists/suite.hpp"

// What the API answers, as parts of a view (render.hpp). Pure functions.

namespace vigil::service {

/// A time for the template time.html: ISO with its zone, and how long ago; null stays null.
/// @param time_s  UTC seconds, or null
nlohmann::json time_view(std::optional<std::int64_t> time_s, std::int64_t now_s);

/// A state for the template state.html: a sign and a word, so that no meaning is in a colour alone.
nlohmann::json state_view(std::string_view state);

/// How a thing stands: a state, a night, a project.
enum class Mood { good, busy, bad, quiet };
std::string_view mood_name(Mood mood);

/// "+12.3 %" of a ratio; empty for null.
std::string percent_words(std::optional<double> ratio);
/// "+6.6 % [5.1, 8.2]" of what has `change_ratio`, `low` and `high`; empty for what has no ratio.
std::string sized_words(const ListedChange& size);
std::string sized_words(const Comparison& size);
/// The change in percent, but "0 -> 2 allocs/op" where it comes from 0.
std::string moved_words(double ratio, double before, double after, const std::string& unit);
/// "12.35 ms" of a number; empty for null.
std::string quantity_words(std::optional<double> value, const std::string& unit);
/// The first ten digits of a revision; empty for null.
std::string short_revision(const std::string& revision);
/// A name of at most most_of_a_name characters; empty for null.
std::string name_words(const std::optional<std::string>& name);

/// The benchmark of a series, with its case and a counter's name where it has them.
std::string benchmark_words(const NamedSeries& series);

/// "tiny_mlp, train on cpu-small: CPU time" of what names a series.
std::string series_words(const NamedSeries& series);

/// Of a row whose benchmark has its case and quantity in it.
template <class Row>
NamedSeries names_of(const Row& row) {
    return {
        row.benchmark, {}, row.variant, row.machine_class, std::string(to_string(row.metric)), {}};
}

NamedSeries names_of(const SuiteSeriesRow& row);

}  // namespace vigil::service
