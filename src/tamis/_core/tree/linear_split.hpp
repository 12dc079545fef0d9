#pragma once
// The split after which a constant, or a line in one column, fits each side best: what model trees ask for.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace tamis::cart {

/// The rows of a node, in any order.
struct LinearNode {
    std::span<const int64_t> rows;     // rows of the table
    std::span<const double> X;         // (rows, regressors), centred
    std::span<const double> residual;  // of the node's linear model
    std::span<const double> weight;
    size_t n_regressors;
};

/// Sums of every bin of a column: rows, Σ w, Σ w r, Σ w r², then Σ w x, Σ w x², Σ w x r for every regressor x.
class LinearSplitter {
public:
    static constexpr uint8_t MISSING = 255;  // the bin of a row without a value

    LinearSplitter(const LinearNode& node, double min_rows, double min_weight)
        : node_(node), width_(FIRST + 3 * node.n_regressors), min_rows_(min_rows), min_weight_(min_weight), table_(MISSING * width_),
          whole_(width_), left_(width_), right_(width_), mean_(MISSING) {}

    /// The gain of the best split of a column, and the bins that go left: the first ones of `order`. codes: (rows of the table). Bins of a
    /// category are scanned by mean residual, those of numbers as they are.
    double best(const uint8_t* codes, bool is_category, std::vector<uint8_t>& left) {
        const size_t n_bins = add(codes);
        std::vector<uint8_t> order(n_bins);
        std::iota(order.begin(), order.end(), uint8_t(0));
        for (size_t b = 0; b < n_bins; ++b) {
            const double* sums = bin(b);
            mean_[b] = sums[WEIGHT] > 0.0 ? sums[RESIDUAL] / sums[WEIGHT] : 0.0;
        }
        if (is_category) std::stable_sort(order.begin(), order.end(), [&](uint8_t a, uint8_t b) { return mean_[a] < mean_[b]; });
        const auto [gain, n_left] = scan(order);
        left.assign(order.begin(), order.begin() + ptrdiff_t(n_left));
        return gain;
    }

private:
    enum : size_t { ROWS, WEIGHT, RESIDUAL, SQUARE, FIRST };

    double* bin(size_t b) { return table_.data() + b * width_; }

    /// Fills the sums of every bin; returns how many bins may have rows.
    size_t add(const uint8_t* codes) {
        std::fill(table_.begin(), table_.end(), 0.0);
        size_t n_bins = 0;
        for (size_t i = 0; i < node_.rows.size(); ++i) {
            const uint8_t code = codes[node_.rows[i]];
            if (code == MISSING) continue;
            n_bins = std::max(n_bins, size_t(code) + 1);
            double* sums = bin(code);
            const double w = node_.weight[i], r = node_.residual[i];
            sums[ROWS] += 1.0;
            sums[WEIGHT] += w;
            sums[RESIDUAL] += w * r;
            sums[SQUARE] += w * r * r;
            const double* x = node_.X.data() + i * node_.n_regressors;
            for (size_t k = 0; k < node_.n_regressors; ++k) {
                double* own = sums + FIRST + 3 * k;
                own[0] += w * x[k];
                own[1] += w * x[k] * x[k];
                own[2] += w * x[k] * r;
            }
        }
        return n_bins;
    }

    /// The least squared error to expect on new rows, of a constant or of a line in one regressor: Σ w (r - fit)² times (n + p) / (n - p),
    /// p = 1 or 2 coefficients fitted to n rows.
    double cost(const std::vector<double>& sums) const {
        const double n = sums[WEIGHT], spread = std::max(sums[SQUARE] - sums[RESIDUAL] * sums[RESIDUAL] / n, 0.0);
        double best = spread * (n + 1.0) / (n - 1.0);
        for (size_t at = FIRST; at < width_; at += 3) {
            const double xx = sums[at + 1] - sums[at] * sums[at] / n;
            if (xx <= 1e-9 * sums[at + 1]) continue;
            const double xr = sums[at + 2] - sums[at] * sums[RESIDUAL] / n;
            best = std::min(best, std::max(spread - xr * xr / xx, 0.0) * (n + 2.0) / (n - 2.0));
        }
        return best;
    }

    bool is_enough(const std::vector<double>& sums, double times) const {
        return sums[ROWS] >= times * min_rows_ && sums[WEIGHT] >= times * min_weight_;
    }

    /// The gain of the best cut of the bins in an order, and how many of them go left.
    std::pair<double, size_t> scan(const std::vector<uint8_t>& order) {
        std::fill(whole_.begin(), whole_.end(), 0.0);
        std::fill(left_.begin(), left_.end(), 0.0);
        for (size_t b = 0; b < order.size(); ++b) {
            for (size_t s = 0; s < width_; ++s) whole_[s] += bin(b)[s];
        }
        std::pair<double, size_t> best{0.0, 0};
        if (!is_enough(whole_, 2.0)) return best;
        const double undivided = cost(whole_);
        for (size_t q = 0; q + 1 < order.size(); ++q) {
            const double* sums = bin(order[q]);
            if (sums[ROWS] == 0.0) continue;
            for (size_t s = 0; s < width_; ++s) {
                left_[s] += sums[s];
                right_[s] = whole_[s] - left_[s];
            }
            if (!is_enough(left_, 1.0)) continue;
            if (!is_enough(right_, 1.0)) break;
            const double gain = undivided - cost(left_) - cost(right_);
            if (gain > best.first) best = {gain, q + 1};
        }
        return best;
    }

    const LinearNode& node_;
    size_t width_;
    double min_rows_, min_weight_;
    std::vector<double> table_;  // (bins, width)
    std::vector<double> whole_, left_, right_, mean_;
};

}  // namespace tamis::cart
