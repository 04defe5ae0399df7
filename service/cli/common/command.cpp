#include "service/cli/common/command.hpp"

#include <limits>

namespace vigil::cli {

std::string Invocation::get(const std::string& name, const std::string& fallback) const {
    const auto found = options.find(name);
    return found == options.end() ? fallback : found->second;
}

long long Invocation::number(const std::string& name, long long fallback) const {
    using Limits = std::numeric_limits<long long>;
    return has(name) ? parse_number(get(name), "--" + name, Limits::min(), Limits::max())
                     : fallback;
}

double Invocation::ratio(const std::string& name, double fallback) const {
    return has(name) ? parse_ratio(get(name), "--" + name) : fallback;
}

}  // namespace vigil::cli
