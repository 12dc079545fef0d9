#pragma once
// Criteria: how good a split is, from the sums of its two sides alone. Every search for splits asks these. There are three searches, as
// each is the quickest for what its trees need; processor time of one tree on 100,000 × 20 normal numbers:
//
//   CART (tree/)                         every cut, exactly, along columns sorted once        303 ms in full, 219 ms with 31 leaves,
//                                                                                             of which 186 ms code and sort
//   forest (node_rows.hpp, splitter.hpp) columns drawn at random, unsorted, in large nodes    43 ms in full with 4 columns a node,
//                                        cuts between 256 buckets                             105 ms with all 20
//   boosting (gradient.hpp)              histograms of 255 bins, a child's subtracted         7 ms with 31 leaves
//
// A forest on sorted columns would sort and divide all of them for the few that a node looks at; CART in buckets would miss cuts.
//
// Sums of a set of rows are the weight of each class; or the weight and, for each target, the weighted sum. `goodness(left, total, n)`
// grows as both sides get purer; improvement is goodness minus `undivided(total, n)`, that of one node. Both are in units of weight times
// impurity, and lose digits where the improvement is small: splits are compared up to a share of the node's impurity.
//
// `fall` is the improvement from what tells the sides from the node. It loses no digits, and takes more divisions. Nodes of a few rows
// need it, whose splits are compared up to a share of the improvement itself: asked for `goodness` instead, all 10 forests of counts on two
// tables chose otherwise between columns that part the rows alike. A fall of less than NONE per unit of weight is rounding. `most` is what
// no fall exceeds.
//
// The absolute error alone needs more than sums, the medians of both sides: see tree/absolute_error.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "exponential.hpp"

namespace tamis {

inline constexpr double NONE = 1e-12;

inline double x_log_x(double x) { return x > 0.0 ? x * natural_log(x) : 0.0; }  // 0 log 0 = 0

inline double weight_of_classes(const double* total, size_t n) {
    double weight = 0.0;
    for (size_t c = 0; c < n; ++c) weight += total[c];
    return weight;
}

/// Σ s² / w of both sides, not yet divided: what Gini (s: the weight of each class), squared error (of each target the weighted sum) and
/// the second-order gain (of gradients; w: of hessians) compare splits by. Searches of many cuts keep the squares up to date, and compare
/// crosswise: trees of three classes on 10,000 × 20 numbers take 2.5 times as long when `goodness` is asked at every cut.
struct SquaresOverWeight {
    double left, left_weight, right, right_weight;

    bool exceeds(double bar) const { return left * right_weight + right * left_weight > bar * left_weight * right_weight; }
    double value() const { return left / left_weight + right / right_weight; }
};

/// Σ_c w_c² / w of both sides.
struct Gini {
    static constexpr bool is_class = true;
    static double goodness(const double* left, const double* total, size_t n) {
        double wl = 0.0, wr = 0.0, sl = 0.0, sr = 0.0;
        for (size_t c = 0; c < n; ++c) {
            const double a = left[c], b = total[c] - a;
            wl += a;
            wr += b;
            sl += a * a;
            sr += b * b;
        }
        return (wl > 0.0 ? sl / wl : 0.0) + (wr > 0.0 ? sr / wr : 0.0);
    }
    static double undivided(const double* total, size_t n) {
        double w = 0.0, s = 0.0;
        for (size_t c = 0; c < n; ++c) {
            w += total[c];
            s += total[c] * total[c];
        }
        return w > 0.0 ? s / w : 0.0;
    }
};

/// Σ_c w_c log w_c - w log w of both sides: minus their entropy in nats.
struct Entropy {
    static constexpr bool is_class = true;
    static double goodness(const double* left, const double* total, size_t n) {
        double wl = 0.0, wr = 0.0, sum = 0.0;
        for (size_t c = 0; c < n; ++c) {
            const double a = left[c], b = total[c] - a;
            wl += a;
            wr += b;
            sum += x_log_x(a) + x_log_x(b);
        }
        return sum - x_log_x(wl) - x_log_x(wr);
    }
    static double undivided(const double* total, size_t n) {
        double w = 0.0, sum = 0.0;
        for (size_t c = 0; c < n; ++c) {
            w += total[c];
            sum += x_log_x(total[c]);
        }
        return sum - x_log_x(w);
    }

    /// Of two classes: v rows on the left, s of the second class beyond its share p in the node: v d(p_l) + (W - v) d(p_r), with
    /// d(q) = q log(q / p) + (1 - q) log((1 - q) / (1 - p)).
    static double fall(double v, double s, double total, double share) {
        const double right = total - v;
        auto divergence = [&](double q) { return term(q, share) + term(1.0 - q, 1.0 - share); };
        const double fall = v * divergence(share + s / v) + right * divergence(share - s / right);
        return fall > NONE * total ? fall : 0.0;
    }
    static double most(double share) { return -(term(share, 1.0) + term(1.0 - share, 1.0)); }

