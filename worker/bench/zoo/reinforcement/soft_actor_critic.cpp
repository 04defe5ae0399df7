#include "worker/bench/zoo/blocks/soft_actor.hpp"

// The sizes of MuJoCo's HalfCheetah, with two hidden layers of 256 (Appendix D).

namespace vigil_bench::zoo::soft_actor_critic {

std::shared_ptr<Network> make() {
    return make_soft_actor_critic({.observed = 17, .actions = 6});
}

const Registered<Network> registered(
    {"soft_actor_critic",
     "reinforcement",
     "Soft actor-critic, two critics and their targets",
     362'256,
     "Haarnoja et al. 2018, Appendix D, HalfCheetah; actor 73,484, twice two critics of 72,193: "
     "from its sizes",
     256,
     256},
    &make);

}  // namespace vigil_bench::zoo::soft_actor_critic
