#pragma once

#include "worker/bench/zoo/blocks/layers.hpp"

namespace vigil_bench::zoo {

/// A map's sides.
struct MapSize {
    std::int64_t rows;
    std::int64_t columns;
};

/// The middles of a map's places, across and down, as parts of its sides: [rows*columns,2].
Tensor middles_of(const MapSize& size, const Tensor& like);

/// Maps [b,c,h,w] at places [b,n,p,2], across and down as parts of the sides, by their neighbours;
/// zeros outside: [b,c,n,p].
Tensor values_at(const Tensor& maps, const Tensor& places);

/// Zhu et al. 2020, "Deformable DETR": each head reads a few points of each map around the query's
/// own place, and says itself where and how much.
class DeformableAttentionImpl final : public nn::Module {
  public:
    static constexpr std::int64_t heads = 8;
    static constexpr std::int64_t points = 4;  ///< of each map

    DeformableAttentionImpl(std::int64_t width, std::int64_t maps);

    /// @param query  [b,n,width]   @param places  of the queries, across and down: [n,2], 0 to 1
    /// @param memory  all places of the maps, one map after the other: [b,m,width]
    Tensor forward(
        const Tensor& query,
        const Tensor& places,
        const Tensor& memory,
        const std::vector<MapSize>& sizes);

  private:
    std::int64_t maps_;
    nn::Linear offsets_ = nullptr;
    nn::Linear weights_ = nullptr;
    nn::Linear value_ = nullptr;
    nn::Linear out_ = nullptr;
};
TORCH_MODULE(DeformableAttention);

}  // namespace vigil_bench::zoo
