#pragma once
// The rows of a node of a forest's tree, as criteria compare splits of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "criterion.hpp"
#include "tie.hpp"

namespace tamis {

/// A split must be better than the one before by more than rounding: equal splits go to the column tried first.
inline constexpr double MARGIN = 1.0 + TIE;

/// What is to be predicted.
struct Target {
    size_t n_classes;                  // 0 for numbers
    std::span<const int32_t> classes;  // (rows); empty for numbers
    std::span<const double> values;    // (rows, n_targets); two classes: 0 and 1; more: empty
    size_t n_targets;
    std::span<const double> weight;  // (rows)
    std::span<const double> worth;   // (classes): what a class's weight is divided by in the answers
    std::span<const double> codes;   // (classes, n_codes): numbers that stand for ordered classes; empty for all others
    size_t n_codes;
};

/// Targets of rows, as criteria read them: of the whole table, or of a block of it.
struct RowTargets {
    const int32_t* classes;
    const double* values;
    const double* weight;
    const int32_t* drawn;  // how often each row was drawn
};

/// What is known of a node before it is split.
struct NodeSummary {
    double total;      // weight W
    int64_t n_drawn;   // drawn rows
    double impurity;   // per unit of weight
    double whole;      // sum of the squared weights of classes
    bool is_pure;
};

// A class of these holds the rows of the node at hand by their place 0 … m - 1, and says by a criterion how good splits of them are.
//
//   summarise(rows, node_rows, value)  gathers them; value: (n_sums) the node's answer
//   Left                               sums over the rows on the left, with their weight v
//   reset(left), add(left, i)          no rows, one row more, with all that `exceeds` asks for
//   collect(left, i), settle(left)     the same in two steps, where only the last row's score is asked for
//   fill(code, m, last)                sums of every code 0 … last, all of which were 0 before
//   add_bin(left, k), clear_bin(k)     all rows of a code more; its sums back to 0
//   bar(score)                         what `exceeds` compares with, for a split better than one of this score
//   exceeds(left, bar), score(left)    without and with a division
//   best_possible()                    a score no split exceeds
//
// Scores are improvements per unit of the node's weight (several classes: in units of weight, those of Gini with `undivided`).

/// Weights and draws of the node's rows, which rows of every kind have.
class WeightedRows {
public:
    WeightedRows(const Target& target, size_t max_rows) : weight_(max_rows), drawn_(max_rows) {
        is_unweighted_ = std::all_of(target.weight.begin(), target.weight.end(), [](double w) { return w == 1.0; });
    }

    const NodeSummary& node() const { return node_; }
    double weight(size_t i) const { return weight_[i]; }
    int32_t drawn(size_t i) const { return drawn_[i]; }

protected:
    void gather(const RowTargets& rows, std::span<const uint32_t> node_rows) {
        const size_t m = node_rows.size();
        for (size_t i = 0; i < m; ++i) {
            weight_[i] = rows.weight[node_rows[i]];
            drawn_[i] = rows.drawn[node_rows[i]];
        }
        double total = 0.0;
        int64_t n_drawn = 0;
        for (size_t i = 0; i < m; ++i) {
            n_drawn += drawn_[i];
            total += weight_[i];
        }
        node_ = {total, n_drawn, 0.0, 0.0, true};
    }

    NodeSummary node_{};
    std::vector<double> weight_;
    std::vector<int32_t> drawn_;
    bool is_unweighted_;
};

/// Few sums wait for each other in memory: rows are added by turns to one of four copies of up to so many bins.
inline constexpr int64_t MAX_COPIED = 64;

/// One number by its squared error; two classes are one, too: the second class as 0 or 1, whose Gini impurity is twice the error.
///
/// With z = w (y - mean of the node), both sides have the same sum s of z but for its sign, so that a split whose left side weighs v
/// improves by s² / v + s² / (W - v) = W s² / (v (W - v)).
class NumberRows : public WeightedRows {
public:
    struct Left {
        double s, v;
    };

