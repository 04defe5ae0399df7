#pragma once

#include "worker/bench/zoo/blocks/residual_net.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"
#include "worker/bench/zoo/choices.hpp"

// What the models share that find a set of objects by asking for them (Carion et al. 2020): the
// encoder of the picture, and the search for the pairs of what was found and what was wanted.

namespace vigil_bench::zoo {

/// Sines of row and column, each as a part of the whole times 2 pi: [rows*columns,width].
Tensor picture_positions(
    std::int64_t rows, std::int64_t columns, std::int64_t width, const Tensor& like);

/// Layers of width 256 with 8 heads.
LayerShape object_layer_shape();

struct EncodedPicture {
    Tensor memory;     ///< [b,n,256]
    Tensor positions;  ///< [n,256]
};

/// ResNet-50 with norms, stem and first stage fixed, and six layers of a transformer on its map.
class PictureEncoderImpl final : public nn::Module {
  public:
    PictureEncoderImpl();
    EncodedPicture forward(const Tensor& pictures);

  private:
    ResidualTrunk trunk_ = nullptr;
    nn::Conv2d project_ = nullptr;
    nn::ModuleList layers_;
};
TORCH_MODULE(PictureEncoder);

/// Pictures, classes and boxes of their objects: [b,3,480,640], [b,8], [b,8,4].
Tensors make_pictures_with_objects(std::int64_t batch, std::int64_t classes);

/// Boxes are centre and size, parts of the picture's sides.
///
/// 5 times the sum of absolute differences and 2 times the generalized intersection over union, for
/// each pair of found [b,q,4] and wanted [b,o,4] boxes: [b,q,o].
Tensor box_costs(const Tensor& found, const Tensor& wanted);

/// The same of pairs already made, [b,o,4] each: its mean over the objects.
Tensor box_loss(const Tensor& found, const Tensor& wanted);

/// For each object the query with which it is paired, at the smallest sum of costs in its picture.
/// @param costs  [b,q,o]
/// @return  [b,o] int64
Tensor best_pairs(const Tensor& costs, Choices& choices);

/// The paired rows of [b,q,n]: [b,o,n].
Tensor paired(const Tensor& found, const Tensor& pairs);

/// What each query should have called its object, [b,q]; `nothing` for one without an object.
Tensor wanted_classes(
    const Tensor& classes, const Tensor& pairs, std::int64_t queries, std::int64_t nothing);

/// Cross entropy over classes and, last, nothing, which counts a tenth.
/// @param scores  [b,q,classes + 1]
Tensor class_loss(const Tensor& scores, const Tensor& classes, const Tensor& pairs);

/// Costs of these classes [b,o] by the probabilities of such scores: [b,q,o].
Tensor class_costs(const Tensor& scores, const Tensor& classes);

/// What each score costs by itself where the answer is yes, and where it is no.
struct YesOrNo {
    Tensor yes;
    Tensor no;
};

/// Focal loss (Lin et al. 2017).
YesOrNo focal_terms(const Tensor& scores);

/// Cross entropy.
YesOrNo entropy_terms(const Tensor& scores);

/// By focal loss, each class by itself: what it costs to call the queries so, [b,q,o].
/// @param scores  [b,q,classes]   @param names  [b,o]
Tensor focal_costs(const Tensor& scores, const Tensor& names);

/// The same of pairs already made: sum over queries and classes, for each object.
Tensor focal_loss(const Tensor& scores, const Tensor& names, const Tensor& pairs);

}  // namespace vigil_bench::zoo
