#pragma once
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "binned_table.hpp"
#include "level_set.hpp"
#include "node.hpp"
#include "node_rows.hpp"
#include "out_of_bag.hpp"
#include "rng.hpp"
#include "route.hpp"

namespace tamis {

/// gain[j]: how much column j's splits help the out-of-bag rows; zero on average for a column of noise.
///
/// Σ over splits and out-of-bag rows of (value of the row's child - value of the node) × target of the row (Li et al. 2019); of ordered
/// classes both are sums of their codes.
/// rows, leaf: the rows and the nodes they reach. value: (nodes, n_sums) classes' shares or means of targets.
inline void out_of_bag_gain(const Target& target, std::span<const uint32_t> rows, std::span<const int32_t> leaf,
                            std::span<const Node> nodes, std::span<const double> value, size_t n_sums, std::span<double> gain) {
    std::vector<double> sums(nodes.size() * n_sums, 0.0), weights(nodes.size(), 0.0);
    const bool is_classes = target.values.empty();
    for (size_t i = 0; i < rows.size(); ++i) {
        const size_t row = rows[i], node = size_t(leaf[i]);
        const double w = target.weight[row];
        weights[node] += w;
        if (is_classes) sums[node * n_sums + size_t(target.classes[row])] += w;
        else for (size_t t = 0; t < n_sums; ++t) sums[node * n_sums + t] += w * target.values[row * n_sums + t];
    }
    for (size_t node = nodes.size(); node-- > 0;) {  // children come after their parents
        if (nodes[node].is_leaf()) continue;
        const size_t child = size_t(nodes[node].left);
        for (size_t t = 0; t < n_sums; ++t) sums[node * n_sums + t] = sums[child * n_sums + t] + sums[(child + 1) * n_sums + t];
        weights[node] = weights[child] + weights[child + 1];
        if (weights[child] <= 0.0 || weights[child + 1] <= 0.0) continue;
        double& own = gain[size_t(nodes[node].column & COLUMN)];
        // Counted from the mean of the node's rows left out: where a column says nothing, their targets are as good as shuffled, so its
        // gain is 0 on average. Counted from the node's own value it would not be: rows drawn twice pull both that value and the choice
        // of the split.
        auto value_off = [&](size_t k, size_t t) { return value[k * n_sums + t] - value[node * n_sums + t]; };
        auto sum_off = [&](size_t k, size_t t) { return sums[k * n_sums + t] - sums[node * n_sums + t] / weights[node] * weights[k]; };
        if (target.codes.empty()) {
            for (size_t t = 0; t < n_sums; ++t) {
                for (size_t k = child; k < child + 2; ++k) own += value_off(k, t) * sum_off(k, t);
            }
            continue;
        }
        for (size_t q = 0; q < target.n_codes; ++q) {
            for (size_t k = child; k < child + 2; ++k) {
                double in_value = 0.0, in_sum = 0.0;
                for (size_t t = 0; t < n_sums; ++t) {
                    const double code = target.codes[t * target.n_codes + q];
                    in_value += value_off(k, t) * code;
                    in_sum += sum_off(k, t) * code;
                }
                own += in_value * in_sum;
            }
        }
    }
}

/// The rows of the binned table, and the unit of each column: columns of one unit are permuted together.
struct PermutedTable {
    const BinnedTable& binned;
    std::span<const double> matrix;    // (rows, columns): values, for oblique splits; empty without them
    std::span<const int64_t> unit_of;  // (columns): -1 for a column that is never permuted
    std::span<const int64_t> place;    // position in the binned table of each column of the nodes

    int32_t code(size_t row, size_t column) const {
        return binned.by_row.line(row, [&](const auto* codes) { return int32_t(codes[column]); });
    }
    double value(size_t row, size_t column) const { return matrix[row * binned.n_columns() + column]; }
};

/// Sums over trees of the mean rise of the cost.
struct ImportanceSums {
    ImportanceSums(size_t n_units, size_t n_classes)
        : total(n_units, 0.0), square(n_units, 0.0), by_class(n_units * n_classes, 0.0), with_class(n_classes, 0.0) {}

