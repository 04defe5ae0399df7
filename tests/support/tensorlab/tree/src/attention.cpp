#include <tensorlab/check.hpp>
#include <tensorlab/operators.hpp>

namespace tensorlab {

namespace {

/// Products of rows of `left` with rows of `right`, one batch after the other, for any types.
template <typename Scalar, typename Accumulator>
struct RowProducts {
    static at::Tensor run(const at::Tensor& left, const at::Tensor& right) {
        const auto batches = left.size(0), rows = left.size(1), depth = left.size(2);
        const auto columns = right.size(1);
        at::Tensor result = left.new_empty({batches, rows, columns});
        const Scalar* a = left.data_ptr<Scalar>();
        const Scalar* b = right.data_ptr<Scalar>();
        Scalar* out = result.data_ptr<Scalar>();
        for (int64_t batch = 0; batch < batches; ++batch) {
            for (int64_t i = 0; i < rows; ++i) {
                const Scalar* row = a + (batch * rows + i) * depth;
                for (int64_t j = 0; j < columns; ++j) {
                    const Scalar* other = b + (batch * columns + j) * depth;
                    Accumulator sum = 0;
                    for (int64_t k = 0; k < depth; ++k) sum += row[k] * other[k];
                    *out++ = static_cast<Scalar>(sum);
                }
            }
        }
        return result;
    }
};

/// LibTorch has a fast product when both types are the same.
template <typename Scalar>
struct RowProducts<Scalar, Scalar> {
    static at::Tensor run(const at::Tensor& left, const at::Tensor& right) {
        return left.bmm(right.transpose(1, 2));
    }
};

/// What products of these are summed in.
using ScoreSum = float;

}  // namespace

at::Tensor scores(const at::Tensor& query, const at::Tensor& key) {
    TORCH_CHECK(query.dim() == 3 && key.dim() == 3, "scores: query and key have three dimensions");
    TORCH_CHECK(query.size(2) == key.size(2), "scores: query and key do not fit");
    if (wants_gradient(query, key)) return query.bmm(key.transpose(1, 2));
    check_plain(query, "scores: query");
    check_plain(key, "scores: key");
    return RowProducts<float, ScoreSum>::run(query, key);
}

}  // namespace tensorlab
