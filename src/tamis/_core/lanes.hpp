// Sums and updates of rows, eight at a time: the order of a sum is written down, so every processor gives the same bits.
//
// A compiler may not reorder a sum, so a plain loop adds one number at a time; eight sums side by side are five times faster.
// `lane_sum` and `inner_product` are for use inside kernels that are TAMIS_WIDE themselves; the others may be called from anywhere.
#pragma once
#include <cstddef>

#include "wide.hpp"

namespace tamis {

/// Sum of term(i), i < n.
template <class Term>
inline double lane_sum(size_t n, Term term) {
    double s[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t lane = 0; lane < 8; ++lane) s[lane] += term(i + lane);
    double total = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    for (; i < n; ++i) total += term(i);
    return total;
}

inline double inner_product(const double* a, const double* b, size_t n) {
    return lane_sum(n, [=](size_t i) { return a[i] * b[i]; });
}

/// sum a b
TAMIS_WIDE static double dot(const double* a, const double* b, size_t n) { return inner_product(a, b, n); }
/// sum a
TAMIS_WIDE static double sum(const double* a, size_t n) {
    return lane_sum(n, [=](size_t i) { return a[i]; });
}
/// sum v a b
TAMIS_WIDE static double weighted_dot(const double* v, const double* a, const double* b, size_t n) {
    return lane_sum(n, [=](size_t i) { return v[i] * a[i] * b[i]; });
}
/// out += d x
TAMIS_WIDE static void add_scaled(double d, const double* x, double* out, size_t n) {
    for (size_t i = 0; i < n; ++i) out[i] += d * x[i];
}
/// out = v x
TAMIS_WIDE static void multiply(const double* v, const double* x, double* out, size_t n) {
    for (size_t i = 0; i < n; ++i) out[i] = v[i] * x[i];
}
/// out -= d v x
TAMIS_WIDE static void subtract_weighted(double d, const double* v, const double* x, double* out, size_t n) {
    for (size_t i = 0; i < n; ++i) out[i] -= d * v[i] * x[i];
}

}  // namespace tamis
