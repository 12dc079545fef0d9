#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../monotone.hpp"
#include "../tie.hpp"

namespace tamis::cart {

enum class Kind : int { GINI, ENTROPY, GAIN_RATIO, CHI2, SQUARED_ERROR, POISSON, ABSOLUTE_ERROR };
enum class Missing : int { SURROGATE, CATEGORY, MAJORITY };
enum Side : uint8_t { LEFT, RIGHT, UNKNOWN };

inline bool is_class(Kind kind) { return kind <= Kind::CHI2; }

/// What is to be predicted: classes, or one or more numbers a row.
struct Target {
    Kind kind;
    size_t n_stats;                    // classes: their number; numbers: 1 + number of targets
    std::span<const int32_t> classes;  // (rows); empty for numbers
    std::span<const double> values;    // (rows, targets); empty for classes
    std::span<const double> weight;    // (rows) what the criterion counts: with altered priors where costs differ
    std::span<const double> cases;     // (rows) the user's weights, which surrogates and majorities count

    size_t n_targets() const { return n_stats - 1; }
};

/// When to stop, and how to treat missing values.
struct Limits {
    int64_t max_depth, min_split, min_leaf;
    double min_share;     // of the total weight, in each leaf
    double min_decrease;  // of the weighted impurity, in units of the total weight
    int64_t max_leaves;   // 0: no limit, grow depth first; else the split that improves most is made first
    Missing missing;
    size_t n_surrogates;
    std::span<const int8_t> monotone;  // (columns): see Bounds; empty where all are free
};

/// Which splits get surrogates: all, or only those that rows of the table may need. The tree of a fold is judged and forgotten, and of a
/// column of numbers without missing values nobody asks for a surrogate (20,000 × 20 complete numbers, 10 folds: 1.4 times faster).
enum class Surrogates { ALL, NEEDED };

/// The level of a category and the side it goes to.
struct LevelSide {
    int64_t level;
    Side side;
};

/// A split that sends most rows the way another one does.
struct Surrogate {
    int64_t column;
    int64_t cut, upper;  // codes around the cut of a number
    bool flip;           // values up to the cut go right
    double agreement, adjusted;
    std::vector<LevelSide> levels;  // of a category
};

/// A node while its tree grows. Children lie side by side: the right one follows the left one.
struct TreeNode {
    int32_t feature = -1;  // -1 at a leaf
    int32_t left = -1;     // -1 at a leaf
    int32_t parent, depth;
    size_t begin, end;  // its rows among those of the tree
    int64_t cut = -2, upper = -2;
    Side side = LEFT;   // of rows that nothing places
    std::vector<LevelSide> levels;
    std::vector<Surrogate> surrogates;
    Bounds bounds;
    double weight = 0.0, impurity = 0.0, improvement = 0.0, risk = 0.0;

    size_t n_rows() const { return end - begin; }
};

struct GrownTree {
    std::vector<TreeNode> nodes;
    std::vector<double> stats;   // (nodes, n_stats): weight of each class; or weight and answer of each target
    std::vector<uint32_t> rows;  // the tree's rows, those of a leaf side by side
    std::vector<double> share;   // (nodes) of two classes with bounds: the share of the second one that a node must answer; NaN: its own
    size_t n_stats = 0;
};

/// Targets and weights of rows, by row of the table or by place in a node.
struct RowValues {
    const int32_t* classes;
    const double* values;
    const double* weight;
};

/// The best cut of a column: its goodness or improvement, last code on the left (-2: none), next one.
struct Cut {
    double gain;
    int64_t cut = -2, upper = -2;
};

/// What both sides of a split need, and by how much a better split must be better.
struct CutLimits {
    int64_t min_leaf;
    double min_weight;
    double slack;
    const AllowedAnswers* answers = nullptr;  // of both sides, where these are bounded

    bool allows(double left, double right) const { return !answers || answers->allows(left, right); }
};

/// The rows of a column in a node: how many, their lowest and their highest code.
struct CodeSpan {
    int64_t n, low, high;

    size_t size() const { return size_t(high - low + 1); }
};

/// Weight of the rows that a split sends left and right.
struct SideWeights {
    double left, right;
};

/// Rows in the order of their codes, as 64-bit keys: code << 32 | place in the node.
struct SortedKeys {
    std::span<const int64_t> keys;

    size_t size() const { return keys.size(); }
    size_t row(size_t p) const { return uint32_t(keys[p]); }
    int64_t code(size_t p) const { return keys[p] >> 32; }
    bool ends_code(size_t p) const { return code(p) != code(p + 1); }  // whether the next row has another code
};

inline constexpr uint32_t ROW = 0x7FFFFFFF;  // the bits of a key of OrderedRows that hold the row; the other one is set for class 1

/// Rows in the order of their codes, as 32-bit keys: class 1 << 31 | row. Codes are read only where a cut is worth it.
template <class Code>
struct OrderedRows {
    std::span<const uint32_t> keys;
    const Code* codes;

    size_t size() const { return keys.size(); }
    size_t row(size_t p) const { return keys[p] & ROW; }
    int64_t code(size_t p) const { return int64_t(codes[row(p)]); }
    bool ends_code(size_t p) const { return codes[row(p)] != codes[row(p + 1)]; }
    /// Rows that have a value: they come first.
    size_t n_with_value(int64_t missing) const {
        const auto has_value = [&](uint32_t key) { return int64_t(codes[key & ROW]) < missing; };
        return size_t(std::partition_point(keys.begin(), keys.end(), has_value) - keys.begin());
    }
    OrderedRows head(size_t n) const { return {keys.first(n), codes}; }
};

}  // namespace tamis::cart
