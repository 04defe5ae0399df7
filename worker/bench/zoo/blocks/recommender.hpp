#pragma once

#include "worker/bench/zoo/network.hpp"

// Kuchaiev and Ginsburg 2017, "Training deep autoencoders for collaborative filtering",
// section 3.5: n,512,512,1024,512,512,n, with SELU and dropout of 0.8.

namespace vigil_bench::zoo {

/// @param films  n, that a viewer may have rated
std::shared_ptr<Network> make_recommender(std::int64_t films);

}  // namespace vigil_bench::zoo
