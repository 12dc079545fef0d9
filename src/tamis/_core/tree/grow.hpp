#pragma once
// Growing a binary tree on codes (Breiman, Friedman, Olshen and Stone 1984): rows of a node are kept side by side, buffers allocated once.
#include "../divide.hpp"
#include "../frontier.hpp"
#include "absolute_error.hpp"
#include "criteria.hpp"
#include "keys.hpp"
#include "scan_blocks.hpp"
#include "scan_levels.hpp"
#include "scan_numbers.hpp"
#include "surrogate.hpp"
#include "table.hpp"

namespace tamis::cart {

/// direction of a side: 1 left, -1 right, 0 as long as it is not known.
inline int8_t direction_of(Side side) { return side == LEFT ? 1 : side == RIGHT ? -1 : 0; }

/// Side of a level among those of a split, which ascend; UNKNOWN when it is not one of them.
inline Side side_of_level(std::span<const LevelSide> levels, int64_t level) {
    const auto found = std::lower_bound(levels.begin(), levels.end(), level, [](const LevelSide& a, int64_t b) { return a.level < b; });
    return found != levels.end() && found->level == level ? found->side : UNKNOWN;
}

/// Grows one tree on some rows of a table; every row at most once, its weight says how often it counts.
class TreeGrower {
public:
    TreeGrower(const TreeTable& table, const SortedColumns& sorted, const Target& target, const Limits& limits, std::span<const int64_t> rows,
               Surrogates surrogates = Surrogates::ALL)
        : table_(table), sorted_(sorted), target_(target), limits_(limits), surrogates_(surrogates), n_(target.n_stats), is_class_(is_class(target.kind)),
          is_sorted_(pays_to_sort(rows.size())), orders_blocks_(!is_sorted_ && reads_rows_in_order() && limits.max_leaves == 0), all_sorted_(is_sorted_ && std::none_of(table.category.begin(), table.category.end(), std::identity{})),
          levels_(all_sorted_ ? 0 : std::max<size_t>(std::min(rows.size(), table.max_codes()), 16) + 2, n_, std::max<size_t>(n_, 2)),
          median_(target.kind == Kind::ABSOLUTE_ERROR ? rows.size() : 0), classes_(is_class_ && !all_sorted_ ? rows.size() : 0),
          values_(is_class_ ? 0 : rows.size() * target.n_targets()), weight_(rows.size()), tally_(rows.size() / BLOCK + 1),
          side_(rows.size()), direction_(table.n_rows), moved_(rows.size()), total_(n_), present_(n_), left_(n_),
          is_bounded_(!limits.monotone.empty() && n_ == 2) {
        tree_.rows.assign(rows.begin(), rows.end());
        tree_.n_stats = n_;
        side_of_.assign(table.max_codes() + 1, UNKNOWN);
        note_weights();
        if (is_sorted_) take_sorted();
    }

    GrownTree grow(const Interrupt& interrupt) {
        const bool is_best_first = limits_.max_leaves > 0;
        Frontier<> frontier(is_best_first ? Order::BEST_FIRST : Order::DEPTH_FIRST);
        auto look_at = [&](size_t k) {
            examine(k);
            if (tree_.nodes[k].feature >= 0) frontier.push({k, tree_.nodes[k].improvement});
        };
        add_leaf(-1, 0, 0, tree_.rows.size());
        look_at(0);
        grow_nodes(frontier, is_best_first ? size_t(limits_.max_leaves) : std::numeric_limits<size_t>::max(), interrupt, [&](const Waiting& item) {
            partition(item.node);
            split(item.node);
            for (size_t child = size_t(tree_.nodes[item.node].left), end = child + 2; child < end; ++child) look_at(child);
            return true;
        });
        for (const Waiting& item : frontier.items()) {  // splits found but not made, because there are leaves enough
            TreeNode& node = tree_.nodes[item.node];
            node.feature = -1;
            node.improvement = 0.0;
            node.side = LEFT;
            node.levels.clear();
        }
        return std::move(tree_);
    }

private:
    using Rows = std::span<uint32_t>;
    static constexpr size_t FEW_ROWS = 16;

    /// A split of a node by one column.
    struct Split {
        double rank = NO_GAIN;  // what columns compete by; -inf when there is none
        double gain = 0.0;
        int64_t cut = -2, upper = -2;
        Side side = UNKNOWN;  // of missing values, where these take part
        size_t n_left = 0, n_levels = 0;  // of a category: the first n_left of the arranged levels go left
    };

    /// Columns are kept sorted from node to node where they fit into memory and criteria read rows in order. A single split of a large
    /// table has nothing to keep them for (5 million rows: 1.9 of 2.5 s).
    bool pays_to_sort(size_t n_rows) const {
        constexpr size_t FEW_CELLS = size_t(1) << 20;
        const size_t cells = n_rows * table_.n_columns();
        return reads_rows_in_order() && 8 * cells <= table_.max_sorted && (cells <= FEW_CELLS || limits_.max_depth > 1);
    }
    bool reads_rows_in_order() const {
        const bool is_simple = target_.kind == Kind::GINI || target_.kind == Kind::ENTROPY || target_.kind == Kind::CHI2 ||
                               (target_.kind == Kind::SQUARED_ERROR && n_ == 2);
        return is_simple && limits_.missing != Missing::CATEGORY;
    }

    /// unit_ and class_weight_: the weights, where they are the same for all rows or for all of a class.
    void note_weights() {
        min_side_weight_ = min_side_weight(target_.cases, tree_.rows);
        const double unit = target_.cases[tree_.rows[0]];
        for (const uint32_t row : tree_.rows) {
            if (target_.cases[row] != unit) return;
        }
        unit_ = unit;
        if (!is_class_) return;
        class_weight_.assign(n_, 0.0);
        for (const uint32_t row : tree_.rows) class_weight_[size_t(target_.classes[row])] = target_.weight[row];
        for (const uint32_t row : tree_.rows) {
            if (class_weight_[size_t(target_.classes[row])] != target_.weight[row]) return class_weight_.clear();
        }
    }