    /// Of several: Σ L log(L / v) + Σ R log(R / (W - v)) + `most`, the entropy of the node times its weight W.
    static double fall(const double* left, const double* total, size_t n, double v, double weight, double most) {
        const double rest = weight - v;
        double fall = most;
        for (size_t c = 0; c < n; ++c) fall += present_term(left[c], v) + present_term(total[c] - left[c], rest);
        return fall > NONE * weight ? fall : 0.0;
    }
    static double most(const double* total, size_t n, double weight) {
        double whole = 0.0;
        for (size_t c = 0; c < n; ++c) whole += present_term(total[c], weight);
        return -whole;
    }

private:
    static double term(double part, double whole) { return part > 0.0 ? part * natural_log(part / whole) : 0.0; }
    static double present_term(double part, double whole) { return part > NONE * whole ? part * natural_log(part / whole) : 0.0; }
};

/// The improvement of entropy over the entropy of the two sides' sizes (Quinlan 1993).
struct GainRatio : Entropy {
    static double ratio(double gain, double left_weight, double weight) {
        const double p = left_weight / weight;
        return gain / weight / (-x_log_x(p) - x_log_x(1.0 - p));
    }
};

/// Pearson's statistic of the table sides × classes.
struct Chi2 {
    static constexpr bool is_class = true;
    static double goodness(const double* left, const double* total, size_t n) {
        double w = 0.0, wl = 0.0;
        for (size_t c = 0; c < n; ++c) {
            w += total[c];
            wl += left[c];
        }
        const double wr = w - wl;
        if (wl <= 0.0 || wr <= 0.0) return 0.0;
        double sum = 0.0;
        for (size_t c = 0; c < n; ++c) {
            if (total[c] > 0.0) {
                const double off = left[c] - wl * total[c] / w;
                sum += off * off / total[c];
            }
        }
        return sum * w * (1.0 / wl + 1.0 / wr);
    }
    static double undivided(const double*, size_t) { return 0.0; }
};

/// Σ (Σ w y)² / w of both sides, over all targets. The absolute error orders levels by it.
struct SquaredError {
    static constexpr bool is_class = false;
    static double goodness(const double* left, const double* total, size_t n) {
        const double wl = left[0], wr = total[0] - wl;
        double sum = 0.0;
        for (size_t k = 1; k < n; ++k) {
            const double a = left[k], b = total[k] - a;
            sum += (wl > 0.0 ? a * a / wl : 0.0) + (wr > 0.0 ? b * b / wr : 0.0);
        }
        return sum;
    }
    static double undivided(const double* total, size_t n) {
        double sum = 0.0;
        for (size_t k = 1; k < n; ++k) {
            if (total[0] > 0.0) sum += total[k] * total[k] / total[0];
        }
        return sum;
    }
};

/// Σ w y log(mean) of both sides: half the Poisson deviance falls as it grows. A side without any count is refused: a mean of 0 says
/// that no count can ever come, and costs infinity where one does.
struct Poisson {
    static constexpr bool is_class = false;
    static double goodness(const double* left, const double* total, size_t n) {
        const double wl = left[0], wr = total[0] - wl;
        double sum = 0.0;
        for (size_t k = 1; k < n; ++k) {
            const double a = left[k], b = total[k] - a, least = NONE * total[k];
            if (a <= least || b <= least) return -std::numeric_limits<double>::infinity();
            sum += a * natural_log(a / wl) + b * natural_log(b / wr);
        }
        return sum;
    }
    static double undivided(const double* total, size_t n) {
        double sum = 0.0;
        for (size_t k = 1; k < n; ++k) sum += total[k] > 0.0 ? total[k] * natural_log(total[k] / total[0]) : 0.0;
        return sum;
    }

    /// Of one target, with s = Σ w (y - mean) on the left: mean · (v d(t_l) + (W - v) d(t_r)), t being the mean of a side over that of
    /// the node and d(t) = t log t - t + 1.
    static double fall(double v, double s, double total, double mean) {
        const double right = total - v, a = 1.0 + s / (v * mean), b = 1.0 - s / (right * mean);
        if (!(a > NONE && b > NONE)) return -std::numeric_limits<double>::infinity();
        auto divergence = [](double t) { return t * natural_log(t) - t + 1.0; };
        const double fall = v * divergence(a) + right * divergence(b);
        return fall > NONE * total ? fall * mean : 0.0;
    }
    static double most(double) { return std::numeric_limits<double>::infinity(); }
};

/// The fall of the standard deviation of one number (Quinlan's M5).
///
/// With the sums s of z = w (y - mean of the node), q of z² / w and v of w on the left, both sides have
///   √(v q - s²) + √((W - v) (Q - q) - s²) = v · deviation on the left + (W - v) · deviation on the right,
/// W and Q being those of the node. Two sides of equal mean bring no squared error down, but their deviations fall together as
/// soon as they differ: a column that acts only in a product with another (y = a b scatters with |a|) is seen. Squares are compared
/// with squares, so that a root is only taken for a cut that is better than the best so far: √A + √B < c when t = c² - A - B > 0 and
/// t² > 4 A B.
struct StandardDeviation {
    double a, b;  // the squares of weight times deviation on either side

    /// A side with less than NONE of the node's squares has none: its root would be one of rounding, and decide between equal cuts
    /// differently for a row given twice and one that weighs 2.
    StandardDeviation(double s, double v, double q, double total, double squares) {
        const double rest = total - v;
        a = v * q - s * s;
        b = rest * (squares - q) - s * s;
        if (!(a > NONE * v * squares)) a = 0.0;
        if (!(b > NONE * rest * squares)) b = 0.0;
    }

    bool is_below(double squared_sum) const {
        const double apart = squared_sum - a - b;
        return apart > 0.0 && apart * apart > 4.0 * a * b;
    }
    double sum() const { return std::sqrt(a) + std::sqrt(b); }
};

}  // namespace tamis