    std::vector<double> total;       // (units)
    std::vector<double> square;      // (units): of the squared rise
    std::vector<double> by_class;    // (units, classes): of the rise among rows of each class
    std::vector<double> with_class;  // (classes): trees with out-of-bag rows of the class
    int64_t n_left_out = 0;          // rows, over trees

    void add(const ImportanceSums& other) {
        auto add_to = [](std::vector<double>& to, const std::vector<double>& more) {
            for (size_t i = 0; i < to.size(); ++i) to[i] += more[i];
        };
        add_to(total, other.total);
        add_to(square, other.square);
        add_to(by_class, other.by_class);
        add_to(with_class, other.with_class);
        n_left_out += other.n_left_out;
    }
};

/// Rise of a tree's cost on its out-of-bag rows when the values of a unit of columns are permuted among them.
///
/// A permuted value changes a row's leaf only where it sends the row to the other child of a split on the row's path. So each row is
/// sent down once; at each split of its path the permuted value is compared, and from the first split where it goes to the other
/// child the row is sent on to its new leaf. Most permuted values change nothing and cost one comparison.
class PermutedTree {
public:
    PermutedTree(const PermutedTable& data, const Forest& forest, size_t t, const TargetCosts& costs, size_t n_units)
        : data_(data), forest_(forest), costs_(costs), n_units_(n_units) {
        const size_t root = size_t(forest.roots[t]);
        read_splits(forest.nodes.subspan(root, size_t(forest.roots[t + 1]) - root));
    }

    /// Add the mean rises to `sums`, each of `repeats` permutations of every unit.
    void add_rises(std::span<const uint32_t> rows, size_t repeats, uint64_t seed, ImportanceSums& sums) {
        const size_t m = rows.size(), n_classes = costs_.n_classes;
        if (m == 0) return;
        double all_weight = 0.0;
        std::vector<double> class_weight(n_classes, 0.0);
        for (const uint32_t row : rows) {
            all_weight += costs_.weight[row];
            if (n_classes) class_weight[size_t(costs_.classes[row])] += costs_.weight[row];
        }
        for (size_t c = 0; c < n_classes; ++c) sums.with_class[c] += class_weight[c] > 0.0;
        rows_ = rows;
        rise_.assign(n_units_, 0.0);
        of_class_.assign(n_units_ * n_classes, 0.0);
        leaf_cost_.resize(m);
        Rng rng(seed);
        for (size_t repeat = 0; repeat < repeats; ++repeat) {
            draw_permutations(rng);
            permute_once();
        }
        const double n = double(repeats);
        for (size_t u = 0; u < n_units_; ++u) {
            const double mean = rise_[u] / (n * all_weight);
            sums.total[u] += mean;
            sums.square[u] += mean * mean;
            for (size_t c = 0; c < n_classes; ++c) {
                if (class_weight[c] > 0.0) sums.by_class[u * n_classes + c] += of_class_[u * n_classes + c] / (n * class_weight[c]);
            }
        }
    }

private:
    static constexpr size_t LANES = 8;          // rows that go down side by side: their memory accesses overlap
    static constexpr size_t MAX_PENDING = 512;  // rows that are sent on together
    static constexpr int32_t SPECIAL = -2;      // in place of the unit, for splits that are more than a comparison of codes

    /// A node whose split asks for codes and columns of the binned table; 16 bytes, so that it is one access.
    struct CodedNode {
        int32_t left;    // -1 at a leaf
        int32_t column;  // with its flags; of a leaf, the node's own
        int32_t cut;     // unless SPECIAL, a row goes right when its code exceeds it, missing or not
        int32_t unit;
    };
    /// A row that left its path when a unit was permuted, and waits to be sent on to a leaf.
    struct Pending {
        size_t place;  // among the out-of-bag rows
        size_t donor;  // row of the table whose values the unit's columns take
        int32_t node;  // where the row is
        int32_t unit;
    };

    void read_splits(std::span<const Node> nodes) {
        const size_t n = nodes.size();
        nodes_.resize(n);
        threshold_.resize(n);
        answer_.resize(n);
        std::vector<int32_t> depth(n, 0);
        for (size_t k = 0; k < n; ++k) {
            const Node& node = nodes[k];
            threshold_[k] = node.threshold;
            nodes_[k] = {node.left, node.column, 0, SPECIAL};
            if (node.is_leaf()) {
                deepest_ = std::max(deepest_, size_t(depth[k]));
                if (costs_.n_classes) answer_[k] = class_of_leaf(node);
                continue;
            }
            depth[size_t(node.left)] = depth[size_t(node.left) + 1] = depth[k] + 1;
            if (!(node.column & OBLIQUE)) read_split(node, nodes_[k]);
        }
    }