    NumberRows(const Target& target, size_t max_rows, size_t n_bins)
        : WeightedRows(target, max_rows), is_number_(target.n_classes == 0), z_(max_rows), bins_(n_bins + 1, Bin{}) {}

    size_t n_sums() const { return 1; }

    void summarise(const RowTargets& rows, std::span<const uint32_t> node_rows, double* value) {
        gather(rows, node_rows);
        const size_t m = node_rows.size();
        const double one = rows.values[node_rows[0]];
        double s = 0.0;
        bool is_pure = true;
        for (size_t i = 0; i < m; ++i) {
            const double y = rows.values[node_rows[i]];
            z_[i] = y;
            s += weight_[i] * y;
            is_pure &= y == one;
        }
        const double mean = is_pure ? one : s / node_.total;
        value[0] = mean;
        double impurity = 0.0;
        for (size_t i = 0; i < m; ++i) {
            const double off = z_[i] - mean;
            z_[i] = weight_[i] * off;
            impurity += z_[i] * off;
        }
        node_.impurity = impurity / node_.total;
        node_.is_pure = is_pure;
    }

    void prepare(size_t) {}

    /// Of few rows of numbers, the improvement of a cut in the order of the target, which no column exceeds: once one reaches it,
    /// the others need not be looked at.
    double best_possible(size_t m) const {
        if (!is_number_ || node_.n_drawn > MAX_ORDERED) return node_.impurity * (1.0 - 1e-10);
        std::array<size_t, MAX_ORDERED> place;
        for (size_t i = 0; i < m; ++i) {
            const double mean = z_[i] / weight_[i];
            size_t j = i;
            for (; j > 0 && z_[place[j - 1]] > mean * weight_[place[j - 1]]; --j) place[j] = place[j - 1];
            place[j] = i;
        }
        double best = 0.0, s = 0.0, v = 0.0;
        for (size_t i = 0; i + 1 < m; ++i) {
            s += z_[place[i]];
            v += weight_[place[i]];
            best = std::max(best, s * s / (v * (node_.total - v)));
        }
        return best * (1.0 - 1e-10);
    }

    void reset(Left& left) const { left = {0.0, 0.0}; }
    void add(Left& left, size_t i) const {
        left.s += z_[i];
        left.v += weight_[i];
    }
    void collect(Left& left, size_t i) const { add(left, i); }
    void settle(Left&) const {}

    double bar(double score) const { return score * MARGIN; }
    bool exceeds(const Left& left, double bar) const { return left.s * left.s > bar * left.v * (node_.total - left.v); }
    double score(const Left& left) const { return left.s * left.s / (left.v * (node_.total - left.v)); }

    /// Whether the sums of n bins are quicker than an order of m rows.
    bool prefers_bins(int64_t, size_t) const { return true; }

    void fill(const uint16_t* code, size_t m, int64_t last) {
        if (last >= MAX_COPIED || last > int64_t(m)) {
            for (size_t i = 0; i < m; ++i) {
                Bin& bin = bins_[code[i]];
                bin.weight += weight_[i];
                bin.sum += z_[i];
            }
            return;
        }
        const size_t whole = m & ~size_t(3);
        for (size_t i = 0; i < whole; i += 4) {
            for (size_t q = 0; q < 4; ++q) {
                Pair& pair = copies_[code[i + q]][q];
                pair.weight += weight_[i + q];
                pair.sum += z_[i + q];
            }
        }
        for (size_t i = whole; i < m; ++i) {
            copies_[code[i]][0].weight += weight_[i];
            copies_[code[i]][0].sum += z_[i];
        }
        for (int64_t k = 0; k <= last; ++k) {
            auto& copy = copies_[size_t(k)];
            bins_[size_t(k)].weight = (copy[0].weight + copy[1].weight) + (copy[2].weight + copy[3].weight);
            bins_[size_t(k)].sum = (copy[0].sum + copy[1].sum) + (copy[2].sum + copy[3].sum);
            copy = {};
        }
    }

