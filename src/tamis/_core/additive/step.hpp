#pragma once
// A boosting step of one curve: the two-leaf trees of all cuts of one column, averaged by what each gains.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

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

/// Cuts count by gain^SHARPNESS. The best cut alone is a greedy step: over eight tables its Brier score is 0.5 points worse, R² of
/// two 1 point (bodyfat 3), because a curve of few jumps needs many bags to become smooth. Powers from 0 to 1 differ by 0.1.
inline constexpr double SHARPNESS = 0.5;
inline constexpr double LEVEL_PRIOR = 10.0;  // rows by which a level's step is shrunk before levels are put in order
inline constexpr double ROUNDING = 1e-12;    // of the sums of squares: a gain below is a difference of equal numbers

/// Finds steps. Of bin b, G = sums[(b n_sums + k) 2] and H, the number after it, are sums of gradient and curvature; counts[b]: rows.
class StepFinder {
public:
    StepFinder(size_t n_sums, const StepSettings& settings, size_t max_bins)
        : n_sums_(n_sums), settings_(settings), order_(max_bins), key_(max_bins), weight_(max_bins), on_left_(max_bins),
          leaves_(max_bins * 2 * n_sums), left_(2 * n_sums), values_(2 * n_sums), missing_(2 * n_sums), step_(max_bins * n_sums),
          best_step_(max_bins * n_sums) {}

