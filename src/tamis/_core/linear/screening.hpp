// Screening: columns outside the working set that violate optimality, found by bounds that need few products.
//
// With residuals r = c r_0 + e, r_0 those of the last look, the gradient of column j satisfies |g_j - c g_0j| <= |x_j| |e|. A column
// whose bound is below its limit is not read.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "columns.hpp"
#include "penalty.hpp"

namespace tamis {

/// Columns outside the working set whose gradient is beyond its limit.
struct Violators {
    std::vector<int64_t> column;
    std::vector<double> gradient;

    size_t size() const { return column.size(); }
    void clear() {
        column.clear();
        gradient.clear();
    }
    void push(size_t j, double g) {
        column.push_back(int64_t(j));
        gradient.push_back(g);
    }
    /// Keep the columns furthest beyond their limits, in order of position, when there are more than `limit`.
    void keep_worst(const double* limits, size_t limit) {
        const size_t count = size();
        if (count <= limit) return;
        std::vector<double> ratio(count);
        for (size_t k = 0; k < count; ++k) ratio[k] = std::abs(gradient[k]) / limits[column[k]];
        std::vector<double> sorted = ratio;
        std::nth_element(sorted.begin(), sorted.begin() + ptrdiff_t(count - limit), sorted.end());
        const double least = sorted[count - limit];
        size_t n_kept = 0;
        for (size_t k = 0; k < count && n_kept < limit; ++k) {
            if (!(ratio[k] >= least)) continue;
            column[n_kept] = column[k];
            gradient[n_kept++] = gradient[k];
        }
        column.resize(n_kept);
        gradient.resize(n_kept);
    }
};

/// Fill `found` with the columns of groups outside whose gradients together are longer than the limit.
inline void find_groups(const Columns& columns, const Penalty& penalty, const double* residual, const double* limits,
                        const uint8_t* inside, Violators& found) {
    found.clear();
    for (size_t first = 0; first < columns.size(); first = size_t(penalty.ends[first])) {
        if (inside[first]) continue;
        const size_t end = size_t(penalty.ends[first]), begin = found.size();
        double square = 0.0;
        for (size_t j = first; j < end; ++j) {
            found.push(j, columns.gradient(j, residual));
            square += found.gradient.back() * found.gradient.back();
        }
        if (square > limits[first] * limits[first]) continue;
        found.column.resize(begin);
        found.gradient.resize(begin);
    }
}

/// Projection of the residuals on those last seen, lengths weighted by 1 / w: the factor, and the length of the rest.
TAMIS_WIDE static void project(const double* inverse_weight, const double* residual, const double* last, size_t n, double& factor,
                               double& rest) {
    const double cross = lane_sum(n, [=](size_t i) { return residual[i] * last[i] * inverse_weight[i]; });
    const double square = lane_sum(n, [=](size_t i) { return last[i] * last[i] * inverse_weight[i]; });
    factor = square > 0.0 ? cross / square : 1.0;
    if (!(0.1 < factor && factor < 10.0)) factor = 1.0;
    const double c = factor;
    rest = std::sqrt(lane_sum(n, [=](size_t i) {
        const double d = residual[i] - c * last[i];
        return d * d * inverse_weight[i];
    }));
}

/// What bounds the gradients of columns that are not read, for one linear predictor.
class Screening {
   public:
    /// residual: of the model without columns; null_gradient: the gradients there.
    void start(std::span<const double> residual, std::span<const double> null_gradient) {
        last_residual_.assign(residual.begin(), residual.end());
        last_gradient_.assign(null_gradient.begin(), null_gradient.end());
        when_.assign(null_gradient.size(), 0.0);
        scale_ = 1.0;
        clock_ = 0.0;
    }

    /// Fill `found` with the columns that are not inside and whose gradient is beyond its limit.
    void find(const Columns& columns, const double* inverse_weight, const double* residual, const double* limits,
              const uint8_t* inside, Violators& found) {
        double factor, rest;
        project(inverse_weight, residual, last_residual_.data(), columns.n_rows, factor, rest);
        std::copy(residual, residual + columns.n_rows, last_residual_.begin());
        scale_ *= factor;
        clock_ += rest / scale_;
        found.clear();
        for (size_t j = 0; j < last_gradient_.size(); ++j) {
            if (inside[j] || scale_ * (std::abs(last_gradient_[j]) + columns.norms[j] * (clock_ - when_[j])) <= limits[j]) continue;
            const double g = columns.gradient(j, residual);
            last_gradient_[j] = g / scale_;
            when_[j] = clock_;
            if (std::abs(g) > limits[j]) found.push(j, g);
        }
    }

   private:
    std::vector<double> last_residual_;  // (n) residuals of the last look
    std::vector<double> last_gradient_;  // (p) over scale_
    std::vector<double> when_;           // (p) clock_ when last_gradient_ was computed
    double scale_ = 1.0;                 // product of all factors so far
    double clock_ = 0.0;                 // sum of all rests over it
};

}  // namespace tamis
