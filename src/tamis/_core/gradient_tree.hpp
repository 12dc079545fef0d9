#pragma once
// One tree of boosting: the leaf whose split gains most is split, again and again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "binned_table.hpp"
#include "divide.hpp"
#include "frontier.hpp"
#include "gradient_splitter.hpp"
#include "histogram.hpp"
#include "monotone.hpp"
#include "node.hpp"
#include "rng.hpp"
#include "row_order.hpp"
#include "threads.hpp"

namespace tamis {

/// When a tree ends, and what it answers.
struct BoostingLimits {
    size_t max_leaves;
    bool is_best_first;  // leaves, and so the order of splits, are limited; else the last leaf is split first
    int64_t max_depth;
    double min_leaf;  // rows
    double l2;
    double rate;
    double max_step;  // of a leaf, before the rate
    double min_gain;  // less is rounding
    size_t max_features;
    uint64_t seed;
    size_t dense_rows;      // of a node: with fewer, the bins that it has are counted anew
    size_t max_histograms;  // kept at a time
    std::span<const int8_t> monotone;  // (columns): see Bounds; empty where all are free
};

/// Rows in the order of every column's codes, for a table of few rows: (columns, rows). Empty for a table of many.
struct SortedRows {
    std::vector<uint16_t> order;
    size_t n_rows = 0;

    bool empty() const { return order.empty(); }
    const uint16_t* line(size_t j) const { return order.data() + j * n_rows; }

    static SortedRows of(const BinnedTable& table) {
        SortedRows sorted{std::vector<uint16_t>(table.n_columns() * table.n_rows), table.n_rows};
        std::vector<uint16_t> moved(table.n_rows);
        std::vector<uint32_t> counts;
        for (size_t j = 0; j < table.n_columns(); ++j) {
            const std::span own(sorted.order.data() + j * table.n_rows, table.n_rows);
            std::iota(own.begin(), own.end(), uint16_t(0));
            table.codes.line(j, [&](const auto* codes) { sort_by_code(codes, size_t(table.n_values[j]), own, moved, counts); });
        }
        return sorted;
    }
};

/// A tree, and what the splits of each column gained in it.
struct GradientTree {
    std::vector<Node> nodes;
    std::vector<uint64_t> sets;
    std::vector<double> gain;  // (columns)
};

/// Grows trees, one after another.
///
/// A node of many rows has a histogram of all its columns. Of its children only the smaller is counted; the other one's histogram is
/// the difference. A node of few rows has none: column by column the bins it has are counted and scanned. A table of few rows has its
/// rows sorted by every column instead, and nodes keep that order.
class GradientGrower {
public:
    /// table: codes of one byte. sorted: of the same table, or empty. team: threads that share the columns of large leaves, or none.
    GradientGrower(const BinnedTable& table, const BoostingLimits& limits, const SortedRows& sorted, Team* team)
        : table_(table), limits_(limits), sorted_(sorted), team_(team), first_(table.n_columns() + 1, 0), rows_(table.n_rows),
          moved_rows_(table.n_rows), lines_(table.n_rows), moved_lines_(table.n_rows), is_tried_(table.n_columns()),
          pool_(limits.max_histograms, count_bins()), frontier_(limits.is_best_first ? Order::BEST_FIRST : Order::DEPTH_FIRST) {
        if (!sorted.empty()) {
            node_order_.resize(sorted.order.size());
            moved_order_.resize(table.n_rows);
            goes_left_.resize(table.n_rows);
        }
    }

    /// A tree on the gradients of every row, (rows); its answers are added to `scores`. t: its number among all trees, which draws its
    /// columns. Ends early, with a tree that is not to be used, when an interrupt is requested.
    GradientTree grow(std::span<const GradientSums> gradients, size_t t, const Interrupt& interrupt, std::span<double> scores) {
        interrupt_ = &interrupt;
        begin(gradients, t);
        grow_nodes(frontier_, limits_.max_leaves, interrupt, [&](const Waiting& leaf) {
            const size_t k = leaf.node, other = n_leaves_++;
            split(k, other);
            if (n_leaves_ < limits_.max_leaves) look_at_children(k, other);
            return true;
        });
        write_leaves(scores);
        return std::move(tree_);
    }

private:
    static constexpr size_t MIN_SHARED = 200'000;  // codes of a leaf that are worth waking other threads: a fifth of a millisecond

