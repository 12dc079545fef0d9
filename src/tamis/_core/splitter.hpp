#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "binned_table.hpp"
#include "monotone.hpp"
#include "node_rows.hpp"
#include "rng.hpp"

namespace tamis {

/// When growing stops, and where it looks.
struct Limits {
    int64_t max_features;
    int64_t max_depth;
    int64_t min_split;
    int64_t min_leaf;
    double min_share;    // of the weight, on either side of a split
    bool random_cut;     // one threshold at random for each column, instead of the best
    int64_t max_rows;    // of a node, that its split is looked for among
    double min_weight;   // of either side of a split: min_share of the weight of the tree's rows; above 0
    std::span<const int8_t> monotone;  // (columns): see Bounds; empty where all are free
};

/// How a node is split.
struct Split {
    double score = -1.0;
    int64_t column = -1;  // none
    int64_t cut = 0;      // the last code on the left
    bool missing_left = false;
    double threshold = 0.0;  // where it is drawn at random
    size_t n_levels = 0;     // on the left, for a categorical column
};

/// The rows of a node in the order of a column's codes.
class RowOrder {
public:
    static constexpr size_t MAX_COMPARED = 64;  // rows up to which each is compared with each
    static constexpr size_t MAX_BUCKETS = 256;

    explicit RowOrder(size_t max_rows) : order_(std::max(max_rows, MAX_COMPARED)) {}

    uint32_t operator[](size_t i) const { return order_[i]; }

    /// Up to MAX_COMPARED rows: the place of each is the number of smaller keys. No branch could be mispredicted: with an insertion
    /// sort forests take 1.27 times as long.
    void by_comparison(const uint16_t* code, size_t m) {
        std::array<int32_t, MAX_COMPARED> key;
        for (size_t i = 0; i < m; ++i) key[i] = (int32_t(code[i]) << 7) | int32_t(i);
        for (size_t i = m; i % LANES; ++i) key[i] = std::numeric_limits<int32_t>::max();
        for (size_t first = 0; first < m; first += LANES) {
            std::array<int32_t, LANES> place{};
            for (size_t i = 0; i < m; ++i) {
                for (size_t lane = 0; lane < LANES; ++lane) place[lane] += key[i] < key[first + lane];
            }
            for (size_t lane = 0; lane < std::min(LANES, m - first); ++lane) order_[size_t(place[lane])] = uint32_t(first + lane);
        }
    }

    /// Codes are below n_buckets: they are counted.
    void by_counting(const uint16_t* code, size_t m, size_t n_buckets) {
        std::fill_n(begins_.begin(), n_buckets + 1, 0);
        for (size_t i = 0; i < m; ++i) begins_[code[i] + size_t(1)] += 1;
        for (size_t k = 0; k < n_buckets; ++k) begins_[k + 1] += begins_[k];
        for (size_t i = 0; i < m; ++i) order_[begins_[code[i]]++] = uint32_t(i);
    }

private:
    static constexpr size_t LANES = 8;

    std::vector<uint32_t> order_;
    std::array<uint32_t, MAX_BUCKETS + 2> begins_{};
};

/// The best split of a node's rows along one column; a criterion says what is best.
template <class NodeRows>
class Splitter {
public:
    Splitter(const BinnedTable& table, const Target& target, const Limits& limits, size_t max_rows)
        : rows(target, max_rows, max_codes(table)), code(max_rows), table_(table), limits_(limits), order_(max_rows),
          mean_(max_codes(table) + 1), level_(max_codes(table) + 2), ordered_(MAX_COMPARED_LEVELS) {}

    /// The best cut of a numeric column; `split` is replaced where it is better, rows without a value tried on both sides.
    ///
    /// Up to RowOrder::MAX_COMPARED drawn rows every place between two values is looked at. In larger nodes the codes between the
    /// node's smallest and largest are put into buckets of equal width, at most one for every two drawn rows and never more than
    /// MAX_BUCKETS. (Codes are ranks, so buckets of equal width hold about as many rows each.)
    void try_cuts(size_t j, size_t m, Split& split) {
        int64_t absent = table_.n_values[j];
        const bool may_miss = table_.missing[j];
        const NodeSummary& node = rows.node();
        Cut best{split.score, -1, false};
        // not m: a row given twice must count as one that weighs 2
        const bool is_coarse = node.n_drawn > int64_t(RowOrder::MAX_COMPARED);
        Buckets buckets;
        if (is_coarse) {
            buckets = into_buckets(m, absent, may_miss);
            if (rows.prefers_bins(buckets.n, m)) {
                scan_bins(m, buckets.n, may_miss, best);
                keep(j, best, buckets, split);
                return;
            }
            absent = buckets.n;
            order_.by_counting(code.data(), m, size_t(buckets.n) + 1);
        } else {
            order_.by_comparison(code.data(), m);
        }
        if (code[order_[0]] != code[order_[m - 1]]) scan_rows(m, absent, may_miss, best);
        keep(j, best, buckets, split);
    }

