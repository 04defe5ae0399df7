#include "bisect/stats/one_size.hpp"

#include <cmath>

#include "schema/model/metric.hpp"

namespace vigil::stats {

namespace {

constexpr double errors_to_a_side = 1.645;  // of a 90 % interval

// A change as logarithms.
struct LogChange {
    double log = 0;
    double error = 0;  // 0: exact
};

std::optional<LogChange> log_change(const Comparison& measured) {
    const auto is_log = [](double ratio) { return std::isfinite(ratio) && ratio > -1; };
    if (!is_log(measured.change_ratio) || !is_log(measured.low) || !is_log(measured.high)) {
        return std::nullopt;
    }
    const double wide = std::log1p(measured.high) - std::log1p(measured.low);
    return LogChange{std::log1p(measured.change_ratio), wide / (2 * errors_to_a_side)};
}

void set(Comparison& comparison, const LogChange& change) {
    const double side = errors_to_a_side * change.error;
    comparison.change_ratio = std::expm1(change.log);
    comparison.low = std::expm1(change.log - side);
    comparison.high = std::expm1(change.log + side);
}

double weighted(double a, double b, double weight_of_a) {
    if (!(a > 0) || !(b > 0)) return b;
    return std::exp(weight_of_a * std::log(a) + (1 - weight_of_a) * std::log(b));
}

bool is_one_change(const Comparison& confirmed, const Comparison& verified) {
    const auto a = log_change(confirmed);
    const auto b = log_change(verified);
    return a && b && std::abs(a->log - b->log) <= errors_to_a_side * std::hypot(a->error, b->error);
}

}  // namespace

Comparison pooled(const Comparison& a, const Comparison& b) {
    const auto first = log_change(a);
    const auto second = log_change(b);
    if (!second || !(second->error > 0) || !first) return b;
    if (!(first->error > 0)) return a;
    const double of_first = 1 / (first->error * first->error);
    const double of_second = 1 / (second->error * second->error);
    const double share = of_first / (of_first + of_second);
    Comparison both = b;
    both.before = weighted(a.before, b.before, share);
    both.after = weighted(a.after, b.after, share);
    both.runs_before += a.runs_before;
    both.runs_after += a.runs_after;
    set(both,
        {share * first->log + (1 - share) * second->log, 1 / std::sqrt(of_first + of_second)});
    return both;
}

Comparison one_size(
    const Comparison& confirmed, const std::optional<Comparison>& verified, bool shared) {
    if (!verified || verified->runs_after == 0) return confirmed;
    if (verified->of_sources && confirmed.runs_after > 0) return confirmed;
    const bool both = confirmed.runs_after > 0 && !shared && is_one_change(confirmed, *verified);
    return both ? pooled(confirmed, *verified) : *verified;
}

Comparison chained(const Comparison& first, const Comparison& then) {
    Comparison whole = then;
    whole.before = first.before;
    if (std::isinf(first.change_ratio) || std::isinf(then.change_ratio)) {  // only low is good
        whole.change_ratio = change_ratio(first.before, then.after, Direction::lower_is_better);
        whole.low = whole.high = whole.change_ratio;
        return whole;
    }
    whole.change_ratio = (1 + first.change_ratio) * (1 + then.change_ratio) - 1;
    whole.low = whole.high = whole.change_ratio;
    const auto a = log_change(first);
    const auto b = log_change(then);
    if (a && b) set(whole, {a->log + b->log, std::hypot(a->error, b->error)});
    return whole;
}

}  // namespace vigil::stats
