#pragma once
// A boosting step of one pair map: the four-leaf trees of all cuts of both columns, averaged by what each gains.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "step.hpp"

namespace tamis::additive {

/// Finds steps of maps. Cells are bins of the first column × bins of the second, row-major; sums, counts and delta as for StepFinder.
class PairStepFinder {
public:
    PairStepFinder(size_t n_sums, const StepSettings& settings, size_t max_cells)
        : n_sums_(n_sums), settings_(settings), max_cells_(max_cells) {}

    /// delta (cells, sums): sum_c sqrt(gain_c) tree_c / sum_c sqrt(gain_c) over cuts c of both columns, whose trees have a leaf per quadrant.
    /// A quadrant with fewer rows than a leaf needs has a leaf of 0. Returns the best gain, 0 where no cut gains anything.
    double find(size_t n_first, size_t n_second, const double* sums, const double* counts, double* delta) {
        const size_t n_cells = n_first * n_second;
        cumulated_.resize(max_cells_ * (2 * n_sums_ + 1));
        for (size_t k = 0; k < n_sums_; ++k) {
            for (size_t part = 0; part < 2; ++part) {
                cumulate(n_first, n_second, sums + part * n_sums_ + k, 2 * n_sums_, cumulated_.data() + (2 * k + part) * max_cells_);
            }
        }
        double* rows = cumulated_.data() + 2 * n_sums_ * max_cells_;
        cumulate(n_first, n_second, counts, 1, rows);
        double base = 0.0;
        for (size_t k = 0; k < n_sums_; ++k) base += score(last(n_cells, 2 * k), last(n_cells, 2 * k + 1));
        for (auto& leaf : leaves_) leaf.assign(n_cells * n_sums_, 0.0);
        double best = 0.0, total = 0.0;
        for (size_t a = 0; a + 1 < n_first; ++a) {
            const double above = rows[a * n_second + n_second - 1];
            if (above < settings_.min_leaf || rows[n_cells - 1] - above < settings_.min_leaf) continue;
            for (size_t b = 0; b + 1 < n_second; ++b) {
                const double left = rows[(n_first - 1) * n_second + b];
                if (left < settings_.min_leaf || rows[n_cells - 1] - left < settings_.min_leaf) continue;
                const double gain = cut(a, b, n_first, n_second, base);
                if (gain <= 0.0) continue;
                const double weight = cut_weight(gain);
                best = std::max(best, gain);
                total += weight;
                for (size_t q = 0; q < 4; ++q) {
                    for (size_t k = 0; k < n_sums_; ++k) leaves_[q][(a * n_second + b) * n_sums_ + k] = weight * leaf_[q * n_sums_ + k];
                }
            }
        }
        if (best > 0.0) average(n_first, n_second, total, delta);
        return best;
    }

    void set_rate(double rate) { settings_.rate = rate; }

private:
    /// out[x, y]: the sum of all cells up to x and y; values: (cells, width).
    static void cumulate(size_t n_first, size_t n_second, const double* values, size_t width, double* out) {
        for (size_t x = 0; x < n_first; ++x) {
            double line = 0.0;
            for (size_t y = 0; y < n_second; ++y) {
                line += values[(x * n_second + y) * width];
                out[x * n_second + y] = line + (x > 0 ? out[(x - 1) * n_second + y] : 0.0);
            }
        }
    }

    double last(size_t n_cells, size_t part) const { return cumulated_[part * max_cells_ + n_cells - 1]; }

    /// Sums of the quadrants (low low, low high, high low, high high) of the cut after bins a and b.
    std::array<double, 4> quadrants(size_t part, size_t a, size_t b, size_t n_first, size_t n_second) const {
        const double* sum = cumulated_.data() + part * max_cells_;
        const double low = sum[a * n_second + b], above = sum[a * n_second + n_second - 1], left = sum[(n_first - 1) * n_second + b];
        return {low, above - low, left - low, sum[n_first * n_second - 1] - above - left + low};
    }

    double cut(size_t a, size_t b, size_t n_first, size_t n_second, double base) {
        leaf_.assign(4 * n_sums_, 0.0);
        const auto rows = quadrants(2 * n_sums_, a, b, n_first, n_second);
        double gain = -base;
        for (size_t k = 0; k < n_sums_; ++k) {
            const auto G = quadrants(2 * k, a, b, n_first, n_second), H = quadrants(2 * k + 1, a, b, n_first, n_second);
            for (size_t q = 0; q < 4; ++q) {
                if (rows[q] < settings_.min_leaf || H[q] <= 0.0) continue;
                gain += score(G[q], H[q]);
                leaf_[q * n_sums_ + k] = -settings_.rate * std::clamp(G[q] / H[q], -settings_.max_step, settings_.max_step);
            }
        }
        return gain > base * ROUNDING ? gain : 0.0;
    }

    /// delta: each cell adds the leaves of the quadrants that it lies in, over all cuts; total: the weight of all cuts.
    void average(size_t n_first, size_t n_second, double total, double* delta) {
        for (size_t k = 0; k < n_sums_; ++k) {
            for (size_t cell = 0; cell < n_first * n_second; ++cell) delta[cell * n_sums_ + k] = 0.0;
            for (size_t q = 0; q < 4; ++q) add_quadrant(n_first, n_second, k, q >= 2, q % 2 == 1, leaves_[q], total, delta);
        }
    }

    /// A cell is in a high quadrant of the cuts before it, and in a low one of the cuts from it on.
    void add_quadrant(size_t n_first, size_t n_second, size_t k, bool is_high, bool is_right, const std::vector<double>& leaf, double total,
                      double* delta) {
        line_.assign(n_second, 0.0);  // by y: the sum over the cuts of the first column that count for x
        for (size_t step = 0; step < n_first; ++step) {
            const size_t x = is_high ? step : n_first - 1 - step;
            if (is_high ? x > 0 : true) {
                const double* cuts = leaf.data() + (is_high ? x - 1 : x) * n_second * n_sums_;
                for (size_t b = 0; b < n_second; ++b) line_[b] += cuts[b * n_sums_ + k];
            }
            double sum = 0.0;
            for (size_t back = 0; back < n_second; ++back) {
                const size_t y = is_right ? back : n_second - 1 - back;
                if (is_right) {
                    if (y > 0) sum += line_[y - 1];
                } else {
                    sum += line_[y];
                }
                delta[(x * n_second + y) * n_sums_ + k] += sum / total;
            }
        }
    }

    size_t n_sums_;
    StepSettings settings_;
    size_t max_cells_;
    std::vector<double> cumulated_, leaf_, line_;
    std::array<std::vector<double>, 4> leaves_;
};

}  // namespace tamis::additive
