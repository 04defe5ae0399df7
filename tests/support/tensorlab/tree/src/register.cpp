#include <tensorlab/operators.hpp>
#include <torch/library.h>

TORCH_LIBRARY(tensorlab, library) {
    library.def("linear(Tensor x, Tensor weight, Tensor bias) -> Tensor", &tensorlab::linear);
    library.def("bias_gelu(Tensor x, Tensor bias) -> Tensor", &tensorlab::bias_gelu);
    library.def(
        "layer_norm(Tensor x, Tensor weight, Tensor bias) -> Tensor", &tensorlab::layer_norm);
    library.def("scores(Tensor query, Tensor key) -> Tensor", &tensorlab::scores);
    library.def("conv2d(Tensor x, Tensor weight, Tensor bias) -> Tensor", &tensorlab::conv2d);
    library.def("max_pool(Tensor x) -> Tensor", &tensorlab::max_pool);
    library.def(
        "sgd_step(Tensor parameter, Tensor gradient, float rate) -> Tensor", &tensorlab::sgd_step);
}
