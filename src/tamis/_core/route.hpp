#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "binned_table.hpp"
#include "level_set.hpp"
#include "node.hpp"

namespace tamis {

/// Which side rows go to that a split cannot place, by the number of the node: a side table of trees with surrogates.
///
/// A categorical split lists the levels that it places, in order, each with its side (1: right); a level that is not listed, like a missing
/// value, is placed by the first surrogate that can.
struct SurrogateSplits {
    std::span<const int64_t> first_level;  // (nodes)
    std::span<const int32_t> n_levels;     // (nodes)
    std::span<const int64_t> level;        // (levels, 2): code and side
    std::span<const int64_t> first;        // (nodes)
    std::span<const int32_t> n;            // (nodes)
    std::span<const int64_t> split;        // (surrogates, 4): column, whether values up to the threshold go right, first level, levels
    std::span<const double> threshold;     // (surrogates)

    enum Side : int64_t { LEFT, RIGHT, UNKNOWN };

    /// Side of a level by bisection among n listed ones.
    Side side_of_level(int64_t begin, int64_t n_listed, int64_t code) const {
        int64_t low = begin, high = begin + n_listed;
        while (low < high) {
            const int64_t middle = (low + high) >> 1;
            if (level[size_t(2 * middle)] < code) low = middle + 1;
            else high = middle;
        }
        return low < begin + n_listed && level[size_t(2 * low)] == code ? Side(level[size_t(2 * low + 1)]) : UNKNOWN;
    }

    /// Side of a row whose category at a split is `value`.
    Side side_of_category(size_t node, double value) const {
        return side_of_level(first_level[node], n_levels[node], value != value ? -1 : int64_t(value));
    }

    /// Side of a row that the split of a node does not place.
    Side side_of(size_t node, const double* x) const {
        for (int64_t q = first[node]; q < first[node] + n[node]; ++q) {
            const int64_t* own = &split[size_t(4 * q)];
            const double value = x[own[0]];
            if (value != value) continue;
            if (own[3] == 0) return (value <= threshold[size_t(q)]) != (own[1] == 1) ? LEFT : RIGHT;
            const Side side = side_of_level(own[2], own[3], int64_t(value));
            if (side != UNKNOWN) return side;
        }
        return UNKNOWN;
    }
};

/// Every tree of a forest; columns as in the table whose rows are sent down.
struct Forest {
    std::span<const Node> nodes;          // tree after tree
    std::span<const int64_t> roots;       // (trees + 1): where each tree begins, and the number of nodes
    std::span<const double> table;        // (leaves, width): answers of leaves that need more than one number
    size_t width;
    std::span<const uint64_t> sets;       // levels that go left at categorical splits
    std::span<const int64_t> sum_column;  // (sums, sum_width): columns that oblique splits add up
    std::span<const double> sum_factor;   // (sums, sum_width)
    size_t sum_width;
    const SurrogateSplits* surrogates = nullptr;  // of a single tree, whose categorical splits list levels instead of `sets`

    size_t n_trees() const { return roots.size() - 1; }
};

/// A matrix of values, row by row; missing is NaN, a category its code.
struct Values {
    const double* data;
    size_t n_rows, n_columns;

