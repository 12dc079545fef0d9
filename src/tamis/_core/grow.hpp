#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "binned_table.hpp"
#include "divide.hpp"
#include "frontier.hpp"
#include "level_set.hpp"
#include "node.hpp"
#include "splitter.hpp"
#include "threads.hpp"

namespace tamis {

/// Rows of a tree: of the whole table, or of a block of it.
struct Rows {
    CodeMatrix codes;  // (columns, rows)
    RowTargets targets;
    std::span<uint32_t> inside;  // the rows of a node are a stretch of this, divided in place as the node is
};

/// A tree as it grows: beside its nodes, what sends codes down and what importances read.
struct GrowingTree {
    std::vector<Node> nodes;
    std::vector<uint16_t> cut;    // (nodes) code of a split's last value on the left
    std::vector<uint16_t> next;   // (nodes) and of the first on the right, as far as the node's own rows go
    std::vector<double> value;    // (nodes, n_sums) where asked for
    std::vector<double> leaves;   // (leaves, width) leaf table
    std::vector<uint64_t> sets;
    std::vector<double> gain;     // (columns) fall of impurity times weight

    void clear(size_t n_columns) {
        nodes.clear();
        cut.clear();
        next.clear();
        value.clear();
        leaves.clear();
        sets.clear();
        gain.assign(n_columns, 0.0);
    }

    size_t add_nodes(size_t n, size_t n_values) {
        const size_t first = nodes.size();
        nodes.resize(first + n);
        cut.resize(first + n, 0);
        next.resize(first + n, 0);
        value.resize((first + n) * n_values);
        return first;
    }
};

/// Grows trees, one after another: the best split of every node along columns drawn at random, rows divided in place.
///
/// Nodes are split depth first, and searched when their turn comes. Large nodes read the codes of the whole table; from MAX_BLOCK drawn rows on, a node's codes are
/// copied side by side, and its subtree is grown inside the processor's cache.
template <class NodeRows>
class Grower {
public:
    Grower(const BinnedTable& table, const Target& target, const Limits& limits)
        : table_(table), target_(target), limits_(limits), splitter_(table, target, limits_, table.n_rows),
          n_sums_(splitter_.rows.n_sums()), weight_(table.n_rows), inside_(table.n_rows), moved_(table.n_rows),
          value_(n_sums_), column_(table.n_columns()), is_constant_(table.n_columns(), 0) {}

    /// A tree on the rows drawn counts[i] times; with `keeps_values`, the values of all nodes and cuts for rows that were not drawn.
    /// Ends early, with a tree that is not to be used, when an interrupt is requested.
    void grow(std::span<const int32_t> counts, uint64_t seed, bool keeps_values, const Interrupt& interrupt, GrowingTree& tree) {
        const Rows rows = draw(counts);
        begin(seed, keeps_values, tree);
        const int64_t max_block = is_block_worthwhile(rows.inside.size()) ? MAX_BLOCK : 0;
        frontier_.push({{0}, 0, rows.inside.size(), 0, 0, {}});
        grow_subtrees(rows, max_block, interrupt);
        if (!waiting_.empty()) reserve_block();
        for (const Entry& entry : waiting_) {
            if (interrupt.requested()) return;
            const Rows block = copy_block(rows.targets, rows.inside.subspan(entry.begin, entry.end - entry.begin));
            frontier_.push({{entry.node}, 0, block.inside.size(), entry.depth, 0, entry.bounds});
            grow_subtrees(block, 0, interrupt);
        }
        if (interrupt.requested() || limits_.random_cut) return;
        write_thresholds();
        if (keeps_values) widen_cuts();
    }

    size_t n_sums() const { return n_sums_; }

private:
    static constexpr int64_t MAX_BLOCK = 2048;  // drawn rows
    static constexpr size_t PADDING = 32;       // codes between the columns of a block, which would else share cache sets
    static constexpr size_t MAX_NEAR = 512;     // rows of a table whose columns are fetched whole before they are read
    static constexpr size_t AHEAD = 8;          // rows that are fetched before their turn

