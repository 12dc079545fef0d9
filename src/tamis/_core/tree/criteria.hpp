#pragma once
// Criteria: the goodness of a split, from the statistics of its two sides alone.
//
// Statistics of a set of rows are the weight of each class; or the weight and, for each target, the weighted sum.
// `goodness(left, total)` grows as both sides get purer; improvement is goodness minus `undivided(total)`, that of one node.
// Both are in units of weight times impurity.
#include <cmath>
#include <numbers>

#include "../exponential.hpp"
#include "problem.hpp"

namespace tamis::cart {

inline double x_log_x(double x) { return x > 0.0 ? x * natural_log(x) : 0.0; }  // 0 log 0 = 0

inline double weight_of_classes(const double* total, size_t n) {
    double weight = 0.0;
    for (size_t c = 0; c < n; ++c) weight += total[c];
    return weight;
}

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

/// Σ_c w_c log w_c - w log w of both sides: minus their entropy in nats. The gain ratio divides its improvement.
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
    static constexpr double NO_COUNT = 1e-12;  // of the node's: less is rounding
    static double goodness(const double* left, const double* total, size_t n) {
        const double wl = left[0], wr = total[0] - wl;
        double sum = 0.0;
        for (size_t k = 1; k < n; ++k) {
            const double a = left[k], b = total[k] - a, least = NO_COUNT * total[k];
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
};

/// function(criterion), of the criterion's class.
template <class Function>
decltype(auto) with_criterion(Kind kind, Function&& function) {
    switch (kind) {
        case Kind::GINI: return function(Gini{});
        case Kind::ENTROPY:
        case Kind::GAIN_RATIO: return function(Entropy{});
        case Kind::CHI2: return function(Chi2{});
        case Kind::POISSON: return function(Poisson{});
        default: return function(SquaredError{});
    }
}

inline double undivided(Kind kind, const double* total, size_t n) {
    return with_criterion(kind, [&](auto criterion) { return criterion.undivided(total, n); });
}

/// What rows of these statistics answer, where it may have a direction: one number, or the share of the second of two classes.
template <class Criterion>
double answer_of(const double* stats) {
    return Criterion::is_class ? stats[1] / (stats[0] + stats[1]) : stats[1] / stats[0];
}

/// Whether a split may be made by the answers of its sides.
template <class Criterion>
bool is_allowed(const double* left, const double* total, const CutLimits& limits) {
    if (!limits.answers) return true;
    const double right[2] = {total[0] - left[0], total[1] - left[1]};
    return limits.allows(answer_of<Criterion>(left), answer_of<Criterion>(right));
}

/// Whether both sides weigh at least `min_weight`.
template <class Criterion>
bool is_heavy(const double* left, const double* total, size_t n, double min_weight) {
    if (min_weight <= 0.0) return true;
    double w = total[0], wl = left[0];
    if constexpr (Criterion::is_class) {
        for (size_t c = 1; c < n; ++c) {
            w += total[c];
            wl += left[c];
        }
    }
    return wl >= min_weight && w - wl >= min_weight;
}

/// Impurity of a node of classes times its weight: Gini, or entropy in nats.
inline double class_impurity(Kind kind, const double* total, size_t n) {
    if (kind == Kind::ENTROPY || kind == Kind::GAIN_RATIO) return -Entropy::undivided(total, n);
    return weight_of_classes(total, n) - Gini::undivided(total, n);
}

/// Entropy of the two sides' sizes, per unit of weight: what the gain ratio divides by.
inline double split_information(double left_weight, double total_weight) {
    const double p = left_weight / total_weight;
    return -x_log_x(p) - x_log_x(1.0 - p);
}

/// Improvement that a categorical column owes to having more than ten levels.
///
/// Levels of pure noise scatter around the node's mean; cutting their ordering in two captures a share 2/π of that scatter, so each
/// level adds about 2/π of one row's impurity. Levels beyond the tenth are charged that much.
inline double excess(Kind kind, const double* total, double impurity, int64_t n_rows, size_t n_stats, size_t n_levels) {
    if (n_levels <= 10) return 0.0;
    const double levels = 2.0 / std::numbers::pi * double(n_levels - 10);
    if (kind == Kind::CHI2) return levels;
    if (kind == Kind::ENTROPY || kind == Kind::GAIN_RATIO) return 0.5 * levels * weight_of_classes(total, n_stats) / double(n_rows);
    const double directions = kind == Kind::GINI ? double(n_stats - 1) : 1.0, share = kind == Kind::POISSON ? 0.5 : 1.0;
    return share * levels * impurity / (double(n_rows) * directions);
}

/// Add row i to statistics.
template <class Criterion>
void add_row(const RowValues& target, size_t i, double* stats, size_t n_stats) {
    const double w = target.weight[i];
    if constexpr (Criterion::is_class) {
        stats[target.classes[i]] += w;
    } else {
        stats[0] += w;
        for (size_t k = 1; k < n_stats; ++k) stats[k] += w * target.values[i * (n_stats - 1) + k - 1];
    }
}

}  // namespace tamis::cart
