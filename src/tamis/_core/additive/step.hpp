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

/// Finds steps. sums (2 sums, bins): G, the sums of the gradient by bin, in row 2k, and H, those of the curvature, in row 2k + 1.
/// counts (bins): rows.
class StepFinder {
public:
    StepFinder(size_t n_sums, const StepSettings& settings, size_t max_bins)
        : n_sums_(n_sums), settings_(settings), order_(max_bins), key_(max_bins), weight_(max_bins), on_left_(max_bins), gain_(max_bins),
          rows_(max_bins), low_(max_bins), high_(max_bins), left_(max_bins * 2 * n_sums), values_(2 * n_sums), missing_(2 * n_sums),
          total_(2 * n_sums), step_(max_bins * n_sums), best_step_(max_bins * n_sums) {}

    /// delta (sums, bins): what the step adds to the heights; returns the gain of the best cut, 0 where no cut gains anything.
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
            H += sums[(2 * k + 1) * n_bins + b];
            n_rows += counts[b];
        }
        const double prior = n_rows > 0.0 ? LEVEL_PRIOR * H / n_rows : 0.0;
        for (size_t q = 0; q < n; ++q) {
            const double G = sums[2 * k * n_bins + order_[q]], own = sums[(2 * k + 1) * n_bins + order_[q]] + prior;
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
        for (size_t part = 0; part < width; ++part) missing_[part] = n_missing > 0.0 ? sums[part * n_bins_ + missing] : 0.0;
        for (size_t part = 0; part < width; ++part) total_[part] = values_[part] + missing_[part];
        double base = 0.0;
        for (size_t k = 0; k < n_sums_; ++k) base += score(total_[2 * k], total_[2 * k + 1]);
        const double alone = n_missing >= settings_.min_leaf && n_rows >= settings_.min_leaf ? gain_of_missing(base) : 0.0;
        double best = alone, total = 0.0;
        weigh(n, n_rows, n_missing, base, monotone);
        for (size_t q = 0; q + 1 < n; ++q) {
            best = std::max(best, weight_[q]);
            total += weight_[q] = cut_weight(weight_[q]);
        }
        if (best > 0.0) average(n, missing, n_missing > 0.0, cut_weight(alone), total);
        return best;
    }

    /// left_ (2 sums, cuts) and rows_ (cuts): sums and rows of the first bins; values_: those of all; returns all rows.
    double cumulate(size_t n, const double* sums, const double* counts) {
        for (size_t k = 0; k < n_sums_; ++k) {
            const double *G = sums + 2 * k * n_bins_, *H = G + n_bins_;
            double g = 0.0, h = 0.0, *left_g = left_of(2 * k), *left_h = left_of(2 * k + 1);
            for (size_t q = 0; q < n; ++q) {
                left_g[q] = g += G[order_[q]];
                left_h[q] = h += H[order_[q]];
            }
            values_[2 * k] = g;
            values_[2 * k + 1] = h;
        }
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
                const Sums missing = on_left ? Sums{missing_[2 * k], missing_[2 * k + 1]} : Sums{0.0, 0.0};
                add_gains(left_of(2 * k), left_of(2 * k + 1), missing, {total_[2 * k], total_[2 * k + 1]}, gain_.data(), n_cuts);
            }
            const double left = on_left ? n_missing : 0.0, right = on_left ? 0.0 : n_missing;
            for (size_t q = 0; q < n_cuts; ++q) {
                if (rows_[q] + left < settings_.min_leaf || n_rows - rows_[q] + right < settings_.min_leaf) continue;
                if (!(gain_[q] > base * ROUNDING) || gain_[q] <= weight_[q] * (1.0 + TIE)) continue;
                if (monotone != 0 && !follows(monotone, q, on_left)) continue;
                weight_[q] = gain_[q];
                on_left_[q] = double(on_left);
            }
        }
    }

    /// The gain of a tree that sets missing values against all values.
    double gain_of_missing(double base) const {
        double gain = -base;
        for (size_t k = 0; k < n_sums_; ++k) gain += score(values_[2 * k], values_[2 * k + 1]) + score(missing_[2 * k], missing_[2 * k + 1]);
        return gain > base * ROUNDING ? gain : 0.0;
    }

    bool follows(int monotone, size_t q, int on_left) {
        for (size_t k = 0; k < n_sums_; ++k) {
            const double gl = left_of(2 * k)[q] + (on_left ? missing_[2 * k] : 0.0);
            const double hl = left_of(2 * k + 1)[q] + (on_left ? missing_[2 * k + 1] : 0.0);
            if (monotone * (leaf(total_[2 * k] - gl, total_[2 * k + 1] - hl) - leaf(gl, hl)) < 0.0) return false;
        }
        return true;
    }

    /// step_: the mean of all trees by their weights; total: the weight of all cuts.
    void average(size_t n, size_t missing, bool has_missing, double weight_alone, double total) {
        const double all = total + weight_alone;
        const size_t n_cuts = n > 0 ? n - 1 : 0;
        for (size_t k = 0; k < n_sums_; ++k) {
            const Sums absent{missing_[2 * k], missing_[2 * k + 1]};
            find_leaves(left_of(2 * k), left_of(2 * k + 1), on_left_.data(), absent, {total_[2 * k], total_[2 * k + 1]}, settings_,
                        low_.data(), high_.data(), n_cuts);
            double height = weight_alone * leaf(values_[2 * k], values_[2 * k + 1]);  // of the first bin, left of every cut
            double of_missing = weight_alone * leaf(absent.g, absent.h);
            for (size_t q = 0; q < n_cuts; ++q) height += weight_[q] * low_[q];
            for (size_t q = 0; has_missing && q < n_cuts; ++q) of_missing += weight_[q] * (on_left_[q] > 0.0 ? low_[q] : high_[q]);
            double* step = step_.data() + k * n_bins_;
            for (size_t q = 0; q < n; ++q) {
                step[order_[q]] = height / all;
                if (q < n_cuts) height += weight_[q] * (high_[q] - low_[q]);
            }
            if (has_missing) step[missing] = of_missing / all;
        }
    }

    double* left_of(size_t part) { return left_.data() + part * weight_.size(); }

    double leaf(double G, double H) const { return leaf_of(G, H, settings_.rate, settings_.max_step); }

    static constexpr size_t NONE = size_t(-1);
    static constexpr double TIE = 1e-9;  // of gains: less is rounding, and the first is taken

    size_t n_sums_, n_bins_ = 0;
    StepSettings settings_;
    std::vector<uint16_t> order_;
    std::vector<double> key_, weight_, on_left_, gain_, rows_, low_, high_;
    std::vector<double> left_, values_, missing_, total_, step_, best_step_;
};

}  // namespace tamis::additive