    /// Drawn rows of each bin, after `fill`; of rows that all weigh 1 they are its weight.
    void count(const uint16_t* code, size_t m) {
        if (is_unweighted_) return;
        for (size_t i = 0; i < m; ++i) bins_[code[i]].drawn += drawn_[i];
    }

    double bin_weight(size_t k) const { return bins_[k].weight; }
    double bin_drawn(size_t k) const { return is_unweighted_ ? bins_[k].weight : bins_[k].drawn; }
    double bin_mean(size_t k, size_t) const { return bins_[k].sum / bins_[k].weight; }
    void add_bin(Left& left, size_t k) const {
        left.v += bins_[k].weight;
        left.s += bins_[k].sum;
    }
    void clear_bin(size_t k) { bins_[k] = {}; }

    /// The fall of impurity times weight that a score stands for.
    double gain(double score) const { return score * node_.total * (is_number_ ? 1.0 : 2.0); }

    /// What levels of pure noise bring, `excess` of them beyond those that are free; and the score of no split at all.
    std::pair<double, double> charge(double excess) const {
        return {excess * node_.impurity / (double(node_.n_drawn)), 0.0};
    }

    /// The class by whose share levels are put in order: there is one.
    template <class Random>
    size_t ordering_class(Random&) const { return 0; }

    /// Whether levels are found in their order by reading the bins, not in that of the rows.
    static constexpr bool orders_levels = true;

    /// Whether a side answers with one number, s / v more than the node: what can rise or fall with a column.
    static constexpr bool has_one_answer = true;

protected:
    struct Bin {
        double weight, sum, drawn, squares;
    };
    struct Pair {
        double weight, sum;
    };
    static constexpr int64_t MAX_ORDERED = 12;

    bool is_number_;
    std::vector<double> z_;
    std::vector<Bin> bins_;
    std::array<std::array<Pair, 4>, MAX_COPIED> copies_{};
};

/// One number by its standard deviation.
class DeviationRows : public NumberRows {
public:
    struct Left {
        double s, v, q;
    };

    DeviationRows(const Target& target, size_t max_rows, size_t n_bins) : NumberRows(target, max_rows, n_bins), squares_(max_rows) {}

    /// z² / w of the m rows at hand; not part of `summarise`, for most nodes are not searched.
    void prepare(size_t m) {
        for (size_t i = 0; i < m; ++i) squares_[i] = z_[i] * z_[i] / weight_[i];
    }

    double best_possible(size_t) const { return std::sqrt(node_.impurity) * (1.0 - 1e-10); }

    void reset(Left& left) const { left = {0.0, 0.0, 0.0}; }
    void add(Left& left, size_t i) const {
        left.s += z_[i];
        left.q += squares_[i];
        left.v += weight_[i];
    }
    void collect(Left& left, size_t i) const { add(left, i); }
    void settle(Left&) const {}

    double bar(double score) const {
        if (score < 0.0) return std::numeric_limits<double>::infinity();
        const double most = node_.total * (std::sqrt(node_.impurity) - score) * LESS;
        return most * most;
    }
    bool exceeds(const Left& left, double bar) const { return sides(left).is_below(bar); }
    double score(const Left& left) const { return std::max(std::sqrt(node_.impurity) - sides(left).sum() / node_.total, 0.0); }

    void fill(const uint16_t* code, size_t m, int64_t last) {
        NumberRows::fill(code, m, last);
        for (size_t i = 0; i < m; ++i) bins_[code[i]].squares += squares_[i];
    }
    void add_bin(Left& left, size_t k) const {
        left.v += bins_[k].weight;
        left.s += bins_[k].sum;
        left.q += bins_[k].squares;
    }

    /// A small fall of the variance is one of the deviation by half of it over the deviation.
    std::pair<double, double> charge(double excess) const {
        return {NumberRows::charge(excess).first / (2.0 * std::sqrt(node_.impurity)), 0.0};
    }

private:
    static constexpr double LESS = 1.0 - 1e-8;  // a cut must be better than the one before by more than rounding, a root of it

