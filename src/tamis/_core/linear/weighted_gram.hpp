// Z diag(v) Z' of a few hundred columns and many rows, in blocks that stay in the cache.
//
// Rows are summed in eight parts, which do not depend on the number of threads, and parts in their order: the same bits whatever
// runs beside.
#pragma once
#include <algorithm>
#include <vector>

#include "../lanes.hpp"
#include "path_fit.hpp"

namespace tamis {

namespace weighted_gram_detail {

constexpr size_t kParts = 8;
constexpr size_t kRows = 256;  // of a block

/// total (size, size), upper triangle += A B' for the first n_rows, a multiple of 8, of blocks A, B (size, kRows).
TAMIS_WIDE static void add_products(const double* A, const double* B, size_t size, size_t n_rows, double* total) {
    size_t a = 0;
    for (; a + 4 <= size; a += 4) {
        for (size_t b = a; b < size; b += 2) {
            const double* second[2] = {B + b * kRows, B + std::min(b + 1, size - 1) * kRows};
            double s[4][2][8] = {};
            for (size_t i = 0; i < n_rows; i += 8)
                for (size_t x = 0; x < 4; ++x)
                    for (size_t y = 0; y < 2; ++y)
                        for (size_t lane = 0; lane < 8; ++lane)
                            s[x][y][lane] += A[(a + x) * kRows + i + lane] * second[y][i + lane];
            for (size_t x = 0; x < 4; ++x)
                for (size_t y = 0; y < 2 && b + y < size; ++y) {
                    const double* t = s[x][y];
                    total[(a + x) * size + b + y] += ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]));
                }
        }
    }
    for (; a < size; ++a)
        for (size_t b = a; b < size; ++b) total[a * size + b] += inner_product(A + a * kRows, B + b * kRows, n_rows);
}

}  // namespace weighted_gram_detail

/// Sum over rows of v z z' (size, size); read(a, first, m, out) gives rows first ... first + m - 1 of column a.
template <class Read>
std::vector<double> weighted_gram(size_t size, size_t n, const double* v, const RunTasks& run, Read read) {
    using namespace weighted_gram_detail;
    std::vector<std::vector<double>> parts(kParts);
    run(kParts, [&](size_t part) {
        parts[part].assign(size * size, 0.0);
        std::vector<double> plain(size * kRows), weighted(size * kRows);
        const size_t last = n * (part + 1) / kParts;
        for (size_t first = n * part / kParts; first < last; first += kRows) {
            const size_t m = std::min(kRows, last - first), padded = (m + 7) / 8 * 8;
            for (size_t a = 0; a < size; ++a) {
                double *x = plain.data() + a * kRows, *vx = weighted.data() + a * kRows;
                read(a, first, m, x);
                multiply(v + first, x, vx, m);
                std::fill(x + m, x + padded, 0.0);
                std::fill(vx + m, vx + padded, 0.0);
            }
            add_products(weighted.data(), plain.data(), size, padded, parts[part].data());
        }
    });
    std::vector<double> total = std::move(parts[0]);
    for (size_t part = 1; part < kParts; ++part)
        for (size_t e = 0; e < size * size; ++e) total[e] += parts[part][e];
    for (size_t a = 0; a < size; ++a)
        for (size_t b = 0; b < a; ++b) total[a * size + b] = total[b * size + a];
    return total;
}

}  // namespace tamis
