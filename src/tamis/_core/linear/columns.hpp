// Columns of a design matrix as one fit reads them: (Z - centre) * inverse, dense or by the entries of a sparse table.
//
// Products are of Z itself: residuals sum to 0 where there is an intercept, so the centre takes no part in gradients.
#pragma once
#include <algorithm>
#include <span>

#include "../lanes.hpp"
#include "../matrix.hpp"

namespace tamis {

struct Columns {
    Matrix<const double> Z;          // (p, n); of a sparse table (1, entries), column by column
    std::span<const int64_t> begin;  // (p + 1) of a sparse table: where each column begins; else empty
    std::span<const int64_t> row;    // (entries) of a sparse table
    size_t n_rows = 0;
    const double* centre = nullptr;   // (p)
    const double* inverse = nullptr;  // (p) 1 / scale; 0 for a column that does not vary
    const double* norms = nullptr;    // (p) lengths of the columns under the weights of the rows

    bool is_sparse() const { return !begin.empty(); }
    size_t size() const { return is_sparse() ? begin.size() - 1 : Z.n_rows; }

    /// x'r
    double dot(size_t j, const double* r) const {
        if (!is_sparse()) return tamis::dot(Z[j], r, n_rows);
        double total = 0.0;
        for (int64_t e = begin[j]; e < begin[j + 1]; ++e) total += Z.data[e] * r[row[e]];
        return total;
    }
    /// The gradient of a coefficient from the residuals of the rows.
    double gradient(size_t j, const double* residual) const { return inverse[j] * dot(j, residual); }
    /// out += d x
    void add(size_t j, double d, double* out) const {
        if (!is_sparse()) return add_scaled(d, Z[j], out, n_rows);
        for (int64_t e = begin[j]; e < begin[j + 1]; ++e) out[row[e]] += d * Z.data[e];
    }
    /// out -= d v x
    void subtract(size_t j, double d, const double* v, double* out) const {
        if (!is_sparse()) return subtract_weighted(d, v, Z[j], out, n_rows);
        for (int64_t e = begin[j]; e < begin[j + 1]; ++e) out[row[e]] -= d * v[row[e]] * Z.data[e];
    }
    /// Rows first ... first + m - 1, dense.
    void copy(size_t j, size_t first, size_t m, double* out) const {
        if (!is_sparse()) {
            std::copy_n(Z[j] + first, m, out);
            return;
        }
        std::fill_n(out, m, 0.0);
        for (int64_t e = begin[j]; e < begin[j + 1]; ++e)
            if (size_t(row[e]) >= first && size_t(row[e]) < first + m) out[size_t(row[e]) - first] = Z.data[e];
    }
    /// sum v x and sum v x^2
    void moments(size_t j, const double* v, double& first, double& second) const {
        if (!is_sparse()) {
            first = tamis::dot(v, Z[j], n_rows);
            second = weighted_dot(v, Z[j], Z[j], n_rows);
            return;
        }
        first = second = 0.0;
        for (int64_t e = begin[j]; e < begin[j + 1]; ++e) {
            const double part = v[row[e]] * Z.data[e];
            first += part;
            second += part * Z.data[e];
        }
    }
};

}  // namespace tamis
