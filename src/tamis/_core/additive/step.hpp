#pragma once
// A boosting step of one curve: the two-leaf trees of all cuts of one column, averaged by what each gains.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "../wide.hpp"

namespace tamis::additive {

/// What is fixed of a column.
struct ColumnFacts {
    size_t n_values;  // bins of values; the bin n_values holds missing values
    bool is_category;
    int monotone;     // 1: heights may not fall, -1: may not rise, 0: free
};

struct StepSettings {
    double rate;      // share of a Newton step that is taken
    double max_step;  // Newton step of a leaf at most
    double min_leaf;  // rows of a leaf at least
};

/// Cuts count by the square root of their gain. The best cut alone is a greedy step: over eight tables its Brier score is 0.5 points worse, R² of
/// two 1 point (bodyfat 3), because a curve of few jumps needs many bags to become smooth. Powers from 0 to 1 differ by 0.1.
inline double cut_weight(double gain) { return std::sqrt(gain); }
inline constexpr double LEVEL_PRIOR = 10.0;  // rows by which a level's step is shrunk before levels are put in order
inline constexpr size_t SUMS_AT_ONCE = 4;    // whose heights are added side by side
inline constexpr double ROUNDING = 1e-12;    // of the sums of squares: a gain below is a difference of equal numbers

/// G^2 / H, 0 without curvature: what a leaf gains.
inline double score(double G, double H) {
    const double gain = G * G / (H > 0.0 ? H : 1.0);
    return H > 0.0 ? gain : 0.0;
}

inline double leaf_of(double G, double H, double rate, double max_step) {
    const double step = -rate * std::clamp(G / (H > 0.0 ? H : 1.0), -max_step, max_step);
    return H > 0.0 ? step : 0.0;
}

/// Sums of gradient and curvature of one output.
struct Sums {
    double g, h;
};

/// gain += score of both sides of each cut; missing: values that join the left side; total: of both sides.
TAMIS_WIDE static void add_gains(const double* left_g, const double* left_h, Sums missing, Sums total, double* gain, size_t n) {
    for (size_t q = 0; q < n; ++q) {
        const double g = left_g[q] + missing.g, h = left_h[q] + missing.h;
        gain[q] += score(g, h) + score(total.g - g, total.h - h);
    }
}

/// What a cut must have to be taken: rows on both sides, and a gain that is no rounding and above that of its other side.
struct CutRule {
    double left, right;  // rows of missing values on either side
    double n_rows, min_leaf, least_gain, tie, on_left;
};

/// weight, on_left: the gain of each allowed cut that is better than the weight so far, and its side for missing values.
TAMIS_WIDE static void take_better(const CutRule& rule, const double* rows, const double* gain, double* weight, double* on_left, size_t n) {
    const CutRule r = rule;
    for (size_t q = 0; q < n; ++q) {
        const bool has_rows = (rows[q] + r.left >= r.min_leaf) & (r.n_rows - rows[q] + r.right >= r.min_leaf);
        const bool is_better = has_rows & (gain[q] > r.least_gain) & (gain[q] > weight[q] * r.tie);
        weight[q] = is_better ? gain[q] : weight[q];
        on_left[q] = is_better ? r.on_left : on_left[q];
    }
}

/// Gains become the weights of cuts; returns the largest gain.
TAMIS_WIDE static double weigh_gains(double* gain, size_t n) {
    double best[8] = {};
    size_t q = 0;
    for (; q + 8 <= n; q += 8) {
        for (size_t lane = 0; lane < 8; ++lane) best[lane] = std::max(best[lane], gain[q + lane]);
    }
    for (; q < n; ++q) best[0] = std::max(best[0], gain[q]);
    for (size_t cut = 0; cut < n; ++cut) gain[cut] = cut_weight(gain[cut]);
    return *std::max_element(best, best + 8);
}

/// low, high: leaves of both sides of each cut; on_left: 1 where missing values are on the left side, else 0.
TAMIS_WIDE static void find_leaves(const double* left_g, const double* left_h, const double* on_left, Sums missing, Sums total,
                                   const StepSettings& settings, double* low, double* high, size_t n) {
    const double rate = settings.rate, max_step = settings.max_step;
    for (size_t q = 0; q < n; ++q) {
        const double g = left_g[q] + on_left[q] * missing.g, h = left_h[q] + on_left[q] * missing.h;
        low[q] = leaf_of(g, h, rate, max_step);
        high[q] = leaf_of(total.g - g, total.h - h, rate, max_step);
    }
}

/// Cumulated sums of the first bins of an order: left (parts, stride); all (parts): those of all n bins. bins: (bins, width).
template <size_t PARTS>
inline void cumulate_parts(const double* bins, size_t width, const uint16_t* order, size_t n, size_t stride, double* left, double* all) {
    double sum[PARTS] = {};
    for (size_t q = 0; q < n; ++q) {
        const double* bin = bins + order[q] * width;
        for (size_t part = 0; part < PARTS; ++part) left[part * stride + q] = sum[part] += bin[part];
    }
    std::copy_n(sum, PARTS, all);
}

/// The same for all parts, eight at a time: a sum by itself waits for each of its additions.
TAMIS_WIDE static void cumulate_bins(const double* bins, size_t width, const uint16_t* order, size_t n, size_t stride, double* left, double* all) {
    size_t part = 0;
    for (; part + 8 <= width; part += 8) cumulate_parts<8>(bins + part, width, order, n, stride, left + part * stride, all + part);
    for (; part + 2 <= width; part += 2) cumulate_parts<2>(bins + part, width, order, n, stride, left + part * stride, all + part);
}

/// The trees of all cuts of one column, for each sum k: G in line k and H in line n_sums + k of `left`, `missing`, `values`, `total`.
struct WeightedCuts {
    size_t n_sums, n_bins, n_cuts, stride;  // n_bins: of the order
    const double *left, *missing, *values, *total;
    const double *weight, *on_left;         // (cuts)
    const uint16_t* order;
    size_t missing_bin;                     // or NONE
    double weight_alone, all_weights;       // of the tree that sets missing values against all values; of all trees
    static constexpr size_t NONE = size_t(-1);
};

/// step (bins, sums): the mean of all trees by their weights, of the sums from k on; low, high (sums, stride): room.
template <size_t SUMS>
inline void average_sums(const WeightedCuts& cuts, size_t k, const StepSettings& settings, double* low, double* high, double* step) {
    double height[SUMS], of_missing[SUMS];  // of the first bin, left of every cut
    for (size_t s = 0; s < SUMS; ++s) {
        const size_t G = k + s, H = cuts.n_sums + k + s;
        const Sums absent{cuts.missing[G], cuts.missing[H]};
        find_leaves(cuts.left + G * cuts.stride, cuts.left + H * cuts.stride, cuts.on_left, absent, {cuts.total[G], cuts.total[H]}, settings,
                    low + s * cuts.stride, high + s * cuts.stride, cuts.n_cuts);
        height[s] = cuts.weight_alone * leaf_of(cuts.values[G], cuts.values[H], settings.rate, settings.max_step);
        of_missing[s] = cuts.weight_alone * leaf_of(absent.g, absent.h, settings.rate, settings.max_step);
    }
    for (size_t q = 0; q < cuts.n_cuts; ++q) {
        for (size_t s = 0; s < SUMS; ++s) height[s] += cuts.weight[q] * low[s * cuts.stride + q];
    }
    for (size_t q = 0; q < cuts.n_bins; ++q) {
        double* to = step + cuts.order[q] * cuts.n_sums + k;
        for (size_t s = 0; s < SUMS; ++s) {
            const double here = height[s];
            if (q < cuts.n_cuts) height[s] += cuts.weight[q] * (high[s * cuts.stride + q] - low[s * cuts.stride + q]);
            to[s] = here / cuts.all_weights;
        }
    }
    if (cuts.missing_bin == WeightedCuts::NONE) return;
    for (size_t q = 0; q < cuts.n_cuts; ++q) {
        const double* side = cuts.on_left[q] > 0.0 ? low : high;
        for (size_t s = 0; s < SUMS; ++s) of_missing[s] += cuts.weight[q] * side[s * cuts.stride + q];
    }
    for (size_t s = 0; s < SUMS; ++s) step[cuts.missing_bin * cuts.n_sums + k + s] = of_missing[s] / cuts.all_weights;
}

TAMIS_WIDE static void average_cuts(const WeightedCuts& cuts, const StepSettings& settings, double* low, double* high, double* step) {
    size_t k = 0;
    for (; k + SUMS_AT_ONCE <= cuts.n_sums; k += SUMS_AT_ONCE) average_sums<SUMS_AT_ONCE>(cuts, k, settings, low, high, step);
    for (; k < cuts.n_sums; ++k) average_sums<1>(cuts, k, settings, low, high, step);
}

/// Finds steps. sums (bins, 2 sums): G, the sums of the gradient in a bin, and behind them H, those of the curvature.
/// counts (bins): rows.
class StepFinder {
public:
    StepFinder(size_t n_sums, const StepSettings& settings, size_t max_bins)
        : n_sums_(n_sums), stride_((max_bins + 7) / 8 * 8 + 8), settings_(settings), order_(max_bins), key_(max_bins), weight_(max_bins),
          on_left_(max_bins), gain_(max_bins), rows_(max_bins), low_(stride_ * SUMS_AT_ONCE), high_(stride_ * SUMS_AT_ONCE),
          left_(stride_ * 2 * n_sums), values_(2 * n_sums), missing_(2 * n_sums), total_(2 * n_sums), step_(max_bins * n_sums),
          best_step_(max_bins * n_sums) {}