    struct Entry : Waiting {
        size_t begin, end;
        int64_t depth;
        size_t n_constant;  // columns known to be constant, of the parent
        Bounds bounds;      // of its answers
    };

    Rows draw(std::span<const int32_t> counts) {
        size_t m = 0;
        double total = 0.0;
        for (size_t i = 0; i < counts.size(); ++i) {
            weight_[i] = counts[i] * target_.weight[i];
            total += weight_[i];
            inside_[m] = uint32_t(i);
            m += counts[i] > 0;
        }
        limits_.min_weight = limits_.min_share * total + 1e-300;  // nothing weighs 0
        const RowTargets targets{target_.classes.data(), target_.values.data(), weight_.data(), counts.data()};
        return {table_.codes, targets, std::span(inside_).first(m)};
    }

    void begin(uint64_t seed, bool keeps_values, GrowingTree& tree) {
        rng_ = Rng(seed);
        rng_.below(2);
        tree_ = &tree;
        n_kept_ = keeps_values ? n_sums_ : 0;
        tree.clear(table_.n_columns());
        tree.add_nodes(1, n_kept_);
        frontier_.clear();
        waiting_.clear();
        forget_constants(0);
        for (size_t j = 0; j < column_.size(); ++j) column_[j] = uint32_t(j);
    }

    /// Grow the subtrees on the frontier; those of at most max_block drawn rows wait for a block.
    void grow_subtrees(const Rows& rows, int64_t max_block, const Interrupt& interrupt) {
        grow_nodes(frontier_, std::numeric_limits<size_t>::max(), interrupt, [&](const Entry& entry) {
            forget_constants(entry.n_constant);
            const std::span node_rows = rows.inside.subspan(entry.begin, entry.end - entry.begin);
            splitter_.answers.bounds = entry.bounds;
            summarise(rows.targets, node_rows);
            const NodeSummary node = splitter_.rows.node();
            if (n_kept_) std::copy(value_.begin(), value_.end(), &tree_->value[entry.node * n_kept_]);
            if (node.n_drawn <= max_block) {
                waiting_.push_back(entry);
                return false;
            }
            Split split;
            const bool may_split = !node.is_pure && node.n_drawn >= std::max(limits_.min_split, 2 * limits_.min_leaf);
            if (may_split && entry.depth < limits_.max_depth) split = best_split(rows, node_rows, node);
            if (split.column < 0) {
                write_leaf(rows, node_rows, node, entry.node);
                return false;
            }
            const size_t n_left = make_split(rows, node_rows, node, split, entry.node);
            const size_t child = size_t(tree_->nodes[entry.node].left), middle = entry.begin + n_left;
            const auto [left, right] = bounds_below(rows.targets, node_rows, n_left, size_t(split.column), entry.bounds);
            frontier_.push({{child + 1}, middle, entry.end, entry.depth + 1, constant_.size(), right});
            frontier_.push({{child}, entry.begin, middle, entry.depth + 1, constant_.size(), left});
            return true;
        });
    }

    /// Gather the rows of a node; value_: what it answers, within its bounds.
    void summarise(const RowTargets& targets, std::span<const uint32_t> node_rows) {
        splitter_.rows.summarise(targets, node_rows, value_.data());
        if (limits_.monotone.empty() || !NodeRows::has_one_answer) return;
        splitter_.answers.base = value_[0];
        value_[0] = splitter_.answers.bounds.clamp(value_[0]);
    }

    /// Bounds of both children of a node, of whose rows the first n_left go left.
    std::pair<Bounds, Bounds> bounds_below(const RowTargets& targets, std::span<const uint32_t> node_rows, size_t n_left, size_t j,
                                           const Bounds& bounds) const {
        const int monotone = monotone_of(limits_.monotone, j);
        if (monotone == 0 || !NodeRows::has_one_answer) return {bounds, bounds};
        auto mean = [&](std::span<const uint32_t> side) {
            double weight = 0.0, sum = 0.0;
            for (const uint32_t row : side) {
                weight += targets.weight[row];
                sum += targets.weight[row] * targets.values[row];
            }
            return sum / weight;
        };
        return bounds.below(mean(node_rows.first(n_left)), mean(node_rows.subspan(n_left)), monotone);
    }

