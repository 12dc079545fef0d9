#pragma once
// A tree with surrogates as every tree is sent down: nodes of 16 bytes, and what its splits cannot place in a side table.
#include <array>

#include "../node.hpp"
#include "../route.hpp"

namespace tamis::cart {

/// The arrays of a tree that send rows down; see tamis.tree.tree.Tree.
struct TreeSplits {
    std::span<const int32_t> feature;    // (nodes): column of the split; -1 at a leaf, -2 for a sum of columns
    std::span<const double> threshold;   // (nodes): values up to it go left
    std::span<const int32_t> left;       // (nodes): the left child, which the right one follows; -1 at a leaf
    std::span<const uint8_t> side;       // (nodes): of rows that nothing places
    std::span<const double> coefficient;  // (levels): of a sum, whose columns are its levels
    SurrogateSplits surrogates;
};

class RoutedTree {
public:
    explicit RoutedTree(const TreeSplits& splits) : surrogates_(splits.surrogates), roots_{0, int64_t(splits.feature.size())} {
        for (size_t k = 0; k < splits.feature.size(); ++k) {
            if (splits.feature[k] == -2) sum_width_ = std::max(sum_width_, size_t(surrogates_.n_levels[k]));
        }
        nodes_.reserve(splits.feature.size());
        for (size_t k = 0; k < splits.feature.size(); ++k) {
            int32_t column = splits.feature[k];
            if (splits.left[k] < 0) column = 0;
            else if (column == -2) column = add_sum(k, splits.coefficient) | OBLIQUE;
            else if (surrogates_.n_levels[k] > 0) column |= CATEGORY;
            if (splits.side[k] == SurrogateSplits::LEFT) column |= LEFT_IF_MISSING;
            nodes_.push_back({splits.left[k], column, splits.threshold[k]});
        }
    }

    Forest forest() const { return {nodes_, roots_, {}, 1, {}, sum_column_, sum_factor_, sum_width_, &surrogates_}; }

private:
    /// The sum of node k, as wide as the widest; further terms are 0 times its first column.
    int32_t add_sum(size_t k, std::span<const double> coefficient) {
        for (size_t q = 0; q < sum_width_; ++q) {
            const bool is_term = q < size_t(surrogates_.n_levels[k]);
            const size_t at = size_t(surrogates_.first_level[k]) + (is_term ? q : 0);
            sum_column_.push_back(surrogates_.level[2 * at]);
            sum_factor_.push_back(is_term ? coefficient[at] : 0.0);
        }
        return int32_t(sum_column_.size() / sum_width_ - 1);
    }

    SurrogateSplits surrogates_;
    std::array<int64_t, 2> roots_;
    std::vector<Node> nodes_;
    std::vector<int64_t> sum_column_;
    std::vector<double> sum_factor_;
    size_t sum_width_ = 1;
};

}  // namespace tamis::cart