    /// delta (bins, sums): what the step adds to the heights; returns the gain of the best cut, 0 where no cut gains anything.
    ///
    ///     delta = sum_c sqrt(gain_c) tree_c / sum_c sqrt(gain_c),    gain = G_l^2 / H_l + G_r^2 / H_r - G^2 / H,    leaf = -rate G / H
    ///
    /// Missing values join the better side of a cut, and one more tree sets them against all values. Levels of a category are put
    /// in the order of G / (H + prior); of several classes each gives an order, and the one of the best cut is taken.
    double find(const ColumnFacts& column, const double* sums, const double* counts, double* delta) {
        const size_t n_bins = n_bins_ = column.n_values + 1;
        if (!column.is_category) {
            std::iota(order_.begin(), order_.begin() + ptrdiff_t(column.n_values), uint16_t(0));
            const double gain = scan(column.n_values, column.n_values, column.monotone, sums, counts);
            if (gain > 0.0) std::copy_n(step_.begin(), n_bins * n_sums_, delta);
            return gain;
        }
        double best = 0.0;
        for (size_t k = 0; k < n_sums_; ++k) {
            const size_t n = order_levels(n_bins, k, sums, counts);
            const double gain = scan(n, NONE, 0, sums, counts);
            if (gain > best * (1.0 + TIE)) {
                best = gain;
                std::copy_n(step_.begin(), n_bins * n_sums_, best_step_.begin());
            }
        }
        if (best > 0.0) std::copy_n(best_step_.begin(), n_bins * n_sums_, delta);
        return best;
    }