    /// One threshold drawn between the smallest and the largest value; rows without a value go to a side drawn at random.
    void try_random_cut(size_t j, size_t m, Rng& rng, Split& split) {
        const int64_t absent = table_.n_values[j];
        int64_t low = absent, high = -1;
        for (size_t i = 0; i < m; ++i) {
            const int64_t c = code[i];
            if (c < absent) {
                low = std::min(low, c);
                high = std::max(high, c);
            }
        }
        const double u = rng.uniform();
        const bool missing_left = rng.uniform() < 0.5;
        if (low >= high) low = high = std::min(low, absent - 1);  // one value: all that can be told apart is having one
        const auto [cut, threshold] = threshold_between(j, low, high, u);
        typename NodeRows::Left left;
        rows.reset(left);
        int64_t n_left = 0;
        for (size_t i = 0; i < m; ++i) {
            if (code[i] <= cut || (code[i] == absent && missing_left)) {
                rows.collect(left, i);
                n_left += rows.drawn(i);
            }
        }
        const int64_t n_drawn = rows.node().n_drawn;
        if (n_left == 0 || n_left == n_drawn || !is_enough(double(n_left)) || !is_heavy(left.v)) return;
        rows.settle(left);
        if (!is_allowed(left)) return;
        const double score = rows.score(left);
        if (score > split.score * MARGIN) split = {score, int64_t(j), cut, missing_left, threshold, 0};
    }

    /// The best set of levels of a categorical column.
    ///
    /// Levels are put in the order of the target's mean in the node (more than two classes: of the share of one class drawn by its
    /// weight), and the order is cut like numbers are: for numbers and two classes no set is better (Fisher 1958). A missing value
    /// is a level of its own. Levels of pure noise scatter around the node's mean, and a cut of their order captures 2/π of that
    /// scatter: each level beyond the tenth is charged for it.
    void try_levels(size_t j, size_t m, Rng& rng, Split& split) {
        const size_t n = gather_levels(m, table_.n_values[j]);
        if (n > 1) {
            arrange_levels(n, rng);
            const size_t pick = limits_.random_cut ? 1 + size_t(rng.uniform() * double(n - 1)) : 0;
            cut_levels(j, n, pick, split);
        }
        for (size_t i = 0; i < n; ++i) rows.clear_bin(level_[i]);
    }

    NodeRows rows;
    std::vector<uint16_t> code;  // of the node's rows in the column at hand
    std::vector<size_t> chosen;  // levels that go left at the best split so far
    AllowedAnswers answers;      // of splits, where limits are monotone; base: what the node's rows answer

private:
    static constexpr size_t FREE_LEVELS = 10;           // that are not charged for
    static constexpr size_t MAX_COMPARED_LEVELS = 16;   // up to which each is compared with each
    static constexpr int64_t MAX_DENSE_LEVELS = 64;     // of which all are looked at, met or not

    struct Cut {
        double score;
        int64_t at;  // code, or -1
        bool missing_left;
    };
    struct Buckets {
        int64_t low = 0, shift = 0, n = 0;  // the code low + (k << shift) begins bucket k
    };

    static size_t max_codes(const BinnedTable& table) {
        size_t n = RowOrder::MAX_BUCKETS;
        for (size_t j = 0; j < table.n_columns(); ++j) {
            if (table.category[j]) n = std::max(n, size_t(table.n_values[j]));
        }
        return n;
    }

    bool is_heavy(double v) const { return v >= limits_.min_weight && rows.node().total - v >= limits_.min_weight; }

    /// Whether both sides have rows enough; counted only where more than one is asked for.
    bool is_enough(double n_left) const {
        const double least = double(limits_.min_leaf);
        return limits_.min_leaf <= 1 || (n_left >= least && double(rows.node().n_drawn) - n_left >= least);
    }