    /// The tree's rows of every sorted column, with the bit of class 1.
    void take_sorted() {
        const size_t m = tree_.rows.size();
        std::vector<uint8_t> inside(table_.n_rows, 0);
        for (const uint32_t row : tree_.rows) inside[row] = is_class_ && target_.classes[row] == 1 ? 3 : 1;
        make_lines(0, m);
        for (size_t j = 0; j < table_.n_columns(); ++j) {
            if (table_.category[j]) continue;
            const uint32_t* line = sorted_.line(j);
            uint32_t* to = ordered_.get() + place_[j] * m;
            size_t n = 0;
            for (size_t i = 0; i < table_.n_rows && n < m; ++i) {
                const uint32_t in = inside[line[i]];
                to[n] = line[i] | (in >> 1) << 31;
                n += in & 1;
            }
        }
    }

    /// Room for every numeric column of the rows from begin to end.
    void make_lines(size_t begin, size_t end) {
        place_.resize(table_.n_columns());
        size_t n_numeric = 0;
        for (size_t j = 0; j < table_.n_columns(); ++j) place_[j] = table_.category[j] ? 0 : n_numeric++;
        const size_t size = n_numeric * (end - begin) + 1;  // one more: rows are written before they are wanted
        if (size > n_ordered_) ordered_ = std::make_unique_for_overwrite<uint32_t[]>(size);
        n_ordered_ = std::max(n_ordered_, size);
        ordered_begin_ = begin;
        ordered_end_ = end;
    }

    /// Sort the columns of a node whose codes are few, where those of the whole tree are too many: its subtree is grown on them, three times
    /// faster than from tables and keys (200,000 × 44).
    void order_block(const TreeNode& node) {
        constexpr size_t MAX_CELLS = size_t(1) << 24;
        if (!orders_blocks_ || is_ordered(node) || node.n_rows() * table_.n_columns() > MAX_CELLS || node.depth + 1 >= limits_.max_depth) return;
        make_lines(node.begin, node.end);
        std::vector<uint32_t> counts;
        for (size_t j = 0; j < table_.n_columns(); ++j) {
            if (table_.category[j]) continue;
            const std::span line = ordered(j, node.begin, node.end);
            std::copy_n(tree_.rows.begin() + ptrdiff_t(node.begin), node.n_rows(), line.begin());
            table_.columns[j].visit([&](const auto* codes) { sort_by_code(codes, size_t(table_.n_values[j]), line, moved_, counts); });
            if (!is_class_) continue;
            for (uint32_t& key : line) key |= uint32_t(target_.classes[key] == 1) << 31;
        }
    }

    bool is_ordered(const TreeNode& node) const { return node.begin >= ordered_begin_ && node.end <= ordered_end_; }

    std::span<uint32_t> ordered(size_t j, size_t begin, size_t end) const {
        return {ordered_.get() + place_[j] * (ordered_end_ - ordered_begin_) + begin - ordered_begin_, end - begin};
    }
    Rows rows_of(const TreeNode& node) { return std::span(tree_.rows).subspan(node.begin, node.n_rows()); }

    void add_leaf(int32_t parent, int32_t depth, size_t begin, size_t end) {
        TreeNode node;
        node.parent = parent;
        node.depth = depth;
        node.begin = begin;
        node.end = end;
        tree_.nodes.push_back(std::move(node));
        tree_.stats.resize(tree_.nodes.size() * n_);
    }

    bool is_large_enough(const TreeNode& node) const {
        const int64_t m = int64_t(node.n_rows());
        return m >= limits_.min_split && m >= 2 * limits_.min_leaf && node.depth < limits_.max_depth;
    }

    // ---- what a node holds

    /// Statistics and best split of node k; `feature` stays -1 when there is no split worth making.
    void examine(size_t k) {
        TreeNode& node = tree_.nodes[k];
        double* stats = tree_.stats.data() + k * n_;
        if (is_class_) summarise_classes(node, stats);
        else summarise_numbers(node, stats);
        const double mean = stats[n_ - 1];  // of numbers
        if (is_bounded_) bound_answer(node, stats);
        if (node.impurity <= 0.0 || !is_large_enough(node)) return;
        order_block(node);
        const double weight = tree_.nodes[0].weight;
        find_split(node, mean, limits_.min_share * weight);
        if (node.feature >= 0 && node.improvement < limits_.min_decrease * weight - 1e-10 * node.impurity) {
            node.feature = -1;
            node.side = LEFT;
            node.levels.clear();
        }
        node.improvement = node.feature < 0 ? 0.0 : std::max(node.improvement, 0.0);
    }

    /// The node's answer within its bounds.
    void bound_answer(TreeNode& node, double* stats) {
        if (is_class_) {
            const double own = answer_of<Gini>(stats);
            tree_.share.push_back(node.bounds.hold(own) ? std::numeric_limits<double>::quiet_NaN() : node.bounds.clamp(own));
            return;
        }
        const double mean = target_.kind == Kind::SQUARED_ERROR ? stats[1] : total_[1] / total_[0], own = stats[1];
        stats[1] = node.bounds.clamp(own);
        if (stats[1] != own) node.risk += node.weight * ((stats[1] - mean) * (stats[1] - mean) - (own - mean) * (own - mean));
    }

    /// Pass the bounds of a split node on to its children.
    void bound_children(size_t k) {
        const TreeNode& node = tree_.nodes[k];
        const size_t child = size_t(node.left), j = size_t(node.feature);
        const int monotone = monotone_of(limits_.monotone, j);
        double left = 0.0, right = 0.0;
        if (monotone != 0) {
            left = answer_of_rows(rows_of(tree_.nodes[child]));
            right = answer_of_rows(rows_of(tree_.nodes[child + 1]));
        }
        std::tie(tree_.nodes[child].bounds, tree_.nodes[child + 1].bounds) = node.bounds.below(left, right, monotone);
    }

