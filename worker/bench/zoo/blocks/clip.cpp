#include "worker/bench/zoo/blocks/clip.hpp"

namespace vigil_bench::zoo {

namespace {

constexpr std::int64_t read_width = 512;

nn::ModuleList layers_of(std::int64_t width) {
    LayerShape shape(width, width / 64);
    shape.norm = NormPlace::before;
    shape.kind = Activation::quick_gelu;
    shape.dropout = 0;
    return list_of(12, [&](int) { return EncoderLayer(shape); });
}

Tensor through(const nn::ModuleList& layers, Tensor x, const Tensor& bias = {}) {
    for (const auto& layer : *layers) x = layer->as<EncoderLayer>()->forward(x, bias);
    return x;
}

}  // namespace

PictureReaderImpl::PictureReaderImpl(std::int64_t side) {
    const std::int64_t patches = (side / patch) * (side / patch);
    cut_ = register_module(
        "cut", nn::Conv2d(nn::Conv2dOptions(3, clip_seen_width, patch).stride(patch).bias(false)));
    whole_ = register_parameter("whole", torch::randn({clip_seen_width}) * 0.02);
    at_ = register_module("at", token_embedding(1 + patches, clip_seen_width));
    first_norm_ = register_module("first_norm", layer_norm(clip_seen_width));
    layers_ = register_module("layers", layers_of(clip_seen_width));
    norm_ = register_module("norm", layer_norm(clip_seen_width));
}

Tensor PictureReaderImpl::forward(const Tensor& pictures) {
    const Tensor cut_up = cut_(pictures).flatten(2).transpose(1, 2);
    const Tensor x = torch::cat({whole_.expand({cut_up.size(0), 1, -1}), cut_up}, 1);
    return norm_(through(layers_, first_norm_(x + at_->weight)));
}

TextReaderImpl::TextReaderImpl(std::int64_t tokens) {
    words_ = register_module("words", token_embedding(clip_vocabulary, read_width));
    at_ = register_module("at", token_embedding(tokens, read_width));
    layers_ = register_module("layers", layers_of(read_width));
    norm_ = register_module("norm", layer_norm(read_width));
    project_ = register_module("project", linear_without_bias(read_width, clip_width));
}

Tensor TextReaderImpl::forward(const Tensor& texts) {
    const auto tokens = texts.size(1);
    const Tensor x = words_(texts) + at_->weight;
    const Tensor done = through(layers_, x, causal_bias(tokens, words_->weight.detach()));
    return project_(norm_(done.select(1, tokens - 1)));
}

Tensor of_length_1(const Tensor& x) {
    return x / x.norm(2, {-1}, true);
}

}  // namespace vigil_bench::zoo