    void read_split(const Node& node, CodedNode& coded) const {
        const BinnedTable& binned = data_.binned;
        const size_t column = size_t(data_.place[size_t(node.column & COLUMN)]);
        coded.column = (node.column & ~COLUMN) | int32_t(column);
        if (node.column & CATEGORY) return;
        // the last code whose values do not exceed the threshold
        const auto begin = binned.high.begin() + binned.first[column], end = binned.high.begin() + binned.first[column + 1];
        coded.cut = int32_t(std::upper_bound(begin, end, node.threshold) - begin) - 1;
        if (!(binned.missing[column] && (node.column & LEFT_IF_MISSING))) coded.unit = int32_t(data_.unit_of[column]);
    }

    int32_t class_of_leaf(const Node& leaf) const {
        if (leaf.column < int32_t(costs_.n_classes)) return leaf.column;
        const size_t at = size_t(leaf.column) - costs_.n_classes;
        return int32_t(costs_.answer_of(forest_.table.subspan(at * forest_.width, forest_.width)));
    }

    /// Cost of the answer of leaf k for a row: loss[truth, answer] for classes, mean squared error for numbers.
    double cost_at(size_t k, size_t row) const {
        if (costs_.n_classes) return costs_.cost(size_t(costs_.classes[row]), size_t(answer_[k]));
        if (costs_.n_targets == 1) {
            const double error = costs_.values[row] - threshold_[k];
            return error * error;
        }
        double total = 0.0;
        for (size_t t = 0; t < costs_.n_targets; ++t) {
            const double error = costs_.values[row * costs_.n_targets + t] - forest_.table[size_t(nodes_[k].column) * forest_.width + t];
            total += error * error;
        }
        return total / double(costs_.n_targets);
    }

    /// Whether a row goes right at split k; columns of `unit` are read from the row `donor`.
    bool goes_right(size_t k, size_t row, size_t donor, int64_t unit) const {
        const CodedNode& node = nodes_[k];
        const size_t column = size_t(node.column & COLUMN);
        if (node.unit != SPECIAL) return data_.code(node.unit == unit ? donor : row, column) > node.cut;
        if (node.column & OBLIQUE) {
            double total = 0.0;
            for (size_t q = column * forest_.sum_width; q < (column + 1) * forest_.sum_width; ++q) {
                const size_t j = size_t(data_.place[size_t(forest_.sum_column[q])]);
                total += forest_.sum_factor[q] * data_.value(data_.unit_of[j] == unit ? donor : row, j);
            }
            return total == total ? total > threshold_[k] : !(node.column & LEFT_IF_MISSING);
        }
        const int32_t code = data_.code(data_.unit_of[column] == unit ? donor : row, column);
        if (code == data_.binned.n_values[column]) return !(node.column & LEFT_IF_MISSING);
        if (node.column & CATEGORY) return !goes_left(forest_.sets, threshold_[k], code);
        return code > node.cut;
    }

    /// A random permutation of 0 … m - 1 for each unit: i goes to (factor i + shift) mod m, the factor prime to m.
    ///
    /// The rows are in the order of a digest, so stepping through them evenly is as good as drawing them at random, and costs no
    /// memory.
    void draw_permutations(Rng& rng) {
        const int64_t m = int64_t(rows_.size());
        factor_.assign(n_units_, 1);
        shift_.resize(n_units_);
        for (size_t u = 0; u < n_units_; ++u) {
            shift_[u] = rng.below(m);
            while (m > 2) {
                factor_[u] = 1 + rng.below(m - 1);
                if (std::gcd(m, factor_[u]) == 1) break;
            }
        }
    }