    /// What a node of these rows would answer without bounds.
    double answer_of_rows(const Rows& rows) {
        std::array<double, 2> sums{};
        for (size_t i = 0; i < rows.size(); ++i) {
            const uint32_t row = rows[i];
            if (is_class_) {
                sums[size_t(target_.classes[row])] += target_.weight[row];
            } else {
                sums[0] += target_.weight[row];
                sums[1] += target_.weight[row] * target_.values[row];
                values_[i] = target_.values[row];
                weight_[i] = target_.weight[row];
            }
        }
        if (target_.kind == Kind::ABSOLUTE_ERROR) {
            median_.rank(values_.data(), rows.size());
            return median_.median(weight_.data());
        }
        return is_class_ ? answer_of<Gini>(sums.data()) : answer_of<SquaredError>(sums.data());
    }

    void summarise_classes(TreeNode& node, double* stats) {
        const Rows rows = rows_of(node);
        if (!all_sorted_) {  // columns in order read classes by row
            for (size_t i = 0; i < rows.size(); ++i) {
                classes_[i] = target_.classes[rows[i]];
                weight_[i] = target_.weight[rows[i]];
            }
        }
        std::fill(total_.begin(), total_.end(), 0.0);
        if (class_weight_.size() == 2) {
            int64_t ones = 0;
            for (const uint32_t row : rows) ones += target_.classes[row];
            total_[0] = class_weight_[0] * double(int64_t(rows.size()) - ones);
            total_[1] = class_weight_[1] * double(ones);
        } else {
            for (const uint32_t row : rows) total_[size_t(target_.classes[row])] += target_.weight[row];
        }
        std::copy(total_.begin(), total_.end(), stats);
        const auto n_present = std::count_if(total_.begin(), total_.end(), [](double w) { return w > 0.0; });
        node.weight = weight_of_classes(total_.data(), n_);
        node.impurity = n_present > 1 ? class_impurity(target_.kind, total_.data(), n_) : 0.0;
    }

    /// Impurity is 0 when all targets are the same. Targets are centred where squares are summed: they lose no digits then.
    void summarise_numbers(TreeNode& node, double* stats) {
        const Rows rows = rows_of(node);
        const size_t m = rows.size(), n_targets = target_.n_targets();
        std::fill(total_.begin(), total_.end(), 0.0);
        bool is_same = true;
        for (size_t i = 0; i < m; ++i) {
            const double w = target_.weight[rows[i]];
            weight_[i] = w;
            total_[0] += w;
            for (size_t k = 0; k < n_targets; ++k) {
                const double y = target_.values[rows[i] * n_targets + k];
                values_[i * n_targets + k] = y;
                total_[k + 1] += w * y;
                is_same &= y == values_[k];
            }
        }
        stats[0] = node.weight = total_[0];
        for (size_t k = 1; k < n_; ++k) stats[k] = total_[k] / total_[0];
        node.risk = node.impurity = sum_squares(m, stats, target_.kind == Kind::SQUARED_ERROR);
        if (target_.kind == Kind::POISSON) {
            node.impurity = 0.0;
            for (size_t k = 1; k < n_; ++k) {
                for (size_t i = 0; i < m; ++i) {
                    const double y = values_[i * n_targets + k - 1];
                    if (y > 0.0) node.impurity += weight_[i] * y * natural_log(y / stats[k]);
                }
            }
        } else if (target_.kind == Kind::ABSOLUTE_ERROR) {
            median_.rank(values_.data(), m);
            const double middle = median_.median(weight_.data());
            node.risk += stats[0] * (stats[1] - middle) * (stats[1] - middle);
            node.impurity = 0.0;
            for (size_t i = 0; i < m; ++i) node.impurity += weight_[i] * std::abs(values_[i] - middle);
            stats[1] = middle;
        }
        if (is_same) node.risk = node.impurity = 0.0;
    }

    /// Σ w (y - mean)².
    double sum_squares(size_t m, const double* stats, bool centres) {
        const size_t n_targets = target_.n_targets();
        double sum = 0.0;
        for (size_t k = 1; k < n_; ++k) {
            double shifted = 0.0;
            for (size_t i = 0; i < m; ++i) {
                double& y = values_[i * n_targets + k - 1];
                const double off = y - stats[k];
                sum += weight_[i] * off * off;
                shifted += weight_[i] * off;
                if (centres) y = off;
            }
            if (centres) total_[k] = shifted;
        }
        return sum;
    }

    bool is_uniform(size_t begin, size_t end) const {
        const std::span rows = std::span(tree_.rows).subspan(begin, end - begin);
        const size_t n_targets = is_class_ ? 0 : target_.n_targets();
        return std::all_of(rows.begin(), rows.end(), [&](uint32_t row) {
            if (is_class_) return target_.classes[row] == target_.classes[rows[0]];
            return std::equal(&target_.values[row * n_targets], &target_.values[row * n_targets] + n_targets, &target_.values[rows[0] * n_targets]);
        });
    }

    // ---- the best split of a node

    RowValues by_row() const { return {target_.classes.data(), target_.values.data(), target_.weight.data()}; }
    RowValues by_place() const { return {classes_.data(), values_.data(), weight_.data()}; }

    /// Every column is tried; of equal splits that of the column first in order is made. With the gain ratio, the best ratio counts among
    /// the columns of at least average gain.
    void find_split(TreeNode& node, double mean, double min_weight) {
        const double slack = TIE * (is_class_ ? weight_of_classes(total_.data(), n_) : node.impurity);
        const CutLimits cuts{limits_.min_leaf, min_weight, slack, is_bounded_ ? &allowed_ : nullptr};
        allowed_ = {node.bounds, 0, target_.kind == Kind::SQUARED_ERROR ? mean : 0.0};
        const bool is_ratio = target_.kind == Kind::GAIN_RATIO;
        const double tie = is_ratio ? TIE : slack, floor = is_ratio ? average_gain(node, cuts) : NO_GAIN;
        const double whole = undivided(target_.kind, total_.data(), n_);
        const bool in_order = is_ordered(node);
        double bar = -1.0;
        for (const int64_t column : table_.order) {
            const size_t j = size_t(column);
            allowed_.monotone = monotone_of(limits_.monotone, j);
            if (in_order && !table_.category[j]) {
                const Cut cut = try_ordered(node, j, mean, whole, bar, cuts);
                if (cut.cut >= 0 && cut.gain > bar) {
                    accept(node, j, {cut.gain, cut.gain, cut.cut, cut.upper});
                    bar = cut.gain + tie;
                }
                continue;
            }
            const Split split = try_column(node, j, cuts);
            if (split.rank > NO_GAIN && split.gain >= floor && (node.feature < 0 || split.rank > bar)) {
                accept(node, j, split);
                bar = split.rank + tie;
            }
        }
    }

