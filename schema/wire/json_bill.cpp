#include "schema/wire/json_bill.hpp"

#include <nlohmann/json.hpp>

#include "schema/text/read_budget.hpp"

namespace vigil::wire {

using nlohmann::json;

void JsonBill::text_read(std::size_t to) {
    constexpr std::size_t steps_a_byte = 4;
    if (budget_) budget_->step(steps_a_byte * (to - read_));
    read_ = to;
}

void JsonBill::value(const json& value) {
    if (!budget_) return;
    constexpr std::size_t of_heap = 16;
    std::size_t bytes = sizeof value;  // once more while it is taken apart
    if (value.is_object()) bytes += sizeof(json::object_t) + of_heap;
    if (value.is_array()) bytes += sizeof(json::array_t) + of_heap;
    if (const auto* text = value.get_ptr<const std::string*>()) {
        bytes += sizeof *text + of_heap + text::heap_bytes(*text);
    }
    budget_->make(bytes);
}

void JsonBill::member(const std::string& key) {
    if (!budget_) return;
    budget_->make(sizeof(json::object_t::value_type) + text::tree_bytes + text::heap_bytes(key));
}

void JsonBill::element(json& array) {
    if (budget_) text::make_room(array.get_ref<json::array_t&>(), *budget_);
}

}  // namespace vigil::wire