    /// A leaf while the tree grows.
    struct Leaf {
        size_t begin, end;  // its rows, a stretch of rows_ and lines_
        int64_t depth;
        int64_t slot;  // of its histogram; -1: none
        size_t node;
        GradientSums sums;
        GradientSplit split;
        Bounds bounds;  // of its step

        size_t n_rows() const { return end - begin; }
    };

    size_t count_bins() {
        for (size_t j = 0; j < table_.n_columns(); ++j) first_[j + 1] = first_[j] + size_t(table_.n_values[j]) + 1;
        return first_.back();
    }

    const uint8_t* codes(size_t j) const { return static_cast<const uint8_t*>(table_.codes.data) + j * table_.codes.stride; }

    /// One leaf of all rows, and the columns that tree t tries.
    void begin(std::span<const GradientSums> gradients, size_t t) {
        const size_t n = table_.n_rows, d = table_.n_columns();
        gradients_ = gradients;
        tree_ = {{Node{}}, {}, std::vector<double>(d, 0.0)};
        std::iota(rows_.begin(), rows_.end(), 0);
        std::copy(gradients.begin(), gradients.end(), lines_.begin());
        size_t n_wanted = limits_.max_features;
        Rng rng(limits_.seed + t);
        for (size_t j = 0; j < d; ++j) {
            is_tried_[j] = n_wanted >= d - j || rng.uniform() * double(d - j) < double(n_wanted);
            n_wanted -= is_tried_[j];
        }
        pool_.clear();
        frontier_.clear();
        n_leaves_ = 1;
        Leaf& root = describe(0, 0, n, 0);
        root.node = 0;
        if (!may_split(root)) return;
        if (n >= limits_.dense_rows && pool_.has_room()) {
            root.slot = pool_.take();
            count(root, nullptr);
        }
        find_split(0);
        add_waiting(0);
    }

    /// Leaf k of the rows from begin to end.
    Leaf& describe(size_t k, size_t begin, size_t end, int64_t depth) {
        if (leaves_.size() <= k) leaves_.resize(k + 1);
        Leaf& leaf = leaves_[k];
        leaf.begin = begin;
        leaf.end = end;
        leaf.depth = depth;
        leaf.slot = -1;
        leaf.split.gain = 0.0;
        leaf.bounds = {};
        leaf.sums = {};
        for (size_t i = begin; i < end; ++i) leaf.sums += lines_[i];
        return leaf;
    }

    bool may_split(const Leaf& leaf) const { return leaf.sums.count >= 2.0 * limits_.min_leaf && leaf.depth < limits_.max_depth; }

    /// The histogram of a leaf, a few columns at a time; columns of large leaves are shared among threads. It is subtracted from
    /// `other`, where there is one.
    void count(const Leaf& leaf, GradientSums* other) {
        GradientSums* bins = pool_[leaf.slot];
        counted_.clear();
        for (size_t j = 0; j < is_tried_.size(); ++j) {
            if (is_tried_[j]) counted_.push_back({codes(j), bins + first_[j], first_[j + 1] - first_[j]});
        }
        const std::span rows(&rows_[leaf.begin], leaf.n_rows());
        auto count_some = [&](size_t, size_t task) {
            if (interrupt_->requested()) return;
            const size_t begin = task * COLUMNS_AT_A_TIME, n = std::min(COLUMNS_AT_A_TIME, counted_.size() - begin);
            const std::span columns = std::span(counted_).subspan(begin, n);
            for (const CountedColumn& column : columns) std::fill_n(column.bins, column.n_bins, GradientSums{});
            count_columns(columns, rows, &lines_[leaf.begin]);
            if (!other) return;
            for (const CountedColumn& column : columns) subtract_bins(other + (column.bins - bins), column.bins, column.n_bins);
        };
        const size_t n_tasks = (counted_.size() + COLUMNS_AT_A_TIME - 1) / COLUMNS_AT_A_TIME;
        if (team_ && rows.size() * counted_.size() >= MIN_SHARED) return team_->run(n_tasks, count_some);
        for (size_t task = 0; task < n_tasks; ++task) count_some(0, task);
    }