    /// Know only the first n constant columns: those of the node's ancestors.
    void forget_constants(size_t n) {
        for (size_t k = n; k < constant_.size(); ++k) is_constant_[constant_[k]] = 0;
        constant_.resize(n);
    }

    /// The best split of a node, looked for among `max_rows` of its rows, and among all where these show none.
    ///
    /// Rows of the part are rows of the node: what either side must have, it has all the more.
    Split best_split(const Rows& rows, std::span<const uint32_t> node_rows, const NodeSummary& node) {
        const NodeRows& own = splitter_.rows;
        Split split;
        if (int64_t(node_rows.size()) > limits_.max_rows) {
            const std::span part = std::span(moved_).first(size_t(limits_.max_rows));
            spread_rows(node_rows, part);
            summarise(rows.targets, part);
            if (!own.node().is_pure) split = search(rows.codes, part, true);
            if (split.column < 0) {
                summarise(rows.targets, node_rows);
                split = search(rows.codes, node_rows, false);
            }
        } else {
            split = search(rows.codes, node_rows, false);
        }
        if (split.column >= 0) {
            tree_->gain[size_t(split.column)] += own.gain(split.score) * (node.total / own.node().total);
        }
        return split;
    }

    /// Rows as far apart as they can be, from a place at random on; whatever order the rows are in.
    void spread_rows(std::span<const uint32_t> node_rows, std::span<uint32_t> part) {
        const size_t n = part.size(), step = node_rows.size() / n;
        const size_t first = size_t(rng_.below(int64_t(node_rows.size() - (n - 1) * step)));
        for (size_t i = 0; i < n; ++i) part[i] = node_rows[first + i * step];
    }

    /// The best split of rows along columns drawn at random: max_features of them, or more until one can be split.
    ///
    /// A column that is constant in a node is so in its subtree, and not read there (2,344 rows × 74 mixed columns: 3 to 8% of the
    /// time); of a part of the node's rows that is not known.
    Split search(const CodeMatrix& codes, std::span<const uint32_t> node_rows, bool is_part) {
        const size_t d = column_.size(), m = node_rows.size();
        splitter_.rows.prepare(m);
        const double bound = splitter_.rows.best_possible(m);
        Split split;
        for (size_t tried = 0; tried < d; ++tried) {
            if (split.column >= 0 && (int64_t(tried) >= limits_.max_features || split.score >= bound)) break;
            const size_t j = draw_column(tried, codes);
            if (is_constant_[j]) continue;
            splitter_.answers.monotone = monotone_of(limits_.monotone, j);
            const bool differs = codes.line(j, [&](const auto* line) { return gather(line, node_rows); });
            if (!differs && !limits_.random_cut) {
                if (!is_part) {
                    is_constant_[j] = 1;
                    constant_.push_back(uint32_t(j));
                }
            } else if (table_.category[j]) {
                splitter_.try_levels(j, m, rng_, split);
            } else if (limits_.random_cut) {
                splitter_.try_random_cut(j, m, rng_, split);
            } else {
                splitter_.try_cuts(j, m, split);
            }
        }
        return split;
    }

    /// The codes of the node's rows in one column; whether they differ.
    template <class Code>
    bool gather(const Code* line, std::span<const uint32_t> node_rows) {
        const Code first = line[node_rows[0]];
        Code differ = 0;
        uint16_t* code = splitter_.code.data();
        for (size_t i = 0; i < node_rows.size(); ++i) {
            const Code c = line[node_rows[i]];
            code[i] = c;
            differ |= Code(c ^ first);
        }
        return differ != 0;
    }