    StandardDeviation sides(const Left& left) const {
        return {left.s, left.v, left.q, node_.total, node_.impurity * node_.total};
    }

    std::vector<double> squares_;
};

/// One number by the `fall` of a criterion: counts by Poisson, two classes, given as 0 and 1, by their entropy.
template <class Criterion>
class FallRows : public NumberRows {
public:
    using NumberRows::NumberRows;

    void summarise(const RowTargets& rows, std::span<const uint32_t> node_rows, double* value) {
        NumberRows::summarise(rows, node_rows, value);
        mean_ = value[0];
    }

    double best_possible(size_t) const { return Criterion::most(mean_) * (1.0 - 1e-10); }
    bool exceeds(const Left& left, double bar) const { return score(left) > bar; }
    double score(const Left& left) const { return Criterion::fall(left.v, left.s, node_.total, mean_) / node_.total; }
    double gain(double score) const { return score * node_.total; }

    /// A small fall of the variance is one of half the deviance by half of it over the mean, and of the entropy over p (1 - p).
    std::pair<double, double> charge(double excess) const {
        const double variance = Criterion::is_class ? mean_ * (1.0 - mean_) : mean_;
        return {NumberRows::charge(excess).first / (2.0 * variance), 0.0};
    }

private:
    double mean_ = 0.0;
};

/// Several numbers by their squared errors: as NumberRows, Σ s² in place of s².
class SeveralRows : public WeightedRows {
public:
    struct Left {
        double squares, v;
    };

    SeveralRows(const Target& target, size_t max_rows, size_t n_bins)
        : WeightedRows(target, max_rows), n_(target.n_targets), z_(max_rows * n_), left_(n_), sums_((n_bins + 1) * n_, 0.0),
          bins_(n_bins + 1, Bin{}) {}

    size_t n_sums() const { return n_; }

    void summarise(const RowTargets& rows, std::span<const uint32_t> node_rows, double* value) {
        gather(rows, node_rows);
        const size_t m = node_rows.size();
        double impurity = 0.0;
        bool is_pure = true;
        for (size_t t = 0; t < n_; ++t) {
            const double one = rows.values[node_rows[0] * n_ + t];
            double s = 0.0;
            for (size_t i = 0; i < m; ++i) {
                const double y = rows.values[node_rows[i] * n_ + t];
                z_[i * n_ + t] = y;
                s += weight_[i] * y;
                is_pure &= y == one;
            }
            const double mean = is_pure ? one : s / node_.total;
            value[t] = mean;
            for (size_t i = 0; i < m; ++i) {
                const double off = z_[i * n_ + t] - mean;
                z_[i * n_ + t] = weight_[i] * off;
                impurity += weight_[i] * off * off;
            }
        }
        node_.impurity = impurity / node_.total;
        node_.is_pure = is_pure;
    }

    void prepare(size_t) {}
    double best_possible(size_t) const { return node_.impurity * (1.0 - 1e-10); }

    void reset(Left& left) {
        left = {0.0, 0.0};
        std::fill(left_.begin(), left_.end(), 0.0);
    }
    void add(Left& left, size_t i) {
        collect(left, i);
        settle(left);
    }
    void collect(Left& left, size_t i) {
        for (size_t t = 0; t < n_; ++t) left_[t] += z_[i * n_ + t];
        left.v += weight_[i];
    }
    void settle(Left& left) const {
        left.squares = 0.0;
        for (size_t t = 0; t < n_; ++t) left.squares += left_[t] * left_[t];
    }

    double bar(double score) const { return score * MARGIN; }
    bool exceeds(const Left& left, double bar) const { return left.squares > bar * left.v * (node_.total - left.v); }
    double score(const Left& left) const { return left.squares / (left.v * (node_.total - left.v)); }

    bool prefers_bins(int64_t, size_t) const { return false; }