    /// Look for the best split of leaf k.
    void find_split(size_t k) {
        Leaf& leaf = leaves_[k];
        const Bounds* bounds = limits_.monotone.empty() ? nullptr : &leaf.bounds;
        GradientSplitter splitter(leaf.sums, limits_.l2, limits_.min_leaf, limits_.min_gain, bounds, leaf.split);
        const uint16_t* order = leaf.depth == 0 ? sorted_.order.data() : node_order_.data();
        const std::span node_rows(&rows_[leaf.begin], leaf.n_rows());
        for (size_t j = 0; j < is_tried_.size(); ++j) {
            const size_t absent = size_t(table_.n_values[j]);
            if (!is_tried_[j] || absent == 0) continue;
            splitter.monotone = monotone_of(limits_.monotone, j);
            if (!sorted_.empty() && !table_.category[j]) {
                const std::span own(order + j * table_.n_rows + leaf.begin, leaf.n_rows());
                splitter.try_sorted_cuts(j, codes(j), own, gradients_.data(), absent);
            } else if (leaf.slot >= 0) {
                try_column(splitter, j, pool_[leaf.slot] + first_[j], absent + 1, [](size_t code) { return code; });
            } else {
                sparse_.count(codes(j), node_rows, &lines_[leaf.begin]);
                const std::span present = sparse_.codes();
                try_column(splitter, j, sparse_.bins(), present.size(), [present](size_t k) { return size_t(present[k]); });
                sparse_.clear();
            }
        }
    }

    void add_waiting(size_t k) {
        if (leaves_[k].split.gain > 0.0) frontier_.push({k, leaves_[k].split.gain});
    }

    template <class CodeAt>
    void try_column(GradientSplitter& splitter, size_t j, const GradientSums* bins, size_t n, CodeAt code_at) const {
        const size_t absent = size_t(table_.n_values[j]);
        if (table_.category[j]) splitter.try_levels(j, bins, n, code_at, absent);
        else splitter.try_cuts(j, bins, n, code_at, absent);
    }

    /// Write the node of leaf k and divide its rows: leaf k is then the left child, leaf `other` the right one.
    void split(size_t k, size_t other) {
        if (leaves_.size() <= other) leaves_.resize(other + 1);
        const Leaf leaf = {leaves_[k].begin, leaves_[k].end, leaves_[k].depth, leaves_[k].slot, leaves_[k].node, {}, {}, leaves_[k].bounds};
        const GradientSplit& split = leaves_[k].split;
        const size_t j = split.column, child = tree_.nodes.size();
        Node node{int32_t(child), int32_t(j) | (split.missing_left ? LEFT_IF_MISSING : 0), 0.0};
        if (split.is_category) {
            node.column |= CATEGORY;
            node.threshold = split.left.append_to(tree_.sets, 0, split.rest_left);
        } else {
            node.threshold = threshold(j, split.cut);
        }
        tree_.nodes[leaf.node] = node;
        tree_.nodes.resize(child + 2);
        tree_.gain[j] += split.gain;
        const size_t middle = divide_rows(leaf, split);
        describe(k, leaf.begin, middle, leaf.depth + 1).node = child;
        describe(other, middle, leaf.end, leaf.depth + 1).node = child + 1;
        leaves_[k].slot = leaf.slot;  // of both: see look_at_children
        if (limits_.monotone.empty()) return;
        const double left = newton_step(leaves_[k].sums, limits_.l2), right = newton_step(leaves_[other].sums, limits_.l2);
        std::tie(leaves_[k].bounds, leaves_[other].bounds) = leaf.bounds.below(left, right, monotone_of(limits_.monotone, j));
    }

    /// Values up to it have a code of at most `cut`.
    double threshold(size_t j, size_t cut) const {
        return table_.threshold(j, int64_t(cut), int64_t(cut + 1));
    }

