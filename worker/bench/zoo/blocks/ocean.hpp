#pragma once

#include "worker/bench/zoo/network.hpp"

// What the programs of an ocean model share: its grid, and parts of fields on it.

namespace vigil_bench::zoo {

/// Cells on the sphere with their east (u), north (v) and top (w) faces (Arakawa's C grid). All
/// fields are [...,x,y,z], z upwards; two rows of cells along each side are only neighbours.
struct OceanGrid {
    /// @param inputs  begins with what make_ocean_grid made
    explicit OceanGrid(const Tensors& inputs);

    static constexpr std::size_t input_count = 13;

    Tensor dxt, dxu;              ///< m at the equator, from face to face and from centre to centre
    Tensor dyt, dyu, cost, cosu;  ///< m; cosine of the latitude of centres and of north faces
    Tensor dzt, dzw, zt;          ///< m; zt: height of centres, negative
    Tensor t, u, v, w;            ///< 1 in water, 0 where a cell is land or beside the face
};

/// Degrees by degrees in the middle latitudes, layers from 300 m down to 10 m at the top, and a sea
/// floor at random.
Tensors make_ocean_grid(std::int64_t columns, std::int64_t rows, std::int64_t levels);

/// From `from`, up to before `to`, which counts from the end: 0 is the end.
struct CellRange {
    CellRange shifted(std::int64_t by) const { return {from + by, to + by}; }

    std::int64_t from;
    std::int64_t to;
};

/// Cells that have two neighbours on each side.
constexpr CellRange inner{2, -2};

/// [...,x,y,z] -> its part.
Tensor cut(
    const Tensor& field, const CellRange& x, const CellRange& y, const CellRange& z = {0, 0});

enum class Axis { x, y };

/// The cells, or the faces of cells, with these numbers along the axis; inner ones along the other.
Tensor cut_along(const Tensor& field, Axis axis, const CellRange& along);

/// Difference of each cell's neighbour along the axis and the cell, 0 at the end.
Tensor step_along(const Tensor& field, Axis axis);

}  // namespace vigil_bench::zoo
