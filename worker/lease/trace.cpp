#include "worker/lease/trace.hpp"

#include "schema/wire/traceparent.hpp"

namespace vigil::worker {

std::string trace_of(const Lease& lease) {
    const auto found = lease.environment.find(wire::traceparent_variable);
    const bool is_one = found != lease.environment.end() && wire::is_traceparent(found->second);
    return is_one ? found->second : "";
}

}  // namespace vigil::worker
