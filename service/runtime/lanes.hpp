#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "service/runtime/lane.hpp"

namespace vigil::service {

/// Several lanes with a resource each, for work that any of them may do: a long piece holds up only
/// what was handed to the same lane. Call `run` from one thread only.
template <class Resource>
class Lanes {
  public:
    /// @param make   makes one resource; called once a lane, here
    /// @param count  how many lanes, at least one
    /// @param limit  how much work may wait on each
    template <class Make>
    Lanes(int count, const Make& make, int limit) {
        for (int i = 0; i < count; ++i) {
            lanes_.push_back(std::make_unique<Lane<Resource>>(make(), limit));
        }
    }

    /// As Lane::run, on the lane on which least waits.
    template <class Work>
    auto run(Work work) {
        const auto least =
            std::min_element(lanes_.begin(), lanes_.end(), [](const auto& one, const auto& other) {
                return one->waiting() < other->waiting();
            });
        return (*least)->run(std::move(work));
    }

    /// How much work was handed in and has not ended, on all of them.
    int waiting() const {
        return std::accumulate(lanes_.begin(), lanes_.end(), 0, [](int sum, const auto& lane) {
            return sum + lane->waiting();
        });
    }

  private:
    std::vector<std::unique_ptr<Lane<Resource>>> lanes_;
};

}  // namespace vigil::service
