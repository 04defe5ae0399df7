#pragma once

#include <string>

#include "service/tables/result.hpp"

namespace vigil::tables {

/// Sets what a variant's name says of the way: words apart by "-", "_", "+" or ".", in any order.
/// train, training, infer, inference, eval: mode; cpu, cuda: device; fp32, tf32, bf16, fp16, amp:
/// precision; b16, bs16, batch16: batch; t4, threads4: threads; g2, gpus2: GPUs. Whatever else
/// there is names the backend; when nothing does it is "eager".
void take_variant(const std::string& name, Result& result);

}  // namespace vigil::tables
