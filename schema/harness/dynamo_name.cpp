#include "schema/harness/dynamo_name.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "schema/text/characters.hpp"

namespace vigil::harness {

namespace {

using Word = std::string_view;
using Words = std::vector<std::string>;
using WordPair = std::pair<Word, Word>;

constexpr std::array<WordPair, 3> dynamo_suites{
    {{"torchbench", "torchbench"}, {"huggingface", "huggingface"}, {"timm", "timm_models"}}};
constexpr std::array<WordPair, 12> dynamo_dtypes{
    {{"float32", "fp32"},
     {"float16", "fp16"},
     {"bfloat16", "bf16"},
     {"float64", "fp64"},
     {"fp32", "fp32"},
     {"fp16", "fp16"},
     {"bf16", "bf16"},
     {"amp", "amp"},
     {"int8", "int8"},
     {"quant", "quant"},
     {"notset", "notset"},
     {"undefined", "undefined"}}};
constexpr std::array<WordPair, 4> dynamo_modes{
    {{"training", "train"}, {"train", "train"}, {"inference", "infer"}, {"eval", "infer"}}};
constexpr std::array<Word, 6> dynamo_devices{"cpu", "cuda", "xpu", "mps", "hpu", "rocm"};
constexpr std::array<Word, 2> dynamo_targets{"performance", "accuracy"};
/// With which the name of a file without a suite may begin.
constexpr std::array<Word, 10> dynamo_backends{
    "inductor",
    "eager",
    "aot",
    "dynamo",
    "export",
    "cudagraphs",
    "onnxrt",
    "openxla",
    "tensorrt",
    "tvm"};

template <std::size_t count>
bool is_among(const std::array<Word, count>& words, Word word) {
    return std::ranges::find(words, word) != words.end();
}

template <std::size_t count>
const WordPair* find_pair(const std::array<WordPair, count>& words, Word word) {
    const auto found = std::ranges::find(words, word, &WordPair::first);
    return found == words.end() ? nullptr : &*found;
}

bool is_dtype_or_mode(Word word) {
    return find_pair(dynamo_dtypes, word) != nullptr || find_pair(dynamo_modes, word) != nullptr;
}

bool is_letters(Word word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

Words split(Word text, Word separators) {
    Words words(1);
    for (const char c : text) {
        if (separators.find(c) == separators.npos) {
            words.back() += c;
        } else {
            words.emplace_back();
        }
    }
    return words;
}

void add_word(std::string& text, Word word, Word between = " ") {
    if (!text.empty()) text += between;
    text += word;
}

/// Where backend and options end: behind the suite, or before what begins something else.
Words::const_iterator end_of_lead(const Words& words) {
    const auto suite = std::ranges::find_if(
        words, [](const auto& word) { return find_pair(dynamo_suites, word) != nullptr; });
    if (suite != words.end()) return suite + 1;
    if (!is_among(dynamo_backends, words.front())) return words.begin();
    return std::ranges::find_if(words, [](const auto& word) {
        return !is_letters(word) || is_dtype_or_mode(word) || is_among(dynamo_devices, word) ||
               is_among(dynamo_targets, word);
    });
}

/// What stands behind a device says which one: "x86" of "cpu_x86".
std::pair<Words::const_iterator, Words::const_iterator> kind_of_device(const Words& words) {
    const auto is_device = [](const auto& word) { return is_among(dynamo_devices, word); };
    const auto device = std::ranges::find_if(words, is_device);
    const auto target = std::find_if(
        device, words.end(), [](const auto& word) { return is_among(dynamo_targets, word); });
    if (device == words.end() || target == words.end()) return {words.end(), words.end()};
    return {device + 1, target};
}

/// "aot eager ..." is the backend "aot_eager"; what else leads is a setting.
void take_lead(const Words& lead, DynamoName& name) {
    std::size_t place = 0;
    const bool is_two = lead.size() > 1 && (lead[0] == "aot" || lead[0] == "dynamo");
    for (const std::size_t end = std::min<std::size_t>(lead.size(), is_two ? 2 : 1); place < end;
         ++place) {
        add_word(name.backend, lead[place], "_");
    }
    for (; place < lead.size(); ++place) add_word(name.setting, lead[place]);
}

void take_how(Word how, DynamoName& name) {
    Words lead;
    for (const auto& word : split(how, " ")) {
        if (const auto* suite = find_pair(dynamo_suites, word)) {
            name.suite = suite->second;
        } else if (const auto* dtype = find_pair(dynamo_dtypes, word)) {
            name.precision = dtype->second;
        } else if (const auto* mode = find_pair(dynamo_modes, word)) {
            name.mode = mode->second;
        } else if (!word.empty()) {
            lead.push_back(word);
        }
    }
    take_lead(lead, name);
}

/// "batch 16": 16.
std::optional<std::int64_t> batch_in(Word part) {
    constexpr Word mark = "batch ";
    if (!part.starts_with(mark)) return std::nullopt;
    part.remove_prefix(mark.size());
    std::int64_t batch = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), batch);
    if (error != std::errc() || end != part.data() + part.size() || batch < 0) return std::nullopt;
    return batch;
}

}  // namespace

std::string told_by_file(const std::string& file_name) {
    const auto words = split(text::lower_case(file_name.substr(0, file_name.rfind('.'))), "_-. ");
    const auto lead = end_of_lead(words);
    const auto [from, to] = kind_of_device(words);
    std::string told;
    for (auto word = words.begin(); word != words.end(); ++word) {
        const bool leads = word < lead && is_letters(*word);
        const bool is_kind = word >= from && word < to && !word->empty();
        if (leads || is_kind || is_dtype_or_mode(*word)) add_word(told, *word);
    }
    return told;
}

std::optional<DynamoName> find_dynamo_name(std::string_view benchmark) {
    auto parts = split(benchmark, "/");
    DynamoName name;
    const auto batch = batch_in(parts.back());
    if (batch) {
        name.batch = *batch;
        parts.pop_back();
    }
    std::string how;
    if (!parts.empty() && !is_among(dynamo_devices, parts.back())) {
        how = parts.back();
        parts.pop_back();
    }
    if (parts.size() < 2 || !is_among(dynamo_devices, parts.back())) return std::nullopt;
    name.device = parts.back();
    parts.pop_back();
    for (const auto& part : parts) add_word(name.model, part, "/");
    take_how(how, name);
    const bool is_reported = !name.suite.empty() || !name.precision.empty() || !name.mode.empty();
    if (name.model.empty() || (!batch && !is_reported)) return std::nullopt;
    return name;
}

}  // namespace vigil::harness