    /// Put the rows of a leaf that go left before the others, all in their order; returns where the others begin.
    size_t divide_rows(const Leaf& leaf, const GradientSplit& split) {
        const size_t j = split.column, absent = size_t(table_.n_values[j]);
        std::array<uint8_t, 256> goes_left;
        for (size_t code = 0; code <= absent; ++code) {
            goes_left[code] = split.is_category ? split.left.has(code) : code == absent ? split.missing_left : code <= split.cut;
        }
        const uint8_t* own = codes(j);
        uint32_t* rows = &rows_[leaf.begin];
        return leaf.begin + divide(leaf.n_rows(), [&](size_t i) { return size_t(1) - goes_left[own[rows[i]]]; },
                                          Stretch{rows, moved_rows_.data()}, Stretch{&lines_[leaf.begin], moved_lines_.data()});
    }

    /// Divide the sorted rows of every column as `divide_rows` has divided the rows of two leaves, the first one's before the second's.
    void divide_sorted(const Leaf& left, const Leaf& right) {
        for (size_t i = left.begin; i < right.end; ++i) goes_left_[rows_[i]] = i < left.end;
        for (size_t j = 0; j < is_tried_.size(); ++j) {
            if (!is_tried_[j] || table_.category[j]) continue;
            uint16_t* rows = node_order_.data() + j * table_.n_rows;
            if (left.depth == 1) std::copy_n(sorted_.line(j), table_.n_rows, rows);
            rows += left.begin;
            divide(right.end - left.begin, [&](size_t i) { return size_t(1) - goes_left_[rows[i]]; }, Stretch{rows, moved_order_.data()});
        }
    }

    /// The best splits of two leaves that were one, whose histogram, where it had one, is that of leaf k.
    void look_at_children(size_t k, size_t other) {
        const int64_t slot = std::exchange(leaves_[k].slot, -1);
        const bool is_left_smaller = leaves_[k].n_rows() <= leaves_[other].n_rows();
        const size_t a = is_left_smaller ? k : other, b = is_left_smaller ? other : k;
        Leaf &few = leaves_[a], &many = leaves_[b];
        const bool may_few = may_split(few), may_many = may_split(many);
        const bool is_counted = slot >= 0 && may_many && many.n_rows() >= limits_.dense_rows && pool_.has_room();
        if (is_counted) {
            few.slot = pool_.take();
            many.slot = slot;
            count(few, pool_[slot]);
        } else if (slot >= 0) {
            pool_.give_back(slot);
        } else if (!sorted_.empty() && (may_few || may_many)) {
            divide_sorted(leaves_[k], leaves_[other]);
        }
        if (may_few) find_split(a);
        if (may_many) find_split(b);
        add_waiting(k);  // both in the order of their numbers
        add_waiting(other);
        if (is_counted && !(may_few && few.n_rows() >= limits_.dense_rows)) pool_.give_back(std::exchange(few.slot, -1));
    }

    /// Each leaf answers with a Newton step within its bounds, times the rate.
    void write_leaves(std::span<double> scores) {
        for (size_t k = 0; k < n_leaves_; ++k) {
            const Leaf& leaf = leaves_[k];
            const double step = leaf.bounds.clamp(newton_step(leaf.sums, limits_.l2));
            const double answer = limits_.rate * std::min(std::max(step, -limits_.max_step), limits_.max_step);
            tree_.nodes[leaf.node] = {-1, 0, answer};
            for (size_t i = leaf.begin; i < leaf.end; ++i) scores[rows_[i]] += answer;
        }
    }

    const BinnedTable& table_;
    const BoostingLimits& limits_;
    const SortedRows& sorted_;
    Team* team_;
    const Interrupt* interrupt_ = nullptr;
    std::vector<size_t> first_;  // (columns + 1): where a column's bins begin in a histogram, that of missing values last
    std::vector<uint32_t> rows_, moved_rows_;  // the rows of a leaf are a stretch, divided in place as the leaf is
    std::vector<GradientSums> lines_, moved_lines_;  // gradient, hessian and count of rows_
    std::vector<uint8_t> is_tried_;                  // (columns)
    HistogramPool pool_;
    SparseHistogram sparse_;
    std::vector<CountedColumn> counted_;
    std::vector<uint16_t> node_order_, moved_order_;  // (columns, rows): sorted_, divided as rows_ is
    std::vector<uint8_t> goes_left_;                  // (rows)

    std::span<const GradientSums> gradients_;
    GradientTree tree_;
    std::vector<Leaf> leaves_;
    size_t n_leaves_ = 0;
    Frontier<> frontier_;  // of leaves by their number
};

}  // namespace tamis