    void accept(TreeNode& node, size_t j, const Split& split) {
        node.feature = int32_t(j);
        node.improvement = split.gain;
        node.cut = split.cut;
        node.upper = split.upper;
        node.side = split.side;
        node.levels.clear();
        for (size_t g = 0; g < split.n_levels; ++g) node.levels.push_back({levels_.code[g], RIGHT});
        for (size_t q = 0; q < split.n_left; ++q) node.levels[levels_.arranged[q]].side = LEFT;
    }

    /// Mean improvement of the columns that improve at all: what the gain ratio asks a column for first.
    double average_gain(const TreeNode& node, const CutLimits& cuts) {
        double sum = 0.0;
        size_t n = 0;
        for (const int64_t column : table_.order) {
            allowed_.monotone = monotone_of(limits_.monotone, size_t(column));
            const double gain = try_column(node, size_t(column), cuts).gain;
            if (gain > cuts.slack) {
                sum += gain;
                ++n;
            }
        }
        return n ? sum / double(n) * (1.0 - 1e-9) : NO_GAIN;
    }

    /// present_: statistics of the node without its rows from position n on, which have no value.
    template <class Code>
    void subtract(const OrderedRows<Code>& order, size_t n, double mean) {
        present_ = total_;
        for (size_t p = n; p < order.size(); ++p) {
            const size_t row = order.row(p);
            const double w = target_.weight[row];
            if (is_class_) {
                present_[size_t(target_.classes[row])] -= w;
            } else {
                present_[0] -= w;
                present_[1] -= w * (target_.values[row] - mean);
            }
        }
    }

    /// Improvement of the best cut of a column in order that improves by more than `bar`. whole: goodness of the undivided node.
    Cut try_ordered(const TreeNode& node, size_t j, double mean, double whole, double bar, const CutLimits& cuts) {
        return table_.columns[j].visit([&](const auto* codes) -> Cut {
            using Code = std::remove_cvref_t<decltype(*codes)>;
            const OrderedRows<Code> order{ordered(j, node.begin, node.end), codes};
            const size_t m = order.size(), n = table_.has_missing[j] ? order.n_with_value(table_.n_values[j]) : m;
            // of few rows a scan finds out as quickly that all have one value: codes are read where they lie, far apart
            if (n == 0 || (n > FEW_ROWS && order.code(0) == order.code(n - 1))) return {0.0};
            const OrderedRows<Code> with_value = order.head(n);
            if (target_.kind == Kind::GINI && class_weight_.size() == 2 && !is_bounded_) {
                int64_t ones = 0;  // of the rows without a value
                for (size_t p = n; p < m; ++p) ones += order.keys[p] >> 31;
                const double w0 = class_weight_[0], w1 = class_weight_[1], zeros = double(int64_t(m - n) - ones);
                const double all0 = total_[0] - w0 * zeros, all1 = total_[1] - w1 * double(ones);
                return TwoClassScan<Code>(with_value, w0, w1, all0, all1, cuts).best(bar, tally_.data());
            }
            const double* total = total_.data();
            double parent = whole;
            if (n < m) {
                subtract(order, n, mean);
                total = present_.data();
                parent = undivided(target_.kind, total, n_);
            }
            Cut best;
            if (target_.kind == Kind::GINI) best = scan_gini(with_value, by_row(), left_.data(), total, n_, parent + bar, cuts);
            else if (target_.kind == Kind::SQUARED_ERROR) best = scan_squares(with_value, by_row(), mean, total, parent + bar, cuts);
            else if (target_.kind == Kind::ENTROPY) best = scan_sorted<Entropy>(with_value, by_row(), left_.data(), total, n_, cuts);
            else best = scan_sorted<Chi2>(with_value, by_row(), left_.data(), total, n_, cuts);
            best.gain -= parent;
            return best;
        });
    }

    /// Best split of the node by column j, whose rows are gathered and sorted. Missing values may take part: as one more level, or below
    /// or above all numbers.
    Split try_column(const TreeNode& node, size_t j, const CutLimits& cuts) {
        const bool with_missing = limits_.missing == Missing::CATEGORY;
        const int64_t missing = table_.n_values[j];
        const Rows rows = rows_of(node);
        if (is_tabled(j, rows.size())) return with_criterion(target_.kind, [&](auto own) { return try_table<decltype(own)>(node, j, cuts); });
        CodeSpan span = gather_keys(j, rows, with_missing ? missing : SKIP);
        if (span.n == 0 || span.low == span.high) return {};
        const double* total = total_.data();
        if (span.n < int64_t(rows.size())) {
            std::fill(present_.begin(), present_.end(), 0.0);
            for (size_t p = 0; p < size_t(span.n); ++p) add(uint32_t(keys_[p]), present_.data());
            total = present_.data();
        }
        if (table_.category[j]) return try_levels(node, span, with_missing ? missing : SKIP, total, cuts);
        Cut best = try_numbers(span, total, cuts);
        Split split;
        split.side = with_missing && span.high == missing ? RIGHT : UNKNOWN;
        double weight = weight_left(span, best.cut);
        if (split.side == RIGHT) {  // missing values were above all numbers; now below
            span = gather_keys(j, rows, -1);
            const Cut other = try_numbers(span, total, cuts);
            if (other.gain > best.gain + cuts.slack && other.cut >= 0) {
                best = other;
                split.side = LEFT;
                weight = weight_left(span, best.cut);
            }
            if (best.upper == missing) best.upper = -1;
        }
        if (best.cut < 0) return {};
        split.rank = split.gain = best.gain;
        split.cut = best.cut;
        split.upper = best.upper;
        if (target_.kind == Kind::GAIN_RATIO) split.rank = ratio(split.gain, weight, total);
        return split;
    }

