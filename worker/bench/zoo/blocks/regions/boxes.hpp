#pragma once

#include "worker/bench/zoo/network.hpp"

// Boxes of detectors, [n,4]: left, top, right, bottom, in points of the picture.

namespace vigil_bench::zoo {

/// Intersection over union of each with each, [n,4], [m,4] -> [n,m].
Tensor overlap(const Tensor& some, const Tensor& others);

/// Greedy non-maximum suppression: which are left, where each box takes away all worse ones that
/// overlap it by more than `most`.
/// @param boxes  [n,4], the best first
/// @return [n] bool
Tensor survivors(const Tensor& boxes, double most);

/// How much the numbers of a step from one box to another are worth (Girshick et al. 2014, C).
struct BoxCode {
    double centre = 1;
    double size = 1;
};

/// The boxes that lie so far from others, [n,4] by [n,4], within a square picture of this side.
Tensor move_boxes(const Tensor& from, const Tensor& steps, const BoxCode& code, std::int64_t side);

/// The steps from boxes to others.
Tensor steps_between(const Tensor& from, const Tensor& to, const BoxCode& code);

/// How sample points lie on the map: He et al. 2017 leave half a point out, which later ones mend.
enum class Aligned { as_published, by_half_a_point };

/// RoIAlign (He et al. 2017): the map within each box as a small picture, of 2 x 2 samples a point.
/// @param map    [1,c,h,w]
/// @param boxes  [n,4] within the picture
/// @param scale  points of the map by points of the picture
/// @return [n,c,size,size]
Tensor align_regions(
    const Tensor& map, const Tensor& boxes, double scale, std::int64_t size, Aligned aligned);

}  // namespace vigil_bench::zoo
