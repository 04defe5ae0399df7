#include "worker/bench/zoo/blocks/sets/assignment.hpp"

#include <limits>
#include <stdexcept>

namespace vigil_bench::zoo {

namespace {

constexpr std::int64_t nobody = -1;

/// Adds one column after the other to the pairs, each by the cheapest chain of exchanges. Prices of
/// rows and columns keep every reduced cost (cost - both prices) at 0 or above, and at 0 in pairs.
class Pairing {
  public:
    explicit Pairing(const Tensor& costs)
        : costs_(costs),
          row_count_(costs.size(0)),
          row_prices_(static_cast<std::size_t>(row_count_), 0),
          column_prices_(static_cast<std::size_t>(costs.size(1)), 0),
          column_of_(static_cast<std::size_t>(row_count_), nobody) {}

    /// The reduced costs from the new column grow along a tree of rows until one is free.
    void add(std::int64_t column) {
        const auto rows = static_cast<std::size_t>(row_count_);
        std::vector<double> distance(rows, std::numeric_limits<double>::infinity());
        std::vector<std::int64_t> before(rows, nobody);  // the row through which it is reached
        std::vector<bool> done(rows, false);
        std::int64_t from = nobody;
        double reached = 0;
        for (std::int64_t at = column; at != nobody;) {
            std::int64_t nearest = nobody;
            for (std::int64_t row = 0; row < row_count_; ++row) {
                const auto r = static_cast<std::size_t>(row);
                if (done[r]) continue;
                const double through = reached + reduced_cost(row, at);
                if (through < distance[r]) {
                    distance[r] = through;
                    before[r] = from;
                }
                if (nearest == nobody || distance[r] < distance[static_cast<std::size_t>(nearest)])
                    nearest = row;
            }
            from = nearest;
            reached = distance[static_cast<std::size_t>(from)];
            done[static_cast<std::size_t>(from)] = true;
            at = column_of_[static_cast<std::size_t>(from)];
        }
        raise_prices(column, distance, done, reached);
        exchange(column, before, from);
    }

    Tensor rows() const {
        Tensor result = torch::empty({costs_.size(1)}, torch::kLong);
        for (std::int64_t row = 0; row < row_count_; ++row) {
            const auto column = column_of_[static_cast<std::size_t>(row)];
            if (column != nobody) result.data_ptr<std::int64_t>()[column] = row;
        }
        return result;
    }

  private:
    double reduced_cost(std::int64_t row, std::int64_t column) const {
        return costs_.data_ptr<double>()[row * costs_.size(1) + column] -
               row_prices_[static_cast<std::size_t>(row)] -
               column_prices_[static_cast<std::size_t>(column)];
    }

    void raise_prices(
        std::int64_t column,
        const std::vector<double>& distance,
        const std::vector<bool>& done,
        double reached) {
        column_prices_[static_cast<std::size_t>(column)] += reached;
        for (std::size_t r = 0; r < done.size(); ++r) {
            if (!done[r]) continue;
            row_prices_[r] -= reached - distance[r];
            if (column_of_[r] != nobody) {
                column_prices_[static_cast<std::size_t>(column_of_[r])] += reached - distance[r];
            }
        }
    }

    /// Along the chain each row takes the column of the row before it, the first the new one.
    void exchange(std::int64_t column, const std::vector<std::int64_t>& before, std::int64_t row) {
        while (row != nobody) {
            const auto earlier = before[static_cast<std::size_t>(row)];
            column_of_[static_cast<std::size_t>(row)] =
                earlier == nobody ? column : column_of_[static_cast<std::size_t>(earlier)];
            row = earlier;
        }
    }

    const Tensor costs_;
    const std::int64_t row_count_;
    std::vector<double> row_prices_;
    std::vector<double> column_prices_;
    std::vector<std::int64_t> column_of_;  ///< of each row
};

}  // namespace

Tensor cheapest_rows(const Tensor& costs) {
    if (costs.dim() != 2 || costs.size(1) > costs.size(0)) {
        throw std::invalid_argument("pairing: there are more columns than rows");
    }
    const Tensor here = costs.detach().to(torch::kCPU, torch::kDouble).contiguous();
    if (!here.isfinite().all().item<bool>()) {
        return torch::arange(costs.size(1), torch::kLong).to(costs.device());
    }
    Pairing pairing(here);
    for (std::int64_t column = 0; column < here.size(1); ++column) pairing.add(column);
    return pairing.rows().to(costs.device());
}

}  // namespace vigil_bench::zoo