    CodeSpan gather_keys(size_t j, const Rows& rows, int64_t missing_as) {
        if (keys_.size() < rows.size()) keys_.resize(rows.size());
        return gather(table_, j, rows, missing_as, keys_.data());
    }

    /// Whether rows are added to a table of all codes of a column, without keys: its codes repeat four times and more. Trees on words, or
    /// by the gain ratio on numbers of one digit, take 1.3 times as long without.
    bool is_tabled(size_t j, size_t n_rows) const {
        return size_t(table_.n_values[j] + 1) * (n_ + 2) <= n_rows && target_.kind != Kind::ABSOLUTE_ERROR;
    }

    /// As `try_column`, from the statistics of every code.
    template <class Criterion>
    Split try_table(const TreeNode& node, size_t j, const CutLimits& cuts) {
        LevelTable& table = levels_.table;
        const size_t missing = size_t(table_.n_values[j]);
        if (!class_weight_.empty()) count_codes(j, rows_of(node), classes_.data(), n_, class_weight_.data());
        else tabulate(j, rows_of(node), [](size_t) { return true; }, [&](size_t i, double* stats) { add_row<Criterion>(by_place(), i, stats, n_); });
        const int64_t n_missing = table.rows[missing];
        const bool with_missing = limits_.missing == Missing::CATEGORY && n_missing > 0;
        CodeSpan span{int64_t(node.n_rows()) - (with_missing ? 0 : n_missing), 0, int64_t(missing) - !with_missing};
        if (std::count_if(table.rows.begin(), table.rows.begin() + ptrdiff_t(span.size()), [](int64_t n) { return n > 0; }) < 2) return {};
        const double* total = total_.data();
        if (n_missing > 0 && !with_missing) {
            std::fill(present_.begin(), present_.end(), 0.0);
            for (size_t code = 0; code < missing; ++code) {
                for (size_t k = 0; k < n_; ++k) present_[k] += table.of(code)[k];
            }
            total = present_.data();
        }
        if (table_.category[j]) {
            levels_.drop_empty(span);
            return divide_levels<Criterion>(node, span.n, with_missing ? int64_t(missing) : SKIP, total, cuts);
        }
        Split split;
        auto scan = [&](Side side) {
            Cut best = scan_table<Criterion>(span, table.stats.data(), table.width, table.rows.data(), left_.data(), total, n_, cuts);
            best.gain -= Criterion::undivided(total, n_);
            if (best.cut < 0 || (split.rank > NO_GAIN && !(best.gain > split.gain + cuts.slack))) return;
            split = {best.gain, best.gain, best.cut, best.upper == int64_t(missing) ? -1 : best.upper, side};
            if (target_.kind != Kind::GAIN_RATIO) return;
            double weight = 0.0;
            for (int64_t code = span.low; code <= best.cut; ++code) weight += weight_of_classes(table.of(size_t(code - span.low)), n_);
            split.rank = ratio(split.gain, weight, total);
        };
        scan(with_missing ? RIGHT : UNKNOWN);
        if (with_missing) {  // missing values were above all numbers; now below
            table.rotate(missing + 1);
            span = {span.n, -1, int64_t(missing) - 1};
            scan(LEFT);
        }
        return split;
    }

    /// The table of a column's codes: add(i, statistics of its code) for each row of a node that takes part, by its place.
    template <class TakesPart, class Add>
    void tabulate(size_t j, const Rows& rows, TakesPart takes_part, Add add) {
        LevelTable& table = levels_.table;
        table.clear(size_t(table_.n_values[j]) + 1);
        table_.columns[j].visit([&](const auto* codes) {
            for (size_t i = 0; i < rows.size(); ++i) {
                if (!takes_part(i)) continue;
                const size_t code = size_t(codes[rows[i]]);
                add(i, table.of(code));
                ++table.rows[code];
            }
        });
    }

    /// The same of rows that weigh unit[kind], n_kinds of them, the third being rows that take no part: they are counted, twice as fast.
    template <class KindOf>
    void count_codes(size_t j, const Rows& rows, const KindOf* kind, size_t n_kinds, const double* unit) {
        LevelTable& table = levels_.table;
        const size_t n_codes = size_t(table_.n_values[j]) + 1;
        counts_.assign(n_codes * n_kinds, 0);
        uint32_t* counts = counts_.data();
        table_.columns[j].visit([&](const auto* codes) {
            if (n_kinds == 2) for (size_t i = 0; i < rows.size(); ++i) ++counts[2 * size_t(codes[rows[i]]) + size_t(kind[i])];
            else for (size_t i = 0; i < rows.size(); ++i) ++counts[n_kinds * size_t(codes[rows[i]]) + size_t(kind[i])];
        });
        table.clear(n_codes);
        for (size_t code = 0; code < n_codes; ++code) {
            for (size_t k = 0; k < std::min(n_kinds, table.width); ++k) {
                const uint32_t n = counts[code * n_kinds + k];
                table.of(code)[k] = unit[k] * n;
                table.rows[code] += n;
            }
        }
    }

    void add(size_t place, double* stats) const {
        if (is_class_) add_row<Gini>(by_place(), place, stats, n_);
        else add_row<SquaredError>(by_place(), place, stats, n_);
    }

    double ratio(double gain, double left_weight, const double* total) const {
        const double weight = weight_of_classes(total, n_);
        return GainRatio::ratio(gain, left_weight, weight);
    }

    /// Weight on the left of a cut; only the gain ratio asks for it.
    double weight_left(const CodeSpan& span, int64_t cut) const {
        double weight = 0.0;
        for (size_t p = 0; target_.kind == Kind::GAIN_RATIO && p < size_t(span.n); ++p) {
            if (keys_[p] >> 32 <= cut) weight += weight_[uint32_t(keys_[p])];
        }
        return weight;
    }

