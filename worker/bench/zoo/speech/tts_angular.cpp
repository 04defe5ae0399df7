#include "worker/bench/zoo/blocks/speaker.hpp"

// The speaker encoder of Mozilla's TTS: the trunk of Wan et al. 2017 without a last layer, trained
// by the angular prototypical loss (Chung et al. 2020, "In defence of metric learning").

namespace vigil_bench::zoo::tts_angular {

struct TtsAngular final : SpeakerNetwork {
    Tensor forward(const Tensor& speech) override {
        const Tensor voice = trunk(speech);
        return voice / voice.norm(2, {1}, true).clamp_min(1e-12);
    }

    /// Cross entropy of the similarity of each speaker's first utterance to everybody's mean of the
    /// others.
    Tensor loss(const Tensors& inputs) override {
        const Tensor voices = forward(inputs[0]);
        const Tensor members = speakers_of(voices);
        const Tensor first = voices.index_select(0, members.argmax(0));
        const Tensor counts = members.sum(0).unsqueeze(1);
        const Tensor others = members.t().mm(voices) - first;
        const Tensor means = torch::where(counts > 1, others / (counts - 1).clamp_min(1), first);
        const Tensor similar = torch::cosine_similarity(first.unsqueeze(1), means.unsqueeze(0), 2);
        const auto numbers = torch::TensorOptions(torch::kLong).device(voices.device());
        return torch::cross_entropy_loss(10 * similar - 5, torch::arange(similar.size(0), numbers));
    }

    SpeakerTrunk trunk = register_module("trunk", SpeakerTrunk());
};

const Registered<TtsAngular> registered(
    {"tts_angular",
     "speech",
     "LSTM speaker encoder, angular loss, 50 frames",
     9'381'888,
     "Mozilla TTS, speaker encoder, as in TorchBench: from its sizes",
     8,
     8});

}  // namespace vigil_bench::zoo::tts_angular
