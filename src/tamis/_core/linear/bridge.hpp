// The bridge penalty alpha sum |beta|^q, 0 < q <= 2, with the squared loss by its moments: cyclic coordinate descent, each coefficient
// set to the global minimum of its own problem. For q < 1 the whole is not convex: a point is reached that no single column improves.
//
// Marjanovic, Solo (2012), On l_q optimization and matrix completion, IEEE Trans. Signal Processing 60.
#pragma once
#include "quadratic.hpp"

namespace tamis {

/// The least |z| at which argmin 1/2 h b^2 - z b + penalty |b|^q is not 0, for q < 1.
inline double bridge_threshold(double h, double penalty, double q) {
    const double b = std::pow(2.0 * penalty * (1.0 - q) / h, 1.0 / (2.0 - q));
    return h * b + penalty * q * std::pow(b, q - 1.0);
}

/// argmin 1/2 h b^2 - z b + penalty |b|^q.
inline double bridge_minimum(double h, double z, double penalty, double q) {
    const double size = std::abs(z);
    if (size == 0.0 || h <= 0.0) return 0.0;
    if (penalty == 0.0) return z / h;
    if (q == 1.0) return soft_threshold(z, penalty, h);
    if (q < 1.0 && size <= bridge_threshold(h, penalty, q)) return 0.0;
    // the root of h b + penalty q b^(q - 1) = size: below size / h; for q < 1 above the threshold's coefficient
    double high = size / h, low = q < 1.0 ? std::pow(2.0 * penalty * (1.0 - q) / h, 1.0 / (2.0 - q)) : 0.0;
    double b = high;
    for (int step = 0; step < 100; ++step) {
        const double power = penalty * q * std::pow(b, q - 1.0), value = h * b + power - size;
        (value > 0.0 ? high : low) = b;
        double next = b - value / (h + (q - 1.0) * power / b);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (std::abs(next - b) <= 1e-16 * high) break;
        b = next;
    }
    return z > 0.0 ? b : -b;
}

/// Models of 1/2 beta'H beta - c'beta + alpha sum f |beta|^q for falling alphas (alphas, p), each from the one before.
inline void bridge_path(Matrix<const double> H, std::span<const double> c, std::span<const double> factors, double q,
                        std::span<const double> alphas, double tol, Matrix<double> coef) {
    const size_t p = c.size();
    std::vector<double> gradient(c.begin(), c.end()), beta(p, 0.0);
    for (size_t a = 0; a < alphas.size(); ++a) {
        for (int sweep = 0; sweep < 100'000; ++sweep) {
            double largest = 0.0;
            for (size_t j = 0; j < p; ++j) {
                const double h = H[j][j];
                if (h <= 0.0) continue;
                const double move = bridge_minimum(h, gradient[j] + h * beta[j], alphas[a] * factors[j], q) - beta[j];
                if (move == 0.0) continue;
                beta[j] += move;
                add_scaled(-move, H[j], gradient.data(), p);
                largest = std::max(largest, h * move * move);
            }
            if (largest <= tol) break;
        }
        std::copy(beta.begin(), beta.end(), coef[a]);
    }
}

}  // namespace tamis
