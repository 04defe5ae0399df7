#include "bisect/trend/first_night.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/trend/rules.hpp"

namespace vigil::trend {

std::vector<double> weigh_nights(const std::vector<NightlyId>& nights, const FirstNight& known) {
    // The middle of the plausible range, in nats, and as far outside of it.
    constexpr double within_by = plausible_nats / 2;
    constexpr double outside_by = plausible_nats + within_by;
    std::vector<double> weights;
    for (const auto night : nights) {
        const auto shows = std::lower_bound(known.measured.begin(), known.measured.end(), night);
        const bool seen = shows != known.measured.end();
        const bool within = seen && *shows >= known.earliest && *shows <= known.latest;
        const bool likeliest = seen && *shows == known.since;
        weights.push_back(std::exp(likeliest ? 0 : within ? -within_by : -outside_by));
    }
    return weights;
}

}  // namespace vigil::trend