    /// Whether the answers of both sides may be, where they are bounded.
    bool is_allowed(const typename NodeRows::Left& left) const {
        if constexpr (NodeRows::has_one_answer) {
            if (limits_.monotone.empty()) return true;
            const double right = rows.node().total - left.v;
            return answers.allows(left.s / left.v, -left.s / right);
        }
        return true;
    }

    void keep(size_t j, const Cut& best, const Buckets& buckets, Split& split) const {
        if (best.at < 0) return;
        const int64_t cut = buckets.n ? buckets.low + ((best.at + 1) << buckets.shift) - 1 : best.at;
        split = {best.score, int64_t(j), cut, best.missing_left, 0.0, 0};
    }

    /// Turn codes into buckets, a missing value into the one after the last.
    Buckets into_buckets(size_t m, int64_t absent, bool may_miss) {
        int64_t most = RowOrder::MAX_BUCKETS;
        while (2 * most > rows.node().n_drawn) most >>= 1;
        if (absent < most && absent < MAX_COPIED) return {0, 0, absent};  // codes as they are: they need not be read twice
        uint16_t low = 65535, high = 0;
        for (size_t i = 0; i < m; ++i) {
            const uint16_t c = code[i];
            low = std::min(low, c);
            high = std::max(high, may_miss && c == absent ? uint16_t(0) : c);
        }
        const int64_t width = std::max<int64_t>(int64_t(high) - low, 0);  // below 0: nothing but missing
        int64_t shift = 0;
        while (width >> shift >= most) ++shift;
        const int64_t n = (width >> shift) + 1;
        const uint16_t none = uint16_t(n);
        if (may_miss) {
            for (size_t i = 0; i < m; ++i) code[i] = code[i] == absent ? none : uint16_t(uint16_t(code[i] - low) >> shift);
        } else {
            for (size_t i = 0; i < m; ++i) code[i] = uint16_t(uint16_t(code[i] - low) >> shift);
        }
        return {low, shift, n};
    }

    /// The best cut between two bins, from their sums.
    void scan_bins(size_t m, int64_t n, bool may_miss, Cut& best) {
        const int64_t last_bin = may_miss ? n : n - 1;
        rows.fill(code.data(), m, last_bin);
        const bool counts = limits_.min_leaf > 1;
        if (counts) rows.count(code.data(), m);
        const bool with_missing = may_miss && rows.bin_weight(size_t(n)) > 0.0;
        for (int side = 0; side <= int(with_missing); ++side) {  // missing on the right, then on the left
            typename NodeRows::Left left;
            rows.reset(left);
            double n_left = 0.0, bar = rows.bar(best.score);
            if (side) {
                rows.add_bin(left, size_t(n));
                if (counts) n_left = rows.bin_drawn(size_t(n));
            }
            const int64_t end = side ? n - 1 : n + int64_t(with_missing) - 1;
            for (int64_t k = 0; k < end; ++k) {
                rows.add_bin(left, size_t(k));
                if (counts) n_left += rows.bin_drawn(size_t(k));
                if (rows.exceeds(left, bar) && is_heavy(left.v) && is_enough(n_left) && is_allowed(left)) {
                    best = {rows.score(left), k, side == 1};
                    bar = rows.bar(best.score);
                }
            }
        }
        for (int64_t k = 0; k <= last_bin; ++k) rows.clear_bin(size_t(k));
    }

    /// The best cut between two rows of different codes, in their order.
    void scan_rows(size_t m, int64_t absent, bool may_miss, Cut& best) {
        const bool counts = limits_.min_leaf > 1;
        size_t end = m;
        for (int side = 0; side < 2; ++side) {  // missing on the right, then on the left
            typename NodeRows::Left left;
            rows.reset(left);
            double n_left = 0.0, bar = rows.bar(best.score);
            for (size_t i = end; i < m; ++i) {
                rows.collect(left, order_[i]);
                n_left += rows.drawn(order_[i]);
            }
            if (end < m) rows.settle(left);
            for (size_t i = 0; i + 1 < end; ++i) {
                const uint32_t p = order_[i];
                rows.add(left, p);
                if (counts) n_left += rows.drawn(p);
                if (rows.exceeds(left, bar) && code[p] != code[order_[i + 1]] && is_heavy(left.v) && is_enough(n_left) &&
                    is_allowed(left)) {
                    best = {rows.score(left), code[p], side == 1};
                    bar = rows.bar(best.score);
                }
            }
            if (!may_miss || code[order_[m - 1]] != absent) return;
            while (end > 0 && code[order_[end - 1]] == absent) --end;
        }
    }