    void set_rate(double rate) { settings_.rate = rate; }

private:
    /// order_: levels that have rows, missing among them, by G / (H + prior) of one sum; returns their number.
    size_t order_levels(size_t n_bins, size_t k, const double* sums, const double* counts) {
        double H = 0.0, n_rows = 0.0;
        size_t n = 0;
        for (size_t b = 0; b < n_bins; ++b) {
            if (counts[b] <= 0.0) continue;
            order_[n++] = uint16_t(b);
            H += sums[(2 * b + 1) * n_sums_ + k];
            n_rows += counts[b];
        }
        const double prior = n_rows > 0.0 ? LEVEL_PRIOR * H / n_rows : 0.0;
        for (size_t q = 0; q < n; ++q) {
            const double G = sums[2 * order_[q] * n_sums_ + k], own = sums[(2 * order_[q] + 1) * n_sums_ + k] + prior;
            key_[order_[q]] = own > 0.0 ? G / own : 0.0;
        }
        std::stable_sort(order_.begin(), order_.begin() + ptrdiff_t(n), [&](uint16_t a, uint16_t b) { return key_[a] < key_[b]; });
        return n;
    }

    /// step_ from all cuts of the first n bins of order_; `missing` is the bin that joins a side, or NONE. Returns the best gain.
    double scan(size_t n, size_t missing, int monotone, const double* sums, const double* counts) {
        const size_t width = 2 * n_sums_;
        std::fill_n(step_.begin(), n_bins_ * n_sums_, 0.0);
        const double n_rows = cumulate(n, sums, counts), n_missing = missing == NONE ? 0.0 : counts[missing];
        for (size_t part = 0; part < width; ++part) missing_[part] = n_missing > 0.0 ? sums[missing * width + part] : 0.0;
        for (size_t part = 0; part < width; ++part) total_[part] = values_[part] + missing_[part];
        double base = 0.0;
        for (size_t k = 0; k < n_sums_; ++k) base += score(total_[k], total_[n_sums_ + k]);
        const double alone = n_missing >= settings_.min_leaf && n_rows >= settings_.min_leaf ? gain_of_missing(base) : 0.0;
        weigh(n, n_rows, n_missing, base, monotone);
        const double best = std::max(alone, weigh_gains(weight_.data(), n > 0 ? n - 1 : 0));
        double total = 0.0;
        for (size_t q = 0; q + 1 < n; ++q) total += weight_[q];
        if (best > 0.0) average(n, missing, n_missing > 0.0, cut_weight(alone), total);
        return best;
    }

