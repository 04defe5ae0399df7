#include "worker/bench/zoo/blocks/speaker.hpp"

// Wan et al. 2017 with a last linear layer, trained by the softmax loss of its section 2.

namespace vigil_bench::zoo::speaker_encoder {

struct SpeakerEncoder final : SpeakerNetwork {
    Tensor forward(const Tensor& speech) override {
        const Tensor voice = last(trunk(speech)).relu();
        return voice / (voice.norm(2, {1}, true) + 1e-5);
    }

    /// Cross entropy of each utterance's similarity to every speaker's mean voice.
    Tensor loss(const Tensors& inputs) override {
        const Tensor voices = forward(inputs[0]);
        const Tensor members = speakers_of(voices);
        const Tensor means = members.t().mm(voices) / members.sum(0).unsqueeze(1);
        return torch::cross_entropy_loss(10 * voices.mm(means.t()) - 5, members.argmax(1));
    }

    SpeakerTrunk trunk = register_module("trunk", SpeakerTrunk());
    nn::Linear last = register_module("last", nn::Linear(speaker_width, speaker_width));
};

const Registered<SpeakerEncoder> registered(
    {"speaker_encoder",
     "speech",
     "LSTM speaker encoder, 50 frames",
     9'447'680,
     "Wan et al. 2017, section 3 (three LSTM layers of 768, projections of 256): from its sizes",
     8,
     8});

}  // namespace vigil_bench::zoo::speaker_encoder
