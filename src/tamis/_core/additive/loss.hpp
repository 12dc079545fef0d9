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

/// p[k] = softmax of the sums F of a row.
inline void class_probabilities(const double* F, size_t n_sums, double* p) {
    double top = F[0], total = 0.0;
    for (size_t k = 1; k < n_sums; ++k) top = std::max(top, F[k]);
    for (size_t k = 0; k < n_sums; ++k) total += p[k] = std::exp(F[k] - top);
    for (size_t k = 0; k < n_sums; ++k) p[k] /= total;
}

/// Gradient g and curvature h (sums) of the loss of row i at its sums F, times `weight`.
inline void differentiate_row(const Target& target, const double* F, size_t i, double weight, double* g, double* h) {
    const double y = target.values[i];
    switch (target.loss) {
        case Loss::squared:
            *g = weight * (*F - y);
            *h = weight;
            return;
        case Loss::logistic: {
            const double q = probability(*F);
            *g = weight * (q - y);
            *h = weight * std::max(q * (1.0 - q), MIN_CURVATURE);
            return;
        }
        case Loss::poisson: {
            const double mean = std::exp(std::min(*F, MAX_LOG_MEAN));
            *g = weight * (mean - y);
            *h = weight * std::max(mean, MIN_CURVATURE);
            return;
        }
        case Loss::multinomial:
            class_probabilities(F, target.n_sums, g);
            for (size_t k = 0; k < target.n_sums; ++k) {
                const double p = g[k];
                g[k] = weight * (p - (size_t(y) == k ? 1.0 : 0.0));
                h[k] = weight * std::max(p * (1.0 - p), MIN_CURVATURE);
            }
            return;
    }
}

/// Loss of row i at its sums F: half the squared error, log loss, or the Poisson deviance over two without what depends on y alone.
inline double row_loss(const Target& target, const double* F, size_t i, double* p) {
    const double y = target.values[i];
    switch (target.loss) {
        case Loss::squared: return 0.5 * (*F - y) * (*F - y);
        case Loss::logistic: {
            const double margin = y > 0.5 ? *F : -*F;
            return margin > 0.0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
        }
        case Loss::poisson: return std::exp(std::min(*F, MAX_LOG_MEAN)) - y * *F;
        case Loss::multinomial:
            class_probabilities(F, target.n_sums, p);
            return -std::log(std::max(p[size_t(y)], 1e-300));
    }
    return 0.0;
}

}  // namespace tamis::additive
