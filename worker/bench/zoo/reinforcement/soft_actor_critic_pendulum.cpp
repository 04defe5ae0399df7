#include "worker/bench/zoo/blocks/soft_actor.hpp"

// The pendulum, with two hidden layers of 1024.

namespace vigil_bench::zoo::soft_actor_critic_pendulum {

std::shared_ptr<Network> make() {
    return make_soft_actor_critic({.observed = 3, .actions = 1, .hidden = 1024});
}

const Registered<Network> registered(
    {"soft_actor_critic_pendulum",
     "reinforcement",
     "Soft actor-critic on the pendulum, layers of 1024",
     5'278'726,
     "TorchBench's soft_actor_critic; actor 1,055,746, twice two critics of 1,055,745: from "
     "its sizes",
     256,
     256},
    &make);

}  // namespace vigil_bench::zoo::soft_actor_critic_pendulum
