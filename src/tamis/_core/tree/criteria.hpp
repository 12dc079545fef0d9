#pragma once
// The criteria of criterion.hpp, as a tree with surrogates asks them.
#include <numbers>

#include "../criterion.hpp"
#include "problem.hpp"

namespace tamis::cart {

/// function(criterion), of the criterion's class.
template <class Function>
decltype(auto) with_criterion(Kind kind, Function&& function) {
    switch (kind) {
        case Kind::GINI: return function(Gini{});
        case Kind::ENTROPY:
        case Kind::GAIN_RATIO: return function(Entropy{});  // whose improvement it divides
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
