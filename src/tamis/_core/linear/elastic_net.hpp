// The elastic net as the solvers read it: alpha * sum (l1 |beta| + 1/2 l2 beta^2), weights per column.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

namespace tamis {

struct ElasticNet {
    std::span<const double> l1, l2;  // (p)

    /// The penalty of some columns.
    double value(const double* beta, std::span<const int64_t> columns, double alpha) const {
        double total = 0.0;
        for (const int64_t j : columns) total += l1[j] * std::abs(beta[j]) + 0.5 * l2[j] * beta[j] * beta[j];
        return alpha * total;
    }
    /// Shrink `dual_scale` until the gradients of columns without l2 are within l1; returns the conjugate of the others' l2.
    double conjugate(std::span<const int64_t> columns, const double* gradients, double alpha, double& dual_scale) const {
        double total = 0.0;
        for (size_t k = 0; k < columns.size(); ++k) {
            const int64_t j = columns[k];
            const double g = std::abs(gradients[k]), excess = g - alpha * l1[j];
            if (excess > 0.0 && l2[j] > 0.0) {
                total += excess * excess / (2 * alpha * l2[j]);
            } else if (excess > 0.0) {
                dual_scale = std::min(dual_scale, alpha * l1[j] / g);
            }
        }
        return total;
    }
};

}  // namespace tamis