    /// Improvement of the best cut of the keys. A table pays where codes repeat four times and more.
    Cut try_numbers(const CodeSpan& span, const double* total, const CutLimits& cuts) {
        const bool by_table = int64_t(span.size() * (n_ + 2)) <= span.n && target_.kind != Kind::ABSOLUTE_ERROR;
        if (!by_table) sorter_.sort(keys_.data(), span);
        const std::span<const int64_t> keys = std::span(keys_).first(size_t(span.n));
        const SortedKeys order{keys};
        if (target_.kind == Kind::ABSOLUTE_ERROR) return median_.scan(order, by_place(), cuts);
        return with_criterion(target_.kind, [&](auto criterion) {
            using Criterion = decltype(criterion);
            Cut best;
            LevelTable& table = levels_.table;
            if (by_table) {
                fill_table<Criterion>(keys, span, by_place(), n_, table);
                best = scan_table<Criterion>(span, table.stats.data(), table.width, table.rows.data(), left_.data(), total, n_, cuts);
            } else if constexpr (std::is_same_v<Criterion, Gini>) {
                best = scan_gini(order, by_place(), left_.data(), total, n_, -1.0, cuts);
            } else if (std::is_same_v<Criterion, SquaredError> && n_ == 2) {
                best = scan_squares(order, by_place(), 0.0, total, -1.0, cuts);
            } else {
                best = scan_sorted<Criterion>(order, by_place(), left_.data(), total, n_, cuts);
            }
            best.gain -= Criterion::undivided(total, n_);
            return best;
        });
    }

    /// As `try_column` for a category; missing: the code of missing values, SKIP where they take no part.
    Split try_levels(const TreeNode& node, const CodeSpan& span, int64_t missing, const double* total, const CutLimits& cuts) {
        return with_criterion(target_.kind, [&](auto criterion) {
            using Criterion = decltype(criterion);
            levels_.template group<Criterion>(keys_, span, by_place(), sorter_);
            return divide_levels<Criterion>(node, span.n, missing, total, cuts);
        });
    }

    /// The best division of the n rows in levels_.
    template <class Criterion>
    Split divide_levels(const TreeNode& node, int64_t n, int64_t missing, const double* total, const CutLimits& cuts) {
        Split split;
        if (target_.kind == Kind::ABSOLUTE_ERROR) {
            std::tie(split.gain, split.n_left) = cut_levels(n, total, cuts);
        } else {
            std::tie(split.gain, split.n_left) = levels_.template divide<Criterion>(n, total, cuts);
            split.gain -= Criterion::undivided(total, n_);
        }
        if (split.n_left == 0) return {};
        split.n_levels = levels_.n_levels;
        split.rank = split.gain - excess(target_.kind, total, node.impurity, n, n_, levels_.n_levels);
        if (levels_.code[levels_.n_levels - 1] == missing) {
            const auto first = levels_.arranged.begin(), end = first + ptrdiff_t(split.n_left);
            split.side = std::find(first, end, uint32_t(levels_.n_levels - 1)) == end ? RIGHT : LEFT;
        }
        if (target_.kind == Kind::GAIN_RATIO) split.rank = ratio(split.rank, levels_.weight_of_first(split.n_left), total);
        return split;
    }

    /// Absolute error: levels in the order of their means, cut like numbers; improvement, and levels on the left.
    std::pair<double, size_t> cut_levels(int64_t n, const double* total, const CutLimits& cuts) {
        levels_.arrange<SquaredError>();
        const size_t n_levels = levels_.n_levels;
        std::vector<int64_t> rank(n_levels);
        for (size_t q = 0; q < n_levels; ++q) rank[levels_.arranged[q]] = int64_t(q);
        const auto codes = std::span(levels_.code).first(n_levels);
        for (size_t p = 0; p < size_t(n); ++p) {
            const size_t g = size_t(std::lower_bound(codes.begin(), codes.end(), keys_[p] >> 32) - codes.begin());
            keys_[p] = (rank[g] << 32) | int64_t(uint32_t(keys_[p]));
        }
        const Cut cut = try_numbers({n, 0, int64_t(n_levels) - 1}, total, cuts);
        return {cut.gain, size_t(std::max<int64_t>(cut.cut + 1, 0))};
    }

    // ---- the side of every row

    /// direction_ of the node's rows: by the split, else by a surrogate, else by the side of most of the weight.
    void partition(size_t k) {
        TreeNode& node = tree_.nodes[k];
        order_block(node);
        const Rows rows = rows_of(node);
        std::span<const uint32_t> left_over = rows;  // holds the rows that the primary split may not place
        SideWeights sides;
        if (all_sorted_) {
            size_t n_left_over;
            std::tie(sides, n_left_over) = place_ordered(node);
            left_over = std::span(moved_).first(n_left_over);
        } else {
            place_rows(node, rows);
            sides = weigh_sides(rows);
        }
        if (limits_.missing != Missing::CATEGORY || node.side == UNKNOWN) {  // else missing values took part and have a side
            node.side = sides.left >= sides.right ? LEFT : RIGHT;
        }
        if (has_surrogates(size_t(node.feature))) find_surrogates(node, sides);
        for (const uint32_t row : left_over) {
            if (direction_[row] == 0) direction_[row] = by_surrogates(node, row);
        }
    }

    /// Whether surrogates of a split on column j are looked for.
    bool has_surrogates(size_t j) const {
        const bool is_needed = surrogates_ == Surrogates::ALL || table_.category[j] || table_.has_missing[j];
        return limits_.missing == Missing::SURROGATE && limits_.n_surrogates > 0 && is_needed;
    }

