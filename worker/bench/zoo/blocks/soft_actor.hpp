#pragma once

#include "worker/bench/zoo/network.hpp"

namespace vigil_bench::zoo {

struct ActorShape {
    std::int64_t observed = 0;  ///< values that a state has
    std::int64_t actions = 0;
    std::int64_t hidden = 256;  ///< width of the two hidden layers
};

/// Haarnoja et al. 2018, "Soft actor-critic algorithms and applications": an actor, two critics and
/// their targets.
std::shared_ptr<Network> make_soft_actor_critic(const ActorShape& shape);

}  // namespace vigil_bench::zoo
