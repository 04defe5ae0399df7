#include "shop.hpp"

namespace shop {

void Queue::push(std::uint32_t value) {
    values_.push_back(value);
}

std::uint32_t Queue::pop() {
    const auto value = values_.front();
    values_.pop_front();
    return value;
}

std::uint32_t drain(std::uint32_t count) {
    Queue queue;
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        queue.push(i);
        queue.push(i * 7);
        sum += queue.pop();
    }
    return sum;
}

}  // namespace shop