    /// The next column at random; the one after it is drawn, too, so that its codes are on the way.
    size_t draw_column(size_t tried, const CodeMatrix& codes) {
        const size_t d = column_.size();
        for (size_t ahead = tried + (tried > 0); ahead < std::min(tried + 2, d); ++ahead) {
            std::swap(column_[ahead], column_[ahead + size_t(rng_.below(int64_t(d - ahead)))]);
            if (codes.stride <= MAX_NEAR) {
                codes.line(column_[ahead], [&](const auto* line) {
                    const char* begin = reinterpret_cast<const char*>(line);
                    for (size_t byte = 0; byte < codes.stride * codes.width; byte += 64) __builtin_prefetch(begin + byte);
                });
            }
        }
        return column_[tried];
    }

    /// Write a split and put the rows that go left first; returns how many do.
    size_t make_split(const Rows& rows, std::span<uint32_t> node_rows, const NodeSummary& node, const Split& split, size_t at) {
        const size_t j = size_t(split.column);
        const int64_t absent = table_.n_values[j];
        int32_t flags = int32_t(j);
        bool missing_left = split.missing_left, rest_left = false;
        double threshold = split.threshold;
        Sides sides;
        rows.codes.line(j, [&](const auto* line) {
            if (split.n_levels) {
                rest_left = write_set(line, rows, node_rows, node.total, absent);
                sides = partition(line, node_rows, [&](auto c) { return !set_.has(c); });
            } else if (missing_left) {
                const int64_t cut = split.cut;
                sides = partition(line, node_rows, [&](auto c) { return (c > cut) & (c != absent); });
            } else {
                const int64_t cut = split.cut;
                sides = partition(line, node_rows, [&](auto c) { return (c > cut) | (c == absent); });  // a bucket may end above absent
            }
            describe(line, rows, node_rows, absent, sides);
        });
        const int32_t child = int32_t(tree_->add_nodes(2, n_kept_));
        if (split.n_levels) {
            missing_left = set_.has(uint64_t(absent));
            threshold = set_.append_to(tree_->sets, 0, rest_left);
            flags |= CATEGORY;
        } else {
            tree_->cut[at] = uint16_t(limits_.random_cut ? split.cut : sides.low);
            tree_->next[at] = uint16_t(sides.high);
            if (sides.n_missing == 0) missing_left = sides.left_weight * 2.0 >= node.total;
        }
        if (missing_left) flags |= LEFT_IF_MISSING;
        tree_->nodes[at] = {child, flags, threshold};
        return sides.n_left;
    }

    /// The rows of both sides of a split.
    struct Sides {
        size_t n_left = 0;
        int64_t low = 0, high = 0;  // the codes beside the cut; high: that of missing, where there is none on the right
        double left_weight = 0.0;
        size_t n_missing = 0;
    };

    /// Rows that go left first; goes_right: by their codes.
    template <class Code, class GoesRight>
    Sides partition(const Code* line, std::span<uint32_t> node_rows, GoesRight goes_right) {
        const uint32_t* rows = node_rows.data();
        Sides sides;
        sides.n_left = divide(node_rows.size(), [=](size_t i) { return goes_right(line[rows[i]]); },
                              Stretch{node_rows.data(), moved_.data()});
        return sides;
    }

    template <class Code>
    void describe(const Code* line, const Rows& rows, std::span<const uint32_t> node_rows, int64_t absent, Sides& sides) const {
        sides.high = absent;
        for (size_t i = 0; i < sides.n_left; ++i) {
            const int64_t c = line[node_rows[i]];
            sides.low = std::max(sides.low, c != absent ? c : 0);
            sides.n_missing += c == absent;
            sides.left_weight += rows.targets.weight[node_rows[i]];
        }
        for (size_t i = sides.n_left; i < node_rows.size(); ++i) {
            const int64_t c = line[node_rows[i]];
            sides.high = std::min(sides.high, c);
            sides.n_missing += c == absent;
        }
    }