    /// delta (bins, sums): what the step adds to the heights; returns the gain of the best cut, 0 where no cut gains anything.
    ///
    ///     delta = sum_c gain_c^p tree_c / sum_c gain_c^p,    gain = G_l^2 / H_l + G_r^2 / H_r - G^2 / H,    leaf = -rate G / H
    ///
    /// Missing values join the better side of a cut, and one more tree sets them against all values. Levels of a category are put
    /// in the order of G / (H + prior); of several classes each gives an order, and the one of the best cut is taken.
    double find(const ColumnFacts& column, const double* sums, const double* counts, double* delta) {
        const size_t n_bins = column.n_values + 1;
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
            H += sums[(b * n_sums_ + k) * 2 + 1];
            n_rows += counts[b];
        }
        const double prior = n_rows > 0.0 ? LEVEL_PRIOR * H / n_rows : 0.0;
        for (size_t q = 0; q < n; ++q) {
            const double* sum = sums + (order_[q] * n_sums_ + k) * 2;
            key_[order_[q]] = sum[1] + prior > 0.0 ? sum[0] / (sum[1] + prior) : 0.0;
        }
        std::stable_sort(order_.begin(), order_.begin() + ptrdiff_t(n), [&](uint16_t a, uint16_t b) { return key_[a] < key_[b]; });
        return n;
    }

    /// step_ from all cuts of the first n bins of order_; `missing` is the bin that joins a side, or NONE. Returns the best gain.
    double scan(size_t n, size_t missing, int monotone, const double* sums, const double* counts) {
        const size_t width = 2 * n_sums_;
        std::fill(step_.begin(), step_.end(), 0.0);
        std::fill(values_.begin(), values_.end(), 0.0);
        std::fill(missing_.begin(), missing_.end(), 0.0);
        double n_rows = 0.0;
        for (size_t q = 0; q < n; ++q) {
            for (size_t k = 0; k < width; ++k) values_[k] += sums[order_[q] * width + k];
            n_rows += counts[order_[q]];
        }
        const double n_missing = missing == NONE ? 0.0 : counts[missing];
        if (n_missing > 0.0) std::copy_n(sums + missing * width, width, missing_.begin());
        double base = 0.0;
        for (size_t k = 0; k < n_sums_; ++k) base += score(values_[2 * k] + missing_[2 * k], values_[2 * k + 1] + missing_[2 * k + 1]);

        std::fill(left_.begin(), left_.end(), 0.0);
        double n_left = 0.0, best = 0.0, total = 0.0;
        for (size_t q = 0; q + 1 < n; ++q) {
            for (size_t k = 0; k < width; ++k) left_[k] += sums[order_[q] * width + k];
            n_left += counts[order_[q]];
            weight_[q] = 0.0;
            const double gain = cut(q, n_left, n_rows - n_left, n_missing, base, monotone);
            best = std::max(best, gain);
            if (gain > 0.0) total += weight_[q] = std::pow(gain, SHARPNESS);
        }
        const double alone = n_missing >= settings_.min_leaf && n_rows >= settings_.min_leaf ? gain_of_missing(base) : 0.0;
        best = std::max(best, alone);
        if (best > 0.0) average(n, missing, n_missing > 0.0, alone > 0.0 ? std::pow(alone, SHARPNESS) : 0.0, total);
        return best;
    }

    /// The gain of the cut after bin q, its leaves and the side of missing values; 0 where it is not allowed.
    double cut(size_t q, double n_left, double n_right, double n_missing, double base, int monotone) {
        double best = 0.0;
        double* leaves = leaves_.data() + q * 2 * n_sums_;
        for (int on_left = 0; on_left < (n_missing > 0.0 ? 2 : 1); ++on_left) {
            if (n_left + (on_left ? n_missing : 0.0) < settings_.min_leaf) continue;
            if (n_right + (on_left ? 0.0 : n_missing) < settings_.min_leaf) continue;
            double gain = -base;
            for (size_t k = 0; k < n_sums_; ++k) {
                const auto [gl, hl, gr, hr] = sides(k, on_left);
                gain += score(gl, hl) + score(gr, hr);
                if (monotone * (leaf(gr, hr) - leaf(gl, hl)) < 0.0) gain = -std::numeric_limits<double>::infinity();
            }
            if (!(gain > base * ROUNDING) || gain <= best * (1.0 + TIE)) continue;
            best = gain;
            on_left_[q] = char(on_left);
            for (size_t k = 0; k < n_sums_; ++k) {
                const auto [gl, hl, gr, hr] = sides(k, on_left);
                leaves[2 * k] = leaf(gl, hl);
                leaves[2 * k + 1] = leaf(gr, hr);
            }
        }
        return best;
    }

    struct Sides {
        double gl, hl, gr, hr;
    };
    Sides sides(size_t k, int on_left) const {
        const double gl = left_[2 * k] + (on_left ? missing_[2 * k] : 0.0), hl = left_[2 * k + 1] + (on_left ? missing_[2 * k + 1] : 0.0);
        return {gl, hl, values_[2 * k] + missing_[2 * k] - gl, values_[2 * k + 1] + missing_[2 * k + 1] - hl};
    }

    double gain_of_missing(double base) const {
        double gain = -base;
        for (size_t k = 0; k < n_sums_; ++k) gain += score(values_[2 * k], values_[2 * k + 1]) + score(missing_[2 * k], missing_[2 * k + 1]);
        return gain > base * ROUNDING ? gain : 0.0;
    }

    /// step_: the mean of all trees by their weights; total: the weight of all cuts.
    void average(size_t n, size_t missing, bool has_missing, double weight_alone, double total) {
        const size_t width = 2 * n_sums_;
        const double all = total + weight_alone;
        for (size_t k = 0; k < n_sums_; ++k) {
            double height = weight_alone * leaf(values_[2 * k], values_[2 * k + 1]);  // of the first bin, left of every cut
            double of_missing = weight_alone * leaf(missing_[2 * k], missing_[2 * k + 1]);
            for (size_t q = 0; q + 1 < n; ++q) {
                if (weight_[q] <= 0.0) continue;
                height += weight_[q] * leaves_[q * width + 2 * k];
                of_missing += weight_[q] * leaves_[q * width + 2 * k + (on_left_[q] ? 0 : 1)];
            }
            for (size_t q = 0; q < n; ++q) {
                step_[order_[q] * n_sums_ + k] = height / all;
                if (q + 1 < n && weight_[q] > 0.0) height += weight_[q] * (leaves_[q * width + 2 * k + 1] - leaves_[q * width + 2 * k]);
            }
            if (has_missing) step_[missing * n_sums_ + k] = of_missing / all;
        }
    }

    static double score(double G, double H) { return H > 0.0 ? G * G / H : 0.0; }
    double leaf(double G, double H) const {
        return H > 0.0 ? -settings_.rate * std::clamp(G / H, -settings_.max_step, settings_.max_step) : 0.0;
    }

    static constexpr size_t NONE = size_t(-1);
    static constexpr double TIE = 1e-9;  // of gains: less is rounding, and the first is taken

    size_t n_sums_;
    StepSettings settings_;
    std::vector<uint16_t> order_;
    std::vector<double> key_, weight_;
    std::vector<char> on_left_;
    std::vector<double> leaves_, left_, values_, missing_, step_, best_step_;
};

}  // namespace tamis::additive
