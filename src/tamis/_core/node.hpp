#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "level_set.hpp"

namespace tamis {

inline constexpr int32_t COLUMN = (1 << 28) - 1;       // the bits of Node::column that hold the column
inline constexpr int32_t CATEGORY = 1 << 28;           // the split asks for a set of levels; `threshold` is its place in `sets`
inline constexpr int32_t OBLIQUE = 1 << 29;            // the split asks for a sum of columns; `column` is its place among the sums
inline constexpr int32_t LEFT_IF_MISSING = 1 << 30;    // a row without a value goes left

/// A node of any tree, 16 bytes. At a split `left` is the left child (the right one follows it), counted from the tree's root,
/// and values up to `threshold` go left. At a leaf `left` is -1; one number is answered by `threshold` (and `column` holds the bits
/// of a training answer as float32); a class below n_classes by `column`; anything else is the row `column` (less n_classes, for
/// classes) of the leaf table.
struct Node {
    int32_t left;
    int32_t column;
    double threshold;

    bool is_leaf() const { return left < 0; }
};
static_assert(sizeof(Node) == 16);

/// Several trees, one behind the other, columns as in the table they grew on; what each refers to is counted from its own first.
struct Trees {
    std::vector<Node> nodes;
    std::vector<double> table;    // (leaves, width): answers of leaves that need more than one number
    std::vector<uint64_t> sets;   // levels that go left at categorical splits: see level_set.hpp
    size_t width = 1;             // classes or targets

    size_t n_leaves() const { return table.size() / width; }
};

}  // namespace tamis