    /// set_: the levels that go left; those the node has not met go with the heavier side: true if left.
    template <class Code>
    bool write_set(const Code* line, const Rows& rows, std::span<const uint32_t> node_rows, double total, int64_t absent) {
        set_.clear(absent, false);
        for (const size_t level : splitter_.chosen) set_.insert(level);
        double left = 0.0;
        for (const uint32_t row : node_rows) {
            if (set_.has(line[row])) left += rows.targets.weight[row];
        }
        if (2.0 * left < total) return false;
        set_.clear(absent, true);
        for (const uint32_t row : node_rows) set_.erase(line[row]);
        for (const size_t level : splitter_.chosen) set_.insert(level);
        return true;
    }

    /// Write a leaf: a class or a row of the leaf table; for one number, the number and a training answer at random.
    void write_leaf(const Rows& rows, std::span<const uint32_t> node_rows, const NodeSummary& node, size_t at) {
        Node& leaf = tree_->nodes[at];
        const size_t n_classes = target_.n_classes;
        leaf = {-1, 0, 0.0};
        if (n_classes == 0 && n_sums_ == 1) {
            leaf.threshold = value_[0];
            const float drawn = float(rows.targets.values[node_rows[draw_by_weight(node_rows.size(), node.total)]]);
            std::memcpy(&leaf.column, &drawn, sizeof drawn);
        } else if (n_classes == 0) {
            leaf.column = int32_t(tree_->leaves.size() / n_sums_);
            tree_->leaves.insert(tree_->leaves.end(), value_.begin(), value_.end());
        } else if (node.is_pure && (n_classes != 2 || value_[0] == double(rows.targets.classes[node_rows[0]]))) {
            leaf.column = rows.targets.classes[node_rows[0]];
        } else {
            const size_t first = tree_->leaves.size();
            leaf.column = int32_t(n_classes + first / n_classes);
            double whole = 0.0;
            for (size_t c = 0; c < n_classes; ++c) {
                // of two classes only the second one's share is known
                const double share = n_sums_ > 1 ? value_[c] : c ? value_[0] : 1.0 - value_[0];
                tree_->leaves.push_back(share / target_.worth[c]);
                whole += tree_->leaves.back();
            }
            for (size_t c = 0; c < n_classes; ++c) tree_->leaves[first + c] /= whole;
        }
    }

    /// A place 0 … m - 1 among the node's rows, drawn by their weights.
    size_t draw_by_weight(size_t m, double total) {
        double at = rng_.uniform() * total;
        size_t i = 0;
        for (; i + 1 < m && at >= splitter_.rows.weight(i); ++i) at -= splitter_.rows.weight(i);
        return i;
    }

    /// Copying reads every column once; growing reads max_features of them at each of some ten levels.
    bool is_block_worthwhile(size_t m) const {
        return int64_t(m) > MAX_BLOCK && int64_t(table_.n_columns()) <= 12 * limits_.max_features;
    }

    void reserve_block() {
        block_codes_.resize(table_.n_columns() * (MAX_BLOCK + PADDING) * table_.codes.width);
        block_weight_.resize(MAX_BLOCK);
        block_drawn_.resize(MAX_BLOCK);
        block_inside_.resize(MAX_BLOCK);
        block_classes_.resize(target_.classes.empty() ? 0 : MAX_BLOCK);
        block_values_.resize(target_.values.empty() ? 0 : MAX_BLOCK * target_.n_targets);
    }

    /// What a subtree needs of its rows, side by side.
    Rows copy_block(const RowTargets& targets, std::span<const uint32_t> node_rows) {
        if (table_.codes.width == 1) copy_codes<uint8_t>(node_rows);
        else copy_codes<uint16_t>(node_rows);
        const size_t n_targets = target_.n_targets;
        for (size_t i = 0; i < node_rows.size(); ++i) {
            const uint32_t row = node_rows[i];
            block_inside_[i] = uint32_t(i);
            block_weight_[i] = targets.weight[row];
            block_drawn_[i] = targets.drawn[row];
            if (!block_classes_.empty()) block_classes_[i] = targets.classes[row];
            if (!block_values_.empty()) std::copy_n(targets.values + row * n_targets, n_targets, &block_values_[i * n_targets]);
        }
        const CodeMatrix codes{block_codes_.data(), MAX_BLOCK + PADDING, table_.codes.width};
        const RowTargets copied{block_classes_.data(), block_values_.data(), block_weight_.data(), block_drawn_.data()};
        return {codes, copied, std::span(block_inside_).first(node_rows.size())};
    }

