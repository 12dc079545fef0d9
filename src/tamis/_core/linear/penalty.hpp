// The elastic net as the solvers read it: alpha * sum (l1 |beta| + 1/2 l2 beta^2), weights per column, where |beta| is the length of
// a group's coefficients. Ridge has l1 = 0, the lasso l2 = 0, a free column both. A column with a side has coefficients of that sign
// alone: the penalty of others is infinite. Groups have no sides.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include "../lanes.hpp"

namespace tamis {

/// What gradients say of the dual point: the residuals, shrunk until no gradient is beyond its penalty.
struct DualTerms {
    double scale = 1.0;        // of the residuals
    double conjugate = 0.0;    // of l2
    double free_dot = 0.0;     // coefficients of free columns times their gradients
    double free_square = 0.0;  // squared gradients of free columns, which are 0 at the dual point
};

/// The length of a gradient, as far as a coefficient may follow it.
inline double allowed_length(double gradient, double side) {
    return side == 0.0 ? std::abs(gradient) : std::max(0.0, side * gradient);
}

struct Penalty {
    std::span<const double> l1, l2;  // (p); in a group: l1 of the group
    std::span<const int64_t> ends;   // (p) where the group of every column ends; empty where each stands for itself
    std::span<const double> sides;   // (p) 1: not below 0, -1: not above, 0: free; empty where all are free

    bool has_sides() const { return !sides.empty(); }
    double side(size_t j) const { return has_sides() ? sides[j] : 0.0; }
    bool has_groups() const { return !ends.empty(); }
    bool begins_group(size_t j) const { return !has_groups() || j == 0 || ends[j - 1] == int64_t(j); }
    /// Columns of the group that begins with j.
    size_t group_size(size_t j) const { return has_groups() ? size_t(ends[j]) - j : 1; }

    /// The penalty of some columns, groups whole.
    double value(const double* beta, std::span<const int64_t> columns, double alpha) const {
        double total = 0.0;
        for (size_t k = 0; k < columns.size();) {
            const size_t size = group_size(size_t(columns[k]));
            total += of_group(beta, columns.data() + k, size);
            k += size;
        }
        return alpha * total;
    }
    /// Add the terms of some columns, groups whole; gradients in the order of the columns.
    void add_dual(const double* beta, std::span<const int64_t> columns, const double* gradients, double alpha, DualTerms& dual) const {
        for (size_t k = 0; k < columns.size();) {
            const size_t j = size_t(columns[k]), size = group_size(j);
            const double length = size == 1 ? allowed_length(gradients[k], side(j))
                                            : std::sqrt(dot(gradients + k, gradients + k, size));
            const double limit = alpha * l1[j], stiffness = alpha * l2[j], excess = length - limit;
            if (excess > 0.0 && stiffness > 0.0) {
                dual.conjugate += excess * excess / (2.0 * stiffness);
            } else if (excess > 0.0 && limit > 0.0) {
                dual.scale = std::min(dual.scale, limit / length);
            } else if (excess > 0.0) {
                dual.free_square += excess * excess;
                for (size_t e = 0; e < size; ++e) dual.free_dot += beta[columns[k + e]] * gradients[k + e];
            }
            k += size;
        }
    }

   private:
    double of_group(const double* beta, const int64_t* columns, size_t size) const {
        const size_t j = size_t(columns[0]);
        if (size == 1) return l1[j] * std::abs(beta[j]) + 0.5 * l2[j] * beta[j] * beta[j];
        double square = 0.0;
        for (size_t e = 0; e < size; ++e) square += beta[columns[e]] * beta[columns[e]];
        return l1[j] * std::sqrt(square) + 0.5 * l2[j] * square;
    }
};

}  // namespace tamis