    /// By a column in order: the weight on both sides, and the number of rows without a value, which are listed in moved_.
    std::pair<SideWeights, size_t> place_ordered(const TreeNode& node) {
        const size_t j = size_t(node.feature);
        return table_.columns[j].visit([&](const auto* codes) {
            const std::span keys = ordered(j, node.begin, node.end);
            auto end_of = [&](int64_t code) {  // where codes above it begin
                return std::partition_point(keys.begin(), keys.end(), [&](uint32_t key) { return int64_t(codes[key & ROW]) <= code; });
            };
            const auto right = end_of(node.cut), missing = end_of(table_.n_values[j] - 1);
            SideWeights sides{0.0, 0.0};
            auto place = [&](auto first, auto last, int8_t direction, double& weight) {
                for (; first != last; ++first) {
                    const uint32_t row = *first & ROW;
                    direction_[row] = direction;
                    weight += unit_ == 0.0 ? target_.cases[row] : unit_;
                }
            };
            place(keys.begin(), right, 1, sides.left);
            place(right, missing, -1, sides.right);
            size_t n_left_over = 0;
            for (auto key = missing; key != keys.end(); ++key) {
                direction_[*key & ROW] = 0;
                moved_[n_left_over++] = *key & ROW;
            }
            return std::pair(sides, n_left_over);
        });
    }

    /// By any column: rows that have a value, and a level that is part of the split.
    void place_rows(const TreeNode& node, const Rows& rows) {
        const size_t j = size_t(node.feature);
        for (const LevelSide& level : node.levels) side_of_[size_t(level.level)] = level.side;
        table_.columns[j].visit([&](const auto* codes) {
            const int64_t missing = table_.n_values[j], cut = node.cut;
            for (const uint32_t row : rows) {
                const int64_t code = int64_t(codes[row]);
                if (!node.levels.empty()) direction_[row] = direction_of(side_of_[size_t(code)]);
                else direction_[row] = code == missing ? int8_t(0) : code <= cut ? int8_t(1) : int8_t(-1);
            }
        });
        for (const LevelSide& level : node.levels) side_of_[size_t(level.level)] = UNKNOWN;
    }

    /// Weight on both sides; weight_ and side_ of each row by its place in the node.
    SideWeights weigh_sides(const Rows& rows) {
        SideWeights sides{0.0, 0.0};
        has_unplaced_ = false;
        for (size_t i = 0; i < rows.size(); ++i) {
            const uint32_t row = rows[i];
            weight_[i] = target_.cases[row];
            side_[i] = direction_[row] > 0 ? LEFT : direction_[row] < 0 ? RIGHT : UNKNOWN;
            if (side_[i] == LEFT) sides.left += weight_[i];
            else if (side_[i] == RIGHT) sides.right += weight_[i];
            has_unplaced_ |= side_[i] == UNKNOWN;
        }
        return sides;
    }

    int8_t by_surrogates(const TreeNode& node, size_t row) const {
        for (const Surrogate& surrogate : node.surrogates) {
            const int64_t code = table_.columns[size_t(surrogate.column)].at(row);
            if (code == table_.n_values[size_t(surrogate.column)]) continue;
            if (surrogate.levels.empty()) {  // by value, as rows go down later: a code between cut and upper may be on either side
                const size_t j = size_t(surrogate.column);
                const bool is_below = table_.high[size_t(table_.first[j] + code)] <= table_.threshold(j, surrogate.cut, surrogate.upper);
                return is_below != surrogate.flip ? int8_t(1) : int8_t(-1);
            }
            const Side side = side_of_level(surrogate.levels, code);
            if (side != UNKNOWN) return direction_of(side);
        }
        return direction_of(node.side);
    }

    /// The best surrogates of the node's split, best first; of equal ones the column first in order comes first.
    void find_surrogates(TreeNode& node, const SideWeights& sides) {
        SurrogateList list(limits_.n_surrogates, sides);
        std::vector<LevelSide> levels;
        for (const int64_t column : table_.order) {
            // by a directed column a row without the split's value would change sides against its direction
            if (column == node.feature || monotone_of(limits_.monotone, size_t(column)) != 0) continue;
            levels.clear();
            const Agreement found = agreement(node, size_t(column), sides, list.bar(), levels);
            list.add(column, found, levels);
        }
        node.surrogates = std::move(list.surrogates);
    }

    Agreement agreement(const TreeNode& node, size_t j, const SideWeights& sides, double bar, std::vector<LevelSide>& levels) {
        if (!is_ordered(node) || table_.category[j]) return agreement_of_rows(rows_of(node), j, levels);
        return table_.columns[j].visit([&](const auto* codes) {
            using Code = std::remove_cvref_t<decltype(*codes)>;
            const OrderedRows<Code> order{ordered(j, node.begin, node.end), codes};
            const size_t n = table_.has_missing[j] ? order.n_with_value(table_.n_values[j]) : order.size();
            return agree_by_order(order, n, direction_.data(), target_.cases.data(), unit_, sides, min_side_weight_, bar);
        });
    }

    /// Of a column whose rows are gathered, and sorted where it has many codes.
    Agreement agreement_of_rows(const Rows& rows, size_t j, std::vector<LevelSide>& levels) {
        if (is_tabled(j, rows.size())) return agreement_of_table(rows, j, levels);
        CodeSpan span = gather_keys(j, rows, SKIP);
        const size_t n_all = size_t(span.n);
        SideWeights sides{0.0, 0.0};
        span.n = 0;
        for (size_t p = 0; p < n_all; ++p) {  // rows that the primary split can place
            const size_t i = uint32_t(keys_[p]);
            if (side_[i] == UNKNOWN) continue;
            keys_[size_t(span.n++)] = keys_[p];
            (side_[i] == LEFT ? sides.left : sides.right) += weight_[i];
        }
        if (span.n < 2 || span.low == span.high) return {};
        const SortedKeys order{std::span(keys_).first(size_t(span.n))};
        if (table_.category[j]) {
            sorter_.sort(keys_.data(), span);
            return {agree_by_levels(order, side_.data(), weight_.data(), sides, levels)};
        }
        Agreement found;
        if (span.high - span.low < span.n) {
            LevelTable& table = levels_.table;
            table.clear(span.size());
            for (size_t p = 0; p < size_t(span.n); ++p) {
                const size_t code = size_t(order.code(p) - span.low), i = order.row(p);
                table.of(code)[side_[i]] += weight_[i];
                ++table.rows[code];
            }
            found = agree_by_table(span, table.stats.data(), table.width, table.rows.data(), sides, min_side_weight_);
        } else {
            sorter_.sort(keys_.data(), span);
            found = agree_by_rows(order, side_.data(), weight_.data(), sides, min_side_weight_);
        }
        return found.cut >= 0 ? found : Agreement{};
    }

