#pragma once

#include "worker/bench/zoo/blocks/layers.hpp"

// Touvron et al. 2023, "LLaMA", with keys and values that several heads share (Ainslie et al. 2023,
// "GQA"): decoders as they answer today, first reading a prompt, then token by token.

namespace vigil_bench::zoo {

struct LlamaShape {
    std::int64_t vocabulary;
    std::int64_t width;
    std::int64_t heads;
    std::int64_t key_heads;  ///< of keys and values
    std::int64_t head_width;
    std::int64_t hidden;  ///< width of the feed-forward part
    int layer_count;
    double rotation_base;      ///< theta of the rotary positions (Su et al. 2021)
    std::int64_t experts = 0;  ///< of each layer, of which two answer a token; 0: no experts
    bool is_tied = true;       ///< whether the embedding is also the last matrix
};

/// prefill: a prompt is read, its last token scored, its keys and values kept. decode: one token
/// more, whose keys and values join those of the prompt in the cache.
enum class LlamaStage { prefill, decode };

/// Prefill is trained by the scores of all tokens of the prompt, decode not at all.
/// @param tokens  of the prompt
std::shared_ptr<Network> make_llama(const LlamaShape& shape, LlamaStage stage, std::int64_t tokens);

}  // namespace vigil_bench::zoo