    void fill(const uint16_t* code, size_t m, int64_t) {
        for (size_t i = 0; i < m; ++i) {
            bins_[code[i]].weight += weight_[i];
            for (size_t t = 0; t < n_; ++t) sums_[code[i] * n_ + t] += z_[i * n_ + t];
        }
    }
    void count(const uint16_t* code, size_t m) {
        for (size_t i = 0; i < m; ++i) bins_[code[i]].drawn += drawn_[i];
    }
    double bin_weight(size_t k) const { return bins_[k].weight; }
    double bin_drawn(size_t k) const { return bins_[k].drawn; }
    double bin_mean(size_t k, size_t t) const { return sums_[k * n_ + t] / bins_[k].weight; }
    void add_bin(Left& left, size_t k) {
        left.v += bins_[k].weight;
        for (size_t t = 0; t < n_; ++t) left_[t] += sums_[k * n_ + t];
        settle(left);
    }
    void clear_bin(size_t k) {
        bins_[k] = {};
        for (size_t t = 0; t < n_; ++t) sums_[k * n_ + t] = 0.0;
    }

    double gain(double score) const { return score * node_.total; }
    std::pair<double, double> charge(double excess) const { return {excess * node_.impurity / double(node_.n_drawn), 0.0}; }
    template <class Random>
    size_t ordering_class(Random&) const { return 0; }
    static constexpr bool orders_levels = false;
    static constexpr bool has_one_answer = false;

private:
    struct Bin {
        double weight, drawn;
    };

    size_t n_;
    std::vector<double> z_;     // (rows, targets)
    std::vector<double> left_;  // (targets)
    std::vector<double> sums_;  // (bins, targets)
    std::vector<Bin> bins_;
};

/// Several classes by Gini: with class weights L on the left and R on the right, Σ L² / v + Σ R² / (W - v).
class ClassRows : public WeightedRows {
public:
    struct Left {
        double v, squares, both, other;  // weight, Σ L², Σ L (L + R), Σ R²
    };

    ClassRows(const Target& target, size_t max_rows, size_t n_bins)
        : WeightedRows(target, max_rows), n_(target.n_classes), classes_(max_rows), sums_(n_), left_(n_),
          table_((n_bins + 1) * n_, 0.0), drawn_in_(n_bins + 1, 0.0) {}

    size_t n_sums() const { return n_; }

    void summarise(const RowTargets& rows, std::span<const uint32_t> node_rows, double* value) {
        gather(rows, node_rows);
        const size_t m = node_rows.size();
        const int32_t one = rows.classes[node_rows[0]];
        bool is_pure = true;
        for (size_t i = 0; i < m; ++i) {
            const int32_t c = rows.classes[node_rows[i]];
            classes_[i] = uint32_t(c);
            is_pure &= c == one;
        }
        std::fill(sums_.begin(), sums_.end(), 0.0);
        std::fill(left_.begin(), left_.end(), 0.0);
        for (size_t i = 0; i + 1 < m; i += 2) {  // by turns: an addition does not wait for the one before
            sums_[classes_[i]] += weight_[i];
            left_[classes_[i + 1]] += weight_[i + 1];
        }
        if (m & 1) sums_[classes_[m - 1]] += weight_[m - 1];
        double whole = 0.0;
        for (size_t c = 0; c < n_; ++c) {
            sums_[c] += left_[c];
            whole += sums_[c] * sums_[c];
        }
        const double part = 1.0 / node_.total;
        for (size_t c = 0; c < n_; ++c) value[c] = sums_[c] * part;
        node_.impurity = 1.0 - whole * part * part;
        node_.whole = whole;
        node_.is_pure = is_pure;
    }

    void prepare(size_t) {}
    double best_possible(size_t) const { return node_.total * (1.0 - 1e-10); }