    /// From the weight on both sides of every code.
    Agreement agreement_of_table(const Rows& rows, size_t j, std::vector<LevelSide>& levels) {
        LevelTable& table = levels_.table;
        const size_t n_values = size_t(table_.n_values[j]);
        const std::array<double, 3> unit{unit_, unit_, 0.0};
        if (unit_ > 0.0) count_codes(j, rows, side_.data(), 2 + has_unplaced_, unit.data());
        else tabulate(j, rows, [&](size_t i) { return side_[i] != UNKNOWN; }, [&](size_t i, double* stats) { stats[side_[i]] += weight_[i]; });
        SideWeights sides{0.0, 0.0};
        CodeSpan span{0, 0, int64_t(n_values) - 1};
        size_t n_present = 0;
        for (size_t code = 0; code < n_values; ++code) {
            sides.left += table.of(code)[LEFT];
            sides.right += table.of(code)[RIGHT];
            span.n += table.rows[code];
            n_present += table.rows[code] > 0;
        }
        if (n_present < 2) return {};
        Agreement found;
        if (table_.category[j]) {
            for (size_t code = 0; code < n_values; ++code) {
                const double* own = table.of(code);
                if (table.rows[code]) found.weight += place_level(int64_t(code), own[LEFT], own[RIGHT], sides, levels);
            }
            return found;
        }
        found = agree_by_table(span, table.stats.data(), table.width, table.rows.data(), sides, min_side_weight_);
        return found.cut >= 0 ? found : Agreement{};
    }

    // ---- making a split

    /// Two leaves below node k; columns stay in order only where a child may be split again.
    void split(size_t k) {
        const size_t begin = tree_.nodes[k].begin, end = tree_.nodes[k].end, child = tree_.nodes.size();
        const int32_t depth = tree_.nodes[k].depth + 1;
        const size_t middle = begin + keep_both(std::span(tree_.rows).subspan(begin, end - begin), moved_.data());
        tree_.nodes[k].left = int32_t(child);
        add_leaf(int32_t(k), depth, begin, middle);
        add_leaf(int32_t(k), depth, middle, end);
        if (is_bounded_) bound_children(k);
        if (!is_ordered(tree_.nodes[k])) return;
        const bool left = is_large_enough(tree_.nodes[child]) && !is_uniform(begin, middle);
        const bool right = is_large_enough(tree_.nodes[child + 1]) && !is_uniform(middle, end);
        for (size_t j = 0; j < table_.n_columns() && (left || right); ++j) {
            if (table_.category[j]) continue;
            const std::span keys = ordered(j, begin, end);
            if (left && right) keep_both(keys, moved_.data());
            else if (left) keep_left(keys);
            else keep_right(keys);
        }
    }

    /// Rows that go left first; returns how many do.
    size_t keep_both(std::span<uint32_t> keys, uint32_t* moved) const {
        const int8_t* direction = direction_.data();
        const uint32_t* key = keys.data();
        return divide(keys.size(), [=](size_t p) { return size_t(direction[key[p] & ROW] < 0); }, Stretch{keys.data(), moved});
    }
    void keep_left(std::span<uint32_t> keys) const {
        size_t left = 0;
        for (size_t p = 0; p < keys.size(); ++p) {
            const uint32_t key = keys[p];
            keys[left] = key;
            left += direction_[key & ROW] > 0;
        }
    }
    void keep_right(std::span<uint32_t> keys) const {
        size_t right = keys.size();
        for (size_t p = keys.size(); p-- > 0;) {
            const uint32_t key = keys[p];
            keys[right - 1] = key;
            right -= direction_[key & ROW] < 0;
        }
    }

    const TreeTable& table_;
    const SortedColumns& sorted_;
    const Target& target_;
    const Limits& limits_;
    Surrogates surrogates_;
    size_t n_;  // statistics of a node
    bool is_class_, is_sorted_, orders_blocks_, all_sorted_;
    GrownTree tree_;
    double min_side_weight_ = 2.0;      // of surrogates
    double unit_ = 0.0;                 // the user's weight of every row; 0 where rows differ
    std::vector<double> class_weight_;  // of a row of each class, where it depends on the class alone; empty otherwise
    std::unique_ptr<uint32_t[]> ordered_;  // (numeric columns, rows): keys of OrderedRows
    size_t n_ordered_ = 0, ordered_begin_ = 1, ordered_end_ = 0;  // its size; the rows that are in it, none at first
    std::vector<size_t> place_;            // (columns): line in ordered_
    std::vector<int64_t> keys_;
    KeySorter sorter_;
    LevelDivision levels_;
    MedianScan median_;
    std::vector<int32_t> classes_;  // classes, targets and weights by place in the node
    std::vector<double> values_, weight_;
    std::vector<int32_t> tally_;  // sums of blocks
    std::vector<uint32_t> counts_;  // (codes, kinds of rows)
    bool has_unplaced_ = false;     // whether the split at hand leaves rows to surrogates
    std::vector<Side> side_;      // by place in the node
    std::vector<int8_t> direction_;  // by row of the table
    std::vector<uint32_t> moved_;    // rows that go right, or are left over by a split
    std::vector<Side> side_of_;      // by level
    std::vector<double> total_, present_, left_;  // (n_stats) of the node, of its rows with a value, of those on the left
    bool is_bounded_;    // whether answers have a direction in some column
    AllowedAnswers allowed_;  // splits on the column at hand
};

}  // namespace tamis::cart