    /// The threshold at a share u of the way between the values of two codes, and the last code at or below it.
    std::pair<int64_t, double> threshold_between(size_t j, int64_t low, int64_t high, double u) const {
        const double* lows = table_.low.data() + table_.first[j];
        const double* highs = table_.high.data() + table_.first[j];
        const double a = highs[low], b = lows[high];
        const double threshold = high > low ? a + u * (b - a) : a;
        while (low < high) {
            const int64_t middle = (low + high + 1) >> 1;
            if (lows[middle] <= threshold) low = middle;
            else high = middle - 1;
        }
        return {low, threshold < highs[low] ? highs[low] : threshold};
    }

    /// Sums of every level; level_: those that the node has; returns how many.
    size_t gather_levels(size_t m, int64_t absent) {
        size_t n = 0;
        const bool is_dense = NodeRows::orders_levels && absent < std::max(int64_t(m), MAX_DENSE_LEVELS);
        if (!is_dense) {
            is_met_.resize(size_t(absent) + 1, 0);
            for (size_t i = 0; i < m; ++i) {
                level_[n] = code[i];
                n += !is_met_[code[i]];
                is_met_[code[i]] = 1;
            }
            for (size_t i = 0; i < n; ++i) is_met_[level_[i]] = 0;
        }
        rows.fill(code.data(), m, is_dense ? absent : std::numeric_limits<int32_t>::max());
        if (is_dense) {
            for (size_t k = 0; k <= size_t(absent); ++k) {
                level_[n] = k;
                n += rows.bin_weight(k) > 0.0;
            }
        }
        if (limits_.min_leaf > 1) rows.count(code.data(), m);
        return n;
    }

    /// Sort level_ by mean, then by level; at random when the cut is.
    void arrange_levels(size_t n, Rng& rng) {
        const size_t which = rows.ordering_class(rng);
        if (n <= MAX_COMPARED_LEVELS && !limits_.random_cut) {
            for (size_t i = 0; i < n; ++i) mean_[i] = rows.bin_mean(level_[i], which);
            for (size_t i = 0; i < n; ++i) {  // no branch that could be mispredicted
                size_t place = 0;
                for (size_t q = 0; q < n; ++q) {
                    place += size_t(mean_[q] < mean_[i]) | (size_t(mean_[q] == mean_[i]) & size_t(level_[q] < level_[i]));
                }
                ordered_[place] = level_[i];
            }
            std::copy_n(ordered_.begin(), n, level_.begin());
            return;
        }
        for (size_t i = 0; i < n; ++i) {
            mean_[level_[i]] = limits_.random_cut ? rng.uniform() : rows.bin_mean(level_[i], which);
        }
        std::sort(level_.begin(), level_.begin() + ptrdiff_t(n), [this](size_t a, size_t b) {
            return mean_[a] < mean_[b] || (mean_[a] == mean_[b] && a < b);
        });
    }

    /// Cut the order of n levels; pick: the only cut that is tried, 0 for all.
    void cut_levels(size_t j, size_t n, size_t pick, Split& split) {
        double charge = 0.0, undivided = 0.0;
        if (n > FREE_LEVELS && pick == 0) {
            std::tie(charge, undivided) = rows.charge(2.0 / std::numbers::pi * double(n - FREE_LEVELS));
        }
        typename NodeRows::Left left;
        rows.reset(left);
        double n_left = 0.0;
        size_t n_best = 0;
        for (size_t i = 0; i + 1 < n; ++i) {
            rows.add_bin(left, level_[i]);
            if (limits_.min_leaf > 1) n_left += rows.bin_drawn(level_[i]);
            if (!is_heavy(left.v) || (pick && i + 1 != pick) || !is_enough(n_left)) continue;
            const double score = rows.score(left) - charge;
            if (score > split.score * MARGIN && (charge == 0.0 || score > undivided) && is_allowed(left)) {
                split.score = score;
                n_best = i + 1;
            }
        }
        if (n_best == 0) return;
        split = {split.score, int64_t(j), 0, false, 0.0, n_best};
        chosen.assign(level_.begin(), level_.begin() + ptrdiff_t(n_best));
    }

    const BinnedTable& table_;
    const Limits& limits_;
    RowOrder order_;
    std::vector<double> mean_;       // by level, or by place where they are few
    std::vector<size_t> level_;      // levels that the node has
    std::vector<size_t> ordered_;
    std::vector<char> is_met_;       // by level; 0 between columns
};

}  // namespace tamis
