#include "worker/bench/zoo/blocks/recommender.hpp"

namespace vigil_bench::zoo::nvidia_deeprecommender {

std::shared_ptr<Network> make() {
    return make_recommender(197951);
}

const Registered<Network> registered(
    {"nvidia_deeprecommender",
     "recommendation",
     "DeepRecommender on 197,951 films",
     204'475'711,
     "TorchBench nvidia_deeprecommender, made-up ratings of 197,951 films: from its sizes",
     16,
     16},
    &make);

}  // namespace vigil_bench::zoo::nvidia_deeprecommender
