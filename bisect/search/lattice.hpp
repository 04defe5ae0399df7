#pragma once

#include <cstddef>
#include <vector>

#include "bisect/search/evidence.hpp"

namespace vigil::search {

/// How well each level explains each measured place: levels on a lattice that is dense only where
/// some place has its runs. Noise is Student's t with 4 degrees of freedom, so that an outlier
/// weighs little; the jitter of a build is Gaussian.
/// @source  docs/search.md, sections 2 and 6
struct Lattice {
    double spacing = 0;
    std::vector<double> levels;
    std::vector<std::vector<double>> rows;  ///< [place][level], each row integrates to 1
    double log_evidence = 0;                ///< sum of the logs of the rows' former integrals
};

Lattice make_lattice(
    const SeriesEvidence& evidence, const std::vector<int>& places, double sigma, double jitter);

}  // namespace vigil::search
