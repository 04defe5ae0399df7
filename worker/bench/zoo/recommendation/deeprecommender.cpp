#include "worker/bench/zoo/blocks/recommender.hpp"

namespace vigil_bench::zoo::deeprecommender {

std::shared_ptr<Network> make() {
    return make_recommender(17768);
}

const Registered<Network> registered(
    {"deeprecommender",
     "recommendation",
     "DeepRecommender on 17,768 films",
     19'788'136,
     "Kuchaiev and Ginsburg 2017, section 3.5, 17,768 films (Table 1): from its sizes",
     64,
     64},
    &make);

}  // namespace vigil_bench::zoo::deeprecommender