    const double* row(size_t i) const { return data + i * n_columns; }
};

/// Whether a row of values goes right at a split that is oblique, or of a category, or whose value the row lacks. Inlined, it would take
/// the registers of the loops that seldom call it.
[[gnu::noinline]] inline bool goes_right_elsewhere(const double* x, const Node& node, const Forest& forest) {
    const size_t column = size_t(node.column & COLUMN);
    if (node.column & OBLIQUE) {
        double total = 0.0;
        for (size_t q = column * forest.sum_width; q < (column + 1) * forest.sum_width; ++q) {
            total += forest.sum_factor[q] * x[forest.sum_column[q]];
        }
        return total == total ? total > node.threshold : !(node.column & LEFT_IF_MISSING);
    }
    const double value = x[column];
    if (forest.surrogates) {
        const size_t k = size_t(&node - forest.nodes.data());
        auto side = SurrogateSplits::UNKNOWN;
        if (node.column & CATEGORY) side = forest.surrogates->side_of_category(k, value);
        if (side == SurrogateSplits::UNKNOWN) side = forest.surrogates->side_of(k, x);
        if (side != SurrogateSplits::UNKNOWN) return side == SurrogateSplits::RIGHT;
    } else if (value == value) {
        return !goes_left(forest.sets, node.threshold, int64_t(value));
    }
    return !(node.column & LEFT_IF_MISSING);
}

/// Whether a row of values goes right at a split.
inline bool goes_right(const double* x, const Node& node, const Forest& forest) {
    if (!(node.column & (CATEGORY | OBLIQUE))) {
        const double value = x[node.column & COLUMN];
        if (value == value) return value > node.threshold;
        if (!forest.surrogates) return !(node.column & LEFT_IF_MISSING);
    }
    return goes_right_elsewhere(x, node, forest);
}

/// reached(i, k): item i of n ends at node k, counted from the root. goes_right(i, node): of an item at a split.
///
/// Items go down side by side: their memory accesses overlap. A lane whose item reached its leaf takes the next one.
template <class GoesRight, class Reached>
void descend_side_by_side(const Node* root, size_t n, GoesRight goes_right, Reached reached) {
    constexpr size_t LANES = 8;
    std::array<const Node*, LANES> at;
    std::array<size_t, LANES> item;
    at.fill(root);
    size_t busy = std::min(LANES, n), after = busy;
    for (size_t b = 0; b < busy; ++b) item[b] = b;
    auto is_at_leaf = [&](size_t b) {
        const Node& node = *at[b];
        if (!node.is_leaf()) at[b] = root + node.left + goes_right(item[b], node);
        else reached(item[b], &node - root);
        return node.is_leaf();
    };
    while (after + LANES <= n) {  // every lane finds a next item: the loop is unrolled
#pragma GCC unroll 8
        for (size_t b = 0; b < LANES; ++b) {
            if (!is_at_leaf(b)) continue;
            at[b] = root;
            item[b] = after++;
        }
    }
    while (busy > 0) {
        for (size_t b = 0; b < busy; ++b) {
            if (!is_at_leaf(b)) continue;
            if (after < n) {
                at[b] = root;
                item[b] = after++;
            } else {
                --busy;
                at[b] = at[busy];
                item[b] = item[busy];
                break;
            }
        }
    }
}

/// leaf[i]: the node (counted from the first tree's root) that row begin + i reaches in tree t.
inline void find_leaves(const Values& X, size_t begin, size_t end, const Forest& forest, size_t t, int64_t* leaf) {
    const int64_t root = forest.roots[t];
    descend_side_by_side(forest.nodes.data() + root, end - begin,
                         [&](size_t i, const Node& node) { return goes_right(X.row(begin + i), node, forest); },
                         [&](size_t i, int64_t k) { leaf[i] = root + k; });
}

/// Many rows down one tree without oblique splits: side by side, without a branch that depends on a row.
///
/// The tree is copied, which reads it in a row into the processor's cache; leaves are their own left children. No value is above a
/// leaf's threshold, and a missing one goes left there, so a row that reached a leaf stays. The bits of a set of levels stand in
/// place of the threshold.
class CopiedTree {
public:
    static constexpr size_t MAX_ROWS = 256;  // that all go some steps down before the first goes on: they stay in the cache

    /// What must be known of the rows: whether none lacks a value, and the largest value of each column.
    struct Extent {
        bool is_complete;
        std::vector<double> top;
    };

    static Extent extent_of(const Values& X, size_t begin, size_t end) {
        Extent extent{true, std::vector<double>(X.n_columns, 0.0)};
        for (size_t i = begin; i < end; ++i) {
            const double* x = X.row(i);
            for (size_t j = 0; j < X.n_columns; ++j) {
                extent.is_complete &= x[j] == x[j];
                extent.top[j] = x[j] > extent.top[j] ? x[j] : extent.top[j];
            }
        }
        return extent;
    }

    /// Copy tree t; false when it is too large for so few rows, has oblique splits or lists of levels, or a row has a level above 63
    /// where it asks for one.
    bool copy(const Forest& forest, size_t t, size_t n_rows, const Extent& extent) {
        const size_t n_columns = extent.top.size();
        const std::span nodes = forest.nodes.subspan(size_t(forest.roots[t]), size_t(forest.roots[t + 1] - forest.roots[t]));
        if (nodes.size() > NODES_PER_ROW * n_rows) return false;
        nodes_.resize(std::max(nodes_.size(), nodes.size()));
        n_nodes_ = nodes.size();
        root_ = forest.roots[t];
        holds_columns_ = true;
        mode_ = extent.is_complete ? PLAIN : WITH_MISSING;
        for (size_t k = 0; k < nodes.size(); ++k) {  // no branch depends on what is a leaf: half of the nodes are
            const Node& node = nodes[k];
            const bool is_leaf = node.left < 0;
            double threshold = is_leaf ? std::numeric_limits<double>::infinity() : node.threshold;
            if (!is_leaf & ((node.column & (CATEGORY | OBLIQUE)) != 0)) {
                if ((node.column & OBLIQUE) || threshold < 0.0 || extent.top[size_t(node.column & COLUMN)] > 63.0) return false;
                mode_ = WITH_LEVELS;
                threshold = std::bit_cast<double>(forest.sets[size_t(threshold)]);
            }
            const bool is_outside = is_leaf & ((node.column < 0) | (node.column >= int32_t(n_columns)));
            holds_columns_ &= !is_outside;
            nodes_[k].left = is_leaf ? int32_t(k) : node.left;
            nodes_[k].column = (is_outside ? 0 : node.column) | (is_leaf ? LEFT_IF_MISSING : 0);
            nodes_[k].threshold = threshold;
        }
        return true;
    }

