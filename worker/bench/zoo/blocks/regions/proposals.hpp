#pragma once

#include "worker/bench/zoo/choices.hpp"

// Ren et al. 2015, "Faster R-CNN": the network that proposes where objects may be, class by class
// or of none, from boxes that lie around each point of a map.

namespace vigil_bench::zoo {

/// The boxes around each point of one map.
struct AnchorLevel {
    std::int64_t stride = 16;   ///< points of the picture by points of the map
    std::vector<double> sizes;  ///< square roots of areas, in points of the picture
};

struct ProposalShape {
    std::int64_t side = 0;   ///< of the square picture
    std::int64_t depth = 0;  ///< channels of the maps
    std::vector<AnchorLevel> levels;
    std::int64_t kept = 0;  ///< boxes proposed in each picture
};

/// So many of the best that do not overlap; where they are too few, the best of the others follow.
/// A choice is as good as another whose score is within 1 % of the spread of all.
/// @param scores  [n]
/// @param groups  [n] int64: boxes of different groups do not take each other away
/// @return [kept] int64, places in scores
Tensor choose_apart(
    const Tensor& boxes,
    const Tensor& scores,
    const Tensor& groups,
    double most_overlap,
    std::int64_t kept,
    Choices& choices);

class ProposalsImpl final : public nn::Module {
  public:
    struct Seen {
        Tensor scores;  ///< [b,n]
        Tensor steps;   ///< [b,n,4] from the boxes around the points
    };

    explicit ProposalsImpl(const ProposalShape& shape);

    Seen forward(const Tensors& maps);

    /// Where objects of one picture may be, [kept,4], as constants.
    Tensor propose(const Seen& seen, std::int64_t picture, Choices& choices) const;

    /// Of one picture, with 256 boxes for which the picture's own order decides.
    /// @param objects  [m,4]
    /// @param order    [n] 0 to 1
    Tensor loss(
        const Seen& seen, std::int64_t picture, const Tensor& objects, const Tensor& order) const;

    std::int64_t count() const { return anchors_.size(0); }

  private:
    ProposalShape shape_;
    nn::Conv2d conv_ = nullptr;
    nn::Conv2d score_ = nullptr;
    nn::Conv2d step_ = nullptr;
    Tensor anchors_;  ///< [n,4]
    Tensor level_;    ///< [n] int64
};
TORCH_MODULE(Proposals);

}  // namespace vigil_bench::zoo