    template <class Code>
    void copy_codes(std::span<const uint32_t> node_rows) {
        const Code* by_row = static_cast<const Code*>(table_.by_row.data);
        Code* codes = reinterpret_cast<Code*>(block_codes_.data());
        const size_t n = node_rows.size(), d = table_.n_columns();
        for (size_t i = 0; i < n; ++i) {
            const char* ahead = reinterpret_cast<const char*>(by_row + node_rows[std::min(i + AHEAD, n - 1)] * d);
            for (size_t byte = 0; byte < d * sizeof(Code); byte += 64) __builtin_prefetch(ahead + byte);
            const Code* line = by_row + node_rows[i] * d;
            for (size_t j = 0; j < d; ++j) codes[j * (MAX_BLOCK + PADDING) + i] = line[j];
        }
    }

    /// Thresholds midway between the values on either side of a split. All nodes in one go: the values are far apart in memory,
    /// and the processor fetches those of several nodes at a time.
    void write_thresholds() {
        for (size_t k = 0; k < tree_->nodes.size(); ++k) {
            Node& node = tree_->nodes[k];
            if (node.is_leaf() || node.column & CATEGORY) continue;
            node.threshold = table_.threshold(size_t(node.column & COLUMN), tree_->cut[k], tree_->next[k]);
        }
    }

    /// Make every cut the last code whose values go left: rows that were not drawn lie between the node's own values.
    void widen_cuts() {
        for (size_t k = 0; k < tree_->nodes.size(); ++k) {
            const Node& node = tree_->nodes[k];
            if (node.is_leaf() || node.column & CATEGORY) continue;
            const double* lows = table_.low.data() + table_.first[size_t(node.column & COLUMN)];
            tree_->cut[k] = uint16_t(last_code(lows, node.threshold, tree_->cut[k], tree_->next[k]));
        }
    }

    /// The last code from `low` up, below `high`, whose values go left. Looked for from the middle outwards, where it mostly is:
    /// near places share a line of the cache.
    static int64_t last_code(const double* lows, double threshold, int64_t low, int64_t high) {
        const int64_t at = (low + high) >> 1;
        int64_t step = 1;
        if (lows[at] <= threshold) {
            for (low = at; low + step < high && lows[low + step] <= threshold; step <<= 1) low += step;
            high = std::min(high, low + step);
        } else {
            for (high = at; high - step > low && lows[high - step] > threshold; step <<= 1) high -= step;
            low = std::max(low, high - step);
        }
        while (low + 1 < high) {
            const int64_t middle = (low + high) >> 1;
            if (lows[middle] <= threshold) low = middle;
            else high = middle;
        }
        return low;
    }

    const BinnedTable& table_;
    const Target& target_;
    Limits limits_;
    Splitter<NodeRows> splitter_;
    size_t n_sums_, n_kept_ = 0;
    Rng rng_{0};
    GrowingTree* tree_ = nullptr;
    std::vector<double> weight_;       // (rows) of the rows drawn, as often as they are
    std::vector<uint32_t> inside_;
    std::vector<uint32_t> moved_;      // rows that go right, while a node is divided; a part of a node's rows
    std::vector<double> value_;        // (n_sums) of the node at hand
    std::vector<uint32_t> column_;     // columns, in the order of the latest draws
    std::vector<char> is_constant_;    // (columns)
    std::vector<uint32_t> constant_;   // columns that are constant in the node at hand, those of its ancestors first
    Frontier<Entry> frontier_;
    std::vector<Entry> waiting_;  // roots of subtrees that are grown on blocks
    LevelSet set_;
    std::vector<std::byte> block_codes_;  // (columns, MAX_BLOCK + PADDING)
    std::vector<double> block_weight_, block_values_;
    std::vector<int32_t> block_classes_, block_drawn_;
    std::vector<uint32_t> block_inside_;
};

}  // namespace tamis