    /// leaf[i]: as `find_leaves` for m rows from `first` on, at most MAX_ROWS.
    void find_leaves(const Values& X, size_t first, size_t m, int64_t* leaf) {
        std::fill_n(at_.begin(), m, 0);
        std::iota(row_.begin(), row_.begin() + ptrdiff_t(m), 0);
        for (size_t steps = size_t(std::bit_width(n_nodes_)); m > 0; steps = FURTHER) {  // few rows reach a leaf before
            descend(X, first, m, steps);
            m = drop_arrived(m, leaf);
        }
    }

    /// Whether `column` of every leaf is in the copy (rows at a leaf read that column, so it must be one of the table's).
    bool holds_columns() const { return holds_columns_; }
    int32_t column(int64_t leaf) const { return nodes_[size_t(leaf - root_)].column & COLUMN; }

private:
    static constexpr size_t LANES = 8;           // rows that go down side by side: their memory accesses overlap
    static constexpr size_t NODES_PER_ROW = 32;  // a tree of at most so many nodes for each row is worth a copy
    static constexpr size_t FURTHER = 3;         // steps after which rows that reached a leaf are removed from the batch
    enum Mode { PLAIN, WITH_MISSING, WITH_LEVELS };

    /// leaf[row]: the node of each of the m rows; those at a leaf are removed from the batch; returns how many stay.
    size_t drop_arrived(size_t m, int64_t* leaf) {
        size_t n = 0;
        for (size_t i = 0; i < m; ++i) {
            const uint32_t node = at_[i], row = row_[i];
            leaf[row] = root_ + node;
            at_[n] = node;
            row_[n] = row;
            n += uint32_t(nodes_[node].left) != node;
        }
        return n;
    }

    void descend(const Values& X, size_t first, size_t m, size_t steps) {
        for (; m % LANES; ++m) {  // lanes that would be empty repeat the first row
            at_[m] = at_[0];
            row_[m] = row_[0];
        }
        for (size_t i = 0; i < m; i += LANES) {
            if (mode_ == PLAIN) descend_lanes<PLAIN>(X, first, i, steps);
            else if (mode_ == WITH_MISSING) descend_lanes<WITH_MISSING>(X, first, i, steps);
            else descend_lanes<WITH_LEVELS>(X, first, i, steps);
        }
    }

    template <Mode mode>
    void descend_lanes(const Values& X, size_t first, size_t i, size_t steps) {
        std::array<const double*, LANES> x;
        std::array<uint32_t, LANES> at;
        for (size_t q = 0; q < LANES; ++q) {
            x[q] = X.row(first + row_[i + q]);
            at[q] = at_[i + q];
        }
        const Node* nodes = nodes_.data();
        for (size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 8
            for (size_t q = 0; q < LANES; ++q) at[q] = child<mode>(x[q], nodes[at[q]]);
        }
        for (size_t q = 0; q < LANES; ++q) at_[i + q] = at[q];
    }

    /// The child to which a row goes from a node; a leaf is its own. Written as sums of bits: of an `if` the compiler would make a
    /// branch.
    template <Mode mode>
    static uint32_t child(const double* x, const Node& node) {
        const uint32_t column = uint32_t(node.column);
        const double value = x[column & uint32_t(COLUMN)];
        uint32_t right = value > node.threshold;
        if constexpr (mode == WITH_LEVELS) {
            // anything where the value is no level: masked away below
            const double level_value = value >= 0.0 && value < 64.0 ? value : 0.0;
            const uint64_t level = uint64_t(level_value);
            const uint32_t outside = uint32_t(~(std::bit_cast<uint64_t>(node.threshold) >> level) & 1);
            right ^= (right ^ outside) & uint32_t((column & uint32_t(CATEGORY)) != 0);
        }
        if constexpr (mode != PLAIN) {
            const uint32_t away = (column & uint32_t(LEFT_IF_MISSING)) == 0;
            right ^= (right ^ away) & uint32_t(value != value);
        }
        return uint32_t(node.left) + right;
    }