    /// left_ (2 sums, cuts) and rows_ (cuts): sums and rows of the first bins; values_: those of all; returns all rows.
    double cumulate(size_t n, const double* sums, const double* counts) {
        cumulate_bins(sums, 2 * n_sums_, order_.data(), n, stride_, left_.data(), values_.data());
        double rows = 0.0;
        for (size_t q = 0; q < n; ++q) rows_[q] = rows += counts[order_[q]];
        return rows;
    }

    /// weight_: the gain of each cut with missing values on its better side (on_left_); 0 where it is not allowed.
    void weigh(size_t n, double n_rows, double n_missing, double base, int monotone) {
        const size_t n_cuts = n > 0 ? n - 1 : 0;
        std::fill_n(weight_.begin(), n_cuts, 0.0);
        std::fill_n(on_left_.begin(), n_cuts, 0.0);
        for (int on_left = 0; on_left < (n_missing > 0.0 ? 2 : 1); ++on_left) {
            std::fill_n(gain_.begin(), n_cuts, -base);
            for (size_t k = 0; k < n_sums_; ++k) {
                const Sums missing = on_left ? Sums{missing_[k], missing_[n_sums_ + k]} : Sums{0.0, 0.0};
                add_gains(left_of(k), left_of(n_sums_ + k), missing, {total_[k], total_[n_sums_ + k]}, gain_.data(), n_cuts);
            }
            if (monotone != 0) {
                for (size_t q = 0; q < n_cuts; ++q) gain_[q] = follows(monotone, q, on_left) ? gain_[q] : 0.0;
            }
            const CutRule rule{on_left ? n_missing : 0.0, on_left ? 0.0 : n_missing, n_rows, settings_.min_leaf, base * ROUNDING, 1.0 + TIE,
                               double(on_left)};
            take_better(rule, rows_.data(), gain_.data(), weight_.data(), on_left_.data(), n_cuts);
        }
    }

    /// The gain of a tree that sets missing values against all values.
    double gain_of_missing(double base) const {
        double gain = -base;
        for (size_t k = 0; k < n_sums_; ++k) gain += score(values_[k], values_[n_sums_ + k]) + score(missing_[k], missing_[n_sums_ + k]);
        return gain > base * ROUNDING ? gain : 0.0;
    }

    bool follows(int monotone, size_t q, int on_left) {
        for (size_t k = 0; k < n_sums_; ++k) {
            const double gl = left_of(k)[q] + (on_left ? missing_[k] : 0.0);
            const double hl = left_of(n_sums_ + k)[q] + (on_left ? missing_[n_sums_ + k] : 0.0);
            if (monotone * (leaf(total_[k] - gl, total_[n_sums_ + k] - hl) - leaf(gl, hl)) < 0.0) return false;
        }
        return true;
    }

    /// step_: the mean of all trees by their weights; total: the weight of all cuts.
    void average(size_t n, size_t missing, bool has_missing, double weight_alone, double total) {
        const WeightedCuts cuts{n_sums_, n, n > 0 ? n - 1 : 0, stride_, left_.data(), missing_.data(), values_.data(), total_.data(),
                                weight_.data(), on_left_.data(), order_.data(), has_missing ? missing : NONE, weight_alone, total + weight_alone};
        average_cuts(cuts, settings_, low_.data(), high_.data(), step_.data());
    }

    double* left_of(size_t part) { return left_.data() + part * stride_; }

    double leaf(double G, double H) const { return leaf_of(G, H, settings_.rate, settings_.max_step); }

    static constexpr size_t NONE = WeightedCuts::NONE;
    static constexpr double TIE = 1e-9;  // of gains: less is rounding, and the first is taken

    size_t n_sums_, n_bins_ = 0, stride_;
    StepSettings settings_;
    std::vector<uint16_t> order_;
    std::vector<double> key_, weight_, on_left_, gain_, rows_, low_, high_;
    std::vector<double> left_, values_, missing_, total_, step_, best_step_;
};

}  // namespace tamis::additive
