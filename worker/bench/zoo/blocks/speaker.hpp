#pragma once

#include "worker/bench/zoo/network.hpp"

// Wan et al. 2017, "Generalized end-to-end loss for speaker verification", section 3: three LSTM
// layers of 768, each projected to 256; the input is 40 log-mel energies a frame.

namespace vigil_bench::zoo {

constexpr std::int64_t speaker_width = 256;

class SpeakerTrunkImpl final : public nn::Module {
  public:
    SpeakerTrunkImpl();

    /// What is heard up to the last frame, [b,n,40] -> [b,256].
    Tensor forward(const Tensor& speech);

  private:
    std::vector<nn::LSTM> layers_;
    std::vector<nn::Linear> projections_;
};
TORCH_MODULE(SpeakerTrunk);

/// Utterances of 50 frames into voices, [b,50,40] -> [b,256].
class SpeakerNetwork : public Network {
  public:
    virtual Tensor forward(const Tensor& speech) = 0;

    /// Each row is one utterance; four in a row are of one speaker while training.
    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, 50, 40})};
    }
    Tensors answer(const Tensors& inputs) override { return {forward(inputs[0])}; }
};

/// Who speaks each row, [b,speakers] of 0 and 1. One speaker alone would be no choice, and have no
/// gradient: of few rows each speaker has fewer than four.
Tensor speakers_of(const Tensor& voices);

}  // namespace vigil_bench::zoo