    std::vector<Node> nodes_;
    size_t n_nodes_ = 0;
    int64_t root_ = 0;
    Mode mode_ = PLAIN;
    bool holds_columns_ = false;
    std::array<uint32_t, MAX_ROWS + LANES> at_, row_;
};

/// out += what a leaf answers: class shares, or numbers. column, threshold: those of the leaf.
inline void add_leaf(int32_t column, double threshold, const double* table, size_t n_classes, std::span<double> out) {
    if (n_classes) {
        if (column < int32_t(n_classes)) {
            out[size_t(column)] += 1.0;
            return;
        }
        table += (size_t(column) - n_classes) * n_classes;
        for (size_t c = 0; c < n_classes; ++c) out[c] += table[c];
    } else if (out.size() == 1) {
        out[0] += threshold;
    } else {
        for (size_t t = 0; t < out.size(); ++t) out[t] += table[size_t(column) * out.size() + t];
    }
}

/// Calls answer(row, tree, leaf, copy or nullptr) for rows begin … end - 1 in every tree, tree after tree.
template <class Answer>
void visit_leaves(const Values& X, size_t begin, size_t end, const Forest& forest, Answer answer) {
    constexpr size_t MIN_COPIED = 256;  // rows from which on trees are copied
    CopiedTree copy;
    const bool may_copy = end - begin >= MIN_COPIED;
    const CopiedTree::Extent extent = CopiedTree::extent_of(X, begin, may_copy ? end : begin);
    std::array<int64_t, CopiedTree::MAX_ROWS> leaf;
    for (size_t t = 0; t < forest.n_trees(); ++t) {
        const bool is_copied = may_copy && copy.copy(forest, t, end - begin, extent);
        for (size_t first = begin; first < end; first += CopiedTree::MAX_ROWS) {
            const size_t m = std::min(CopiedTree::MAX_ROWS, end - first);
            if (is_copied) copy.find_leaves(X, first, m, leaf.data());
            else find_leaves(X, first, first + m, forest, t, leaf.data());
            answer(first, m, t, leaf.data(), is_copied ? &copy : nullptr);
        }
    }
}

/// out[i] += the answers of all trees for rows begin … end - 1; out: (rows, n_outputs).
inline void add_answers(const Values& X, size_t begin, size_t end, const Forest& forest, size_t n_classes, size_t n_outputs,
                        double* out) {
    visit_leaves(X, begin, end, forest, [&](size_t first, size_t m, size_t, const int64_t* leaf, const CopiedTree* copy) {
        // the copy is in the cache, the tree itself is not
        const bool in_copy = copy && n_classes && copy->holds_columns();
        for (size_t i = 0; i < m; ++i) {
            const std::span sums(out + (first + i) * n_outputs, n_outputs);
            if (in_copy) {
                add_leaf(copy->column(leaf[i]), 0.0, forest.table.data(), n_classes, sums);
            } else {
                const Node& node = forest.nodes[size_t(leaf[i])];
                add_leaf(node.column, node.threshold, forest.table.data(), n_classes, sums);
            }
        }
    });
}

/// out[i, t]: a training answer from the leaf of row i in tree t.
inline void draw_answers(const Values& X, size_t begin, size_t end, const Forest& forest, float* out) {
    visit_leaves(X, begin, end, forest, [&](size_t first, size_t m, size_t t, const int64_t* leaf, const CopiedTree*) {
        for (size_t i = 0; i < m; ++i) {
            out[(first + i) * forest.n_trees() + t] = std::bit_cast<float>(forest.nodes[size_t(leaf[i])].column);
        }
    });
}

/// leaf[i]: the node where row rows[i] of the codes ends, in one tree as it was grown. cuts: (nodes) last codes that go left.
template <class Code>
void find_leaves_of_codes(const Code* by_row, std::span<const uint32_t> rows, std::span<const Node> nodes,
                          std::span<const uint16_t> cuts, std::span<const int32_t> n_values, std::span<const uint64_t> sets,
                          int32_t* leaf) {
    const size_t d = n_values.size();
    auto goes_right = [&](size_t i, const Node& node) -> bool {
        const size_t column = size_t(node.column & COLUMN);
        const int32_t c = by_row[rows[i] * d + column];
        if (node.column & CATEGORY) return !goes_left(sets, node.threshold, c);
        return c != n_values[column] ? c > cuts[size_t(&node - nodes.data())] : !(node.column & LEFT_IF_MISSING);
    };
    descend_side_by_side(nodes.data(), rows.size(), goes_right, [&](size_t i, int64_t k) { leaf[i] = int32_t(k); });
}

inline void find_leaves_of_codes(const CodeMatrix& by_row, std::span<const uint32_t> rows, std::span<const Node> nodes,
                                 std::span<const uint16_t> cuts, std::span<const int32_t> n_values,
                                 std::span<const uint64_t> sets, int32_t* leaf) {
    by_row.line(0, [&](const auto* codes) { find_leaves_of_codes(codes, rows, nodes, cuts, n_values, sets, leaf); });
}

}  // namespace tamis
