#include "shop.hpp"

namespace shop {

namespace {

double area(const Shape& shape) {
    return shape.kind == 0 ? shape.width * shape.height : shape.width * shape.height / 2;
}

}  // namespace

double total_area(const std::vector<Shape>& shapes) {
    double sum = 0;
    for (const auto& shape : shapes) sum += area(shape);
    return sum;
}

}  // namespace shop