    void reset(Left& left) {
        left = {0.0, 0.0, 0.0, 0.0};
        std::fill(left_.begin(), left_.end(), 0.0);
    }
    void add(Left& left, size_t i) {
        const double w = weight_[i];
        const uint32_t c = classes_[i];
        left.squares += w * (2.0 * left_[c] + w);
        left_[c] += w;
        left.both += w * sums_[c];
        left.v += w;
        left.other = node_.whole - 2.0 * left.both + left.squares;
    }
    void collect(Left& left, size_t i) {
        left_[classes_[i]] += weight_[i];
        left.v += weight_[i];
    }
    void settle(Left& left) const {
        left.squares = left.both = left.other = 0.0;
        for (size_t c = 0; c < n_; ++c) {
            const double off = sums_[c] - left_[c];
            left.squares += left_[c] * left_[c];
            left.both += left_[c] * sums_[c];
            left.other += off * off;
        }
    }

    double bar(double score) const { return score * MARGIN; }
    bool exceeds(const Left& left, double bar) const { return sides(left).exceeds(bar); }
    double score(const Left& left) const { return sides(left).value(); }

    bool prefers_bins(int64_t n, size_t m) const { return n * int64_t(n_) <= 2 * int64_t(m); }

    void fill(const uint16_t* code, size_t m, int64_t last) {
        const size_t n = size_t(last + 1) * n_;
        if (n > 2 * MAX_COPIED || n > m) {
            for (size_t i = 0; i < m; ++i) table_[code[i] * n_ + classes_[i]] += weight_[i];
            return;
        }
        const size_t whole = m & ~size_t(3);
        for (size_t i = 0; i < whole; i += 4) {
            for (size_t q = 0; q < 4; ++q) copies_[code[i + q] * n_ + classes_[i + q]][q] += weight_[i + q];
        }
        for (size_t i = whole; i < m; ++i) copies_[code[i] * n_ + classes_[i]][0] += weight_[i];
        for (size_t k = 0; k < n; ++k) {
            table_[k] = (copies_[k][0] + copies_[k][1]) + (copies_[k][2] + copies_[k][3]);
            copies_[k] = {};
        }
    }
    void count(const uint16_t* code, size_t m) {
        if (is_unweighted_) return;
        for (size_t i = 0; i < m; ++i) drawn_in_[code[i]] += drawn_[i];
    }
    double bin_weight(size_t k) const {
        double v = 0.0;
        for (size_t c = 0; c < n_; ++c) v += table_[k * n_ + c];
        return v;
    }
    double bin_drawn(size_t k) const { return is_unweighted_ ? bin_weight(k) : drawn_in_[k]; }
    double bin_mean(size_t k, size_t c) const { return table_[k * n_ + c] / bin_weight(k); }
    void add_bin(Left& left, size_t k) {
        const double* bin = &table_[k * n_];
        double v = 0.0, squares = 0.0, other = 0.0;
        for (size_t c = 0; c < n_; ++c) {
            const double one = left_[c] + bin[c], off = sums_[c] - one;
            left_[c] = one;
            v += one;
            squares += one * one;
            other += off * off;
        }
        left = {v, squares, left.both, other};
    }
    void clear_bin(size_t k) {
        for (size_t c = 0; c < n_; ++c) table_[k * n_ + c] = 0.0;
        drawn_in_[k] = 0.0;
    }

    double gain(double score) const { return std::max(score - node_.whole / node_.total, 0.0); }
    std::pair<double, double> charge(double excess) const {
        const double directions = double(n_ - 1);
        const double charge = excess * node_.impurity / (double(node_.n_drawn) * directions);
        return {charge * node_.total, node_.whole / node_.total};
    }

    /// A class drawn by its weight.
    template <class Random>
    size_t ordering_class(Random& rng) const {
        double at = rng.uniform() * node_.total;
        size_t c = 0;
        for (; c + 1 < n_ && at >= sums_[c]; ++c) at -= sums_[c];
        return c;
    }
    static constexpr bool orders_levels = true;
    static constexpr bool has_one_answer = false;

protected:
    SquaresOverWeight sides(const Left& left) const { return {left.squares, left.v, left.other, node_.total - left.v}; }