    /// Send every row down; LANES rows go side by side, a lane whose row reached its leaf takes the next row. One row after the other
    /// takes 1.17 times as long.
    void permute_once() {
        const size_t m = rows_.size();
        changed_.assign(n_units_, -1);
        pending_.clear();
        struct Lane {
            size_t node = 0, place = 0;
            std::vector<int32_t> path;  // twice each node of the row's path, plus 1 where it went right
        };
        std::array<Lane, LANES> lanes;
        for (Lane& lane : lanes) lane.path.reserve(deepest_ + 1);
        size_t busy = std::min(LANES, m), after = busy;
        for (size_t b = 0; b < busy; ++b) lanes[b].place = b;
        while (busy > 0) {
            for (size_t b = 0; b < busy; ++b) {
                Lane& lane = lanes[b];
                const size_t row = rows_[lane.place];
                if (nodes_[lane.node].left >= 0) {
                    const bool right = goes_right(lane.node, row, row, -1);
                    lane.path.push_back(int32_t(2 * lane.node + right));
                    lane.node = size_t(nodes_[lane.node].left) + right;
                    continue;
                }
                leaf_cost_[lane.place] = cost_at(lane.node, row);
                leave_path(lane.path, lane.place);
                lane.path.clear();
                const bool is_last = after == m;
                if (is_last) std::swap(lane, lanes[--busy]);
                else lane.node = 0, lane.place = after++;
                if (pending_.size() >= MAX_PENDING || busy == 0) add_pending();
                if (is_last) break;
            }
        }
    }

    /// Permute every unit for one row; where the row leaves its path it waits to be sent on.
    void leave_path(std::span<const int32_t> path, size_t place) {
        const size_t m = rows_.size(), row = rows_[place];
        for (const int32_t step : path) {
            const size_t k = size_t(step >> 1), column = size_t(nodes_[k].column & COLUMN);
            const bool is_oblique = nodes_[k].column & OBLIQUE;
            for (size_t q = 0; q < (is_oblique ? forest_.sum_width : 1); ++q) {
                const size_t j = is_oblique ? size_t(data_.place[size_t(forest_.sum_column[column * forest_.sum_width + q])]) : column;
                const int64_t u = data_.unit_of[j];
                if (u < 0 || changed_[size_t(u)] == int64_t(place)) continue;
                const size_t donor = rows_[(size_t(factor_[size_t(u)]) * place + size_t(shift_[size_t(u)])) % m];
                const bool right = goes_right(k, row, donor, u);
                if (right == bool(step & 1)) continue;
                changed_[size_t(u)] = int64_t(place);
                pending_.push_back({place, donor, nodes_[k].left + right, int32_t(u)});
            }
        }
    }

    /// Send pending rows on to their leaves, and add the weighted rise of their cost.
    void add_pending() {
        const size_t n = pending_.size();
        std::array<size_t, LANES> lane;
        size_t busy = std::min(LANES, n), after = busy;
        for (size_t b = 0; b < busy; ++b) lane[b] = b;
        while (busy > 0) {
            for (size_t b = 0; b < busy; ++b) {
                Pending& one = pending_[lane[b]];
                const CodedNode& node = nodes_[size_t(one.node)];
                if (node.left >= 0) {
                    one.node = node.left + goes_right(size_t(one.node), rows_[one.place], one.donor, one.unit);
                } else if (after < n) {
                    lane[b] = after++;
                } else {
                    lane[b] = lane[--busy];
                    break;
                }
            }
        }
        for (const Pending& one : pending_) {
            const size_t row = rows_[one.place], u = size_t(one.unit);
            const double more = costs_.weight[row] * (cost_at(size_t(one.node), row) - leaf_cost_[one.place]);
            rise_[u] += more;
            if (costs_.n_classes) of_class_[u * costs_.n_classes + size_t(costs_.classes[row])] += more;
        }
        pending_.clear();
    }

    const PermutedTable& data_;
    const Forest& forest_;
    const TargetCosts& costs_;
    size_t n_units_, deepest_ = 0;
    std::vector<CodedNode> nodes_;
    std::vector<double> threshold_;
    std::vector<int32_t> answer_;  // class that each leaf answers
    std::span<const uint32_t> rows_;
    std::vector<int64_t> factor_, shift_, changed_;  // changed_[u]: the last row that left its path with unit u
    std::vector<Pending> pending_;
    std::vector<double> rise_, of_class_, leaf_cost_;
};

}  // namespace tamis
