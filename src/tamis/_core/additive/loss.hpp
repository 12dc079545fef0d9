#pragma once
// Losses of an additive model: gradient and curvature by the sums F, held-out loss. One sum, or one per class.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis::additive {

enum class Loss { squared, logistic, multinomial, poisson };

/// What is predicted: numbers, 0 and 1, the code of a class, or counts; with a weight per row.
struct Target {
    Loss loss;
    size_t n_sums;                   // 1, or the number of classes
    std::span<const double> values;  // (rows)
    std::span<const double> weight;  // (rows)
};

inline constexpr double MIN_CURVATURE = 1e-12;  // of a row, relative to its weight: no step divides by zero
inline constexpr double MAX_LOG_MEAN = 50.0;    // of counts: exp of it is still a number

inline double probability(double log_odds) { return 1.0 / (1.0 + std::exp(-log_odds)); }

/// p[k] = softmax of F[k][i] over the sums.
inline void class_probabilities(const double* F, size_t n_sums, size_t n_rows, size_t i, double* p) {
    double top = F[i], total = 0.0;
    for (size_t k = 1; k < n_sums; ++k) top = std::max(top, F[k * n_rows + i]);
    for (size_t k = 0; k < n_sums; ++k) total += p[k] = std::exp(F[k * n_rows + i] - top);
    for (size_t k = 0; k < n_sums; ++k) p[k] /= total;
}

/// gradient g and curvature h (sums, rows) of the loss at F, times `weight`; p: room for n_sums numbers.
inline void differentiate(const Target& target, const double* F, std::span<const double> weight, double* g, double* h, double* p) {
    const size_t n = weight.size();
    const double* y = target.values.data();
    switch (target.loss) {
        case Loss::squared:
            for (size_t i = 0; i < n; ++i) {
                g[i] = weight[i] * (F[i] - y[i]);
                h[i] = weight[i];
            }
            return;
        case Loss::logistic:
            for (size_t i = 0; i < n; ++i) {
                const double q = probability(F[i]);
                g[i] = weight[i] * (q - y[i]);
                h[i] = weight[i] * std::max(q * (1.0 - q), MIN_CURVATURE);
            }
            return;
        case Loss::poisson:
            for (size_t i = 0; i < n; ++i) {
                const double mean = std::exp(std::min(F[i], MAX_LOG_MEAN));
                g[i] = weight[i] * (mean - y[i]);
                h[i] = weight[i] * std::max(mean, MIN_CURVATURE);
            }
            return;
        case Loss::multinomial:
            for (size_t i = 0; i < n; ++i) {
                class_probabilities(F, target.n_sums, n, i, p);
                for (size_t k = 0; k < target.n_sums; ++k) {
                    g[k * n + i] = weight[i] * (p[k] - (size_t(y[i]) == k ? 1.0 : 0.0));
                    h[k * n + i] = weight[i] * std::max(p[k] * (1.0 - p[k]), MIN_CURVATURE);
                }
            }
            return;
    }
}

/// Gradient and curvature of one row at its sums F (n_sums), times its weight.
inline void differentiate_row(const Target& target, const double* F, size_t i, double* g, double* h, double* p) {
    Target row{target.loss, target.n_sums, target.values.subspan(i, 1), target.weight.subspan(i, 1)};
    differentiate(row, F, row.weight, g, h, p);
}

/// Loss of row i at F: half the squared error, log loss, or the Poisson deviance over two without what depends on y alone.
inline double row_loss(const Target& target, const double* F, size_t n_rows, size_t i, double* p) {
    const double y = target.values[i];
    switch (target.loss) {
        case Loss::squared: return 0.5 * (F[i] - y) * (F[i] - y);
        case Loss::logistic: {
            const double margin = y > 0.5 ? F[i] : -F[i];
            return margin > 0.0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
        }
        case Loss::poisson: return std::exp(std::min(F[i], MAX_LOG_MEAN)) - y * F[i];
        case Loss::multinomial:
            class_probabilities(F, target.n_sums, n_rows, i, p);
            return -std::log(std::max(p[size_t(y)], 1e-300));
    }
    return 0.0;
}

}  // namespace tamis::additive