    size_t n_;
    std::vector<uint32_t> classes_;
    std::vector<double> sums_;   // (classes) of the node
    std::vector<double> left_;   // (classes)
    std::vector<double> table_;  // (bins, classes)
    std::vector<double> drawn_in_;
    std::array<std::array<double, 4>, 2 * MAX_COPIED> copies_{};
};

/// Several classes by entropy. `exceeds` and `score` read the class weights of the rows added last.
class EntropyRows : public ClassRows {
public:
    using ClassRows::ClassRows;

    void summarise(const RowTargets& rows, std::span<const uint32_t> node_rows, double* value) {
        ClassRows::summarise(rows, node_rows, value);
        most_ = Entropy::most(sums_.data(), n_, node_.total);
    }

    double best_possible(size_t) const { return most_ * (1.0 - 1e-10); }
    bool exceeds(const Left& left, double bar) const { return score(left) > bar; }
    double score(const Left& left) const { return Entropy::fall(left_.data(), sums_.data(), n_, left.v, node_.total, most_); }

    double gain(double score) const { return score; }
    std::pair<double, double> charge(double excess) const {
        return {excess * node_.total / (2.0 * double(node_.n_drawn)), 0.0};
    }

private:
    double most_ = 0.0;
};

/// Ordered classes by the squared error of the numbers that stand for them: one score a class, or several codes.
///
/// With codes a (classes, n_codes), their means in the node and the class weights L on the left, s = Σ_c L_c (a_c - mean); a split
/// improves by |s|² / (v (W - v)). The codes 1[c > k], for all k but the last class, give the fall of the ranked probability score of
/// a node's shares. `exceeds` and `score` read the class weights of the rows added last.
class OrderedRows : public ClassRows {
public:
    OrderedRows(const Target& target, size_t max_rows, size_t n_bins)
        : ClassRows(target, max_rows, n_bins), codes_(target.codes), n_codes_(target.n_codes), centred_(n_ * n_codes_), height_(n_, 0.0) {
        for (size_t c = 0; c < n_; ++c) {
            for (size_t k = 0; k < n_codes_; ++k) height_[c] += codes_[c * n_codes_ + k];
        }
    }

    void summarise(const RowTargets& rows, std::span<const uint32_t> node_rows, double* value) {
        ClassRows::summarise(rows, node_rows, value);
        double squares = 0.0;
        for (size_t k = 0; k < n_codes_; ++k) {
            double mean = 0.0;
            for (size_t c = 0; c < n_; ++c) mean += sums_[c] * codes_[c * n_codes_ + k];
            mean /= node_.total;
            for (size_t c = 0; c < n_; ++c) {
                const double off = codes_[c * n_codes_ + k] - mean;
                centred_[k * n_ + c] = off;
                squares += sums_[c] * off * off;
            }
        }
        node_.impurity = squares / node_.total;
    }

    double best_possible(size_t) const { return node_.impurity * (1.0 - 1e-10); }
    bool exceeds(const Left& left, double bar) const { return squares() > bar * left.v * (node_.total - left.v); }
    double score(const Left& left) const { return squares() / (left.v * (node_.total - left.v)); }

    double gain(double score) const { return score * node_.total; }
    std::pair<double, double> charge(double excess) const { return {excess * node_.impurity / double(node_.n_drawn), 0.0}; }

    /// Levels are put in the order of their mean height, the sum of a class's codes.
    template <class Random>
    size_t ordering_class(Random&) const { return 0; }
    double bin_mean(size_t k, size_t) const {
        double sum = 0.0;
        for (size_t c = 0; c < n_; ++c) sum += table_[k * n_ + c] * height_[c];
        return sum / bin_weight(k);
    }

private:
    double squares() const {
        double squares = 0.0;
        for (size_t k = 0; k < n_codes_; ++k) {
            const double* off = &centred_[k * n_];
            double s = 0.0;
            for (size_t c = 0; c < n_; ++c) s += left_[c] * off[c];
            squares += s * s;
        }
        return squares;
    }

    std::span<const double> codes_;
    size_t n_codes_;
    std::vector<double> centred_;  // (codes, classes)
    std::vector<double> height_;   // (classes)
};

}  // namespace tamis
