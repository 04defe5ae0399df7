#pragma once

#include <functional>
#include <utility>

#include "worker/bench/zoo/network.hpp"

namespace vigil_bench::zoo {

/// The choices of a forward pass that rounding can tip: which bucket, which pair. One that is
/// tipped changes the answer by more than rounding, though neither choice is wrong. So a pass in
/// float64 takes over the choices of the pass before it in another type, wherever they are as good
/// as its own, and its own elsewhere: a wrong choice still shows.
class Choices {
  public:
    /// Begins a pass over tensors of this type.
    void begin(torch::ScalarType type) {
        recalling_ = (type == torch::kDouble || handed_over_) && !kept_.empty();
        handed_over_ = false;
        next_ = 0;
        if (!recalling_) kept_.clear();
    }

    /// The next choice of this pass.
    /// @param fresh  what this pass chooses, int64
    /// @param good   for another choice of this shape, where it is as good: bool, to broadcast
    Tensor settle(const Tensor& fresh, const std::function<Tensor(const Tensor&)>& good) {
        if (!recalling_) {
            kept_.push_back(fresh);
            return fresh;
        }
        if (next_ == kept_.size()) return fresh;
        const Tensor kept = kept_[next_++];
        return kept.sizes() == fresh.sizes() ? torch::where(good(kept), kept, fresh) : fresh;
    }

    /// Those of the last pass, in order.
    const Tensors& kept() const { return kept_; }

    /// The next pass, of whatever type, takes over these of a pass that was made elsewhere.
    void hand_over(Tensors choices) {
        kept_ = std::move(choices);
        handed_over_ = true;
    }

  private:
    Tensors kept_;
    std::size_t next_ = 0;
    bool recalling_ = false;
    bool handed_over_ = false;
};

}  // namespace vigil_bench::zoo
