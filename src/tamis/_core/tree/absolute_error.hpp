#pragma once
// Absolute error: the best cut when each side answers with its median.
//
// Two Fenwick trees over the ranks of the node's targets, one of all rows and one of those on the left, give the median and the absolute
// deviation of both sides after every move in O(log n).
#include <bit>
#include <cmath>

#include "keys.hpp"
#include "scan_numbers.hpp"

namespace tamis::cart {

class MedianScan {
public:
    explicit MedianScan(size_t max_rows) : rank_(max_rows), order_(max_rows), ranked_(max_rows + 1), all_(max_rows + 1), left_(max_rows + 1) {}

    /// Ranks 1 … m of the node's targets, and the targets in that order.
    void rank(const double* values, size_t m) {
        m_ = m;
        sort_by(values, m, order_.data());
        for (size_t r = 0; r < m; ++r) {
            rank_[order_[r]] = uint32_t(r + 1);
            ranked_[r + 1] = values[order_[r]];
        }
    }

    /// Weighted median of the node's targets, midway where the weight splits evenly; after `rank`.
    double median(const double* weight) {
        double total = 0.0, below = 0.0;
        for (size_t i = 0; i < m_; ++i) total += weight[i];
        for (size_t r = 1; r <= m_; ++r) {
            below += weight[order_[r - 1]];
            if (below > 0.5 * total * (1.0 + 1e-14)) return ranked_[r];
            if (below >= 0.5 * total * (1.0 - 1e-14)) return 0.5 * (ranked_[r] + ranked_[std::min(r + 1, m_)]);
        }
        return ranked_[m_];
    }

    /// Best cut of sorted keys, by improvement.
    Cut scan(const SortedKeys& order, const RowValues& target, const CutLimits& limits) {
        const int64_t n = int64_t(order.size());
        std::fill_n(all_.begin(), m_ + 1, Sums{});
        std::fill_n(left_.begin(), m_ + 1, Sums{});
        const double base = ranked_[(m_ + 1) / 2];  // about the middle: no digits lost to a large mean
        Sums all, left;
        for (size_t p = 0; p < size_t(n); ++p) all += add(all_, order.row(p), target, base);
        const double parent = side_of(true, all, base).deviation;
        Cut best{NO_GAIN};
        for (int64_t p = 0; p + 1 < n; ++p) {
            left += add(left_, order.row(size_t(p)), target, base);
            if (!order.ends_code(size_t(p)) || p + 1 < limits.min_leaf || n - p - 1 < limits.min_leaf) continue;
            const Sums right{all.w - left.w, all.wy - left.wy};
            const Side below = side_of(false, left, base), above = side_of(true, right, base);
            double gain = parent - below.deviation;
            gain -= above.deviation;
            if (gain > best.gain + limits.slack && left.w >= limits.min_weight && right.w >= limits.min_weight &&
                limits.allows(base + below.median, base + above.median)) {
                best = {gain, order.code(size_t(p)), order.code(size_t(p) + 1)};
            }
        }
        return best;
    }

private:
    /// Σ w and Σ w (y - base).
    struct Sums {
        double w = 0.0, wy = 0.0;
        Sums& operator+=(const Sums& other) {
            w += other.w;
            wy += other.wy;
            return *this;
        }
    };

    Sums add(std::vector<Sums>& fenwick, size_t i, const RowValues& target, double base) {
        const Sums own{target.weight[i], target.weight[i] * (target.values[i] - base)};
        for (size_t r = rank_[i]; r <= m_; r += r & -r) fenwick[r] += own;
        return own;
    }

    /// A median less the base, and Σ w |y - median|.
    struct Side {
        double median, deviation;
    };

    /// The left rows, or all but them, whose sums are given.
    Side side_of(bool is_right, const Sums& sums, double base) const {
        size_t place = 0;
        double below = 0.0, sum_below = 0.0;
        for (size_t step = std::bit_floor(m_); step; step /= 2) {
            const size_t next = place + step;
            if (next > m_) continue;
            const double w = is_right ? all_[next].w - left_[next].w : left_[next].w;
            if (below + w < 0.5 * sums.w) {
                below += w;
                sum_below += is_right ? all_[next].wy - left_[next].wy : left_[next].wy;
                place = next;
            }
        }
        const double median = ranked_[std::min(place + 1, m_)] - base;
        return {median, median * (2.0 * below - sums.w) + sums.wy - 2.0 * sum_below};
    }

    size_t m_ = 0;
    std::vector<uint32_t> rank_, order_;  // (rows): of the node's targets
    std::vector<double> ranked_;          // (rows + 1): targets by rank
    std::vector<Sums> all_, left_;        // (rows + 1): Fenwick trees
};

}  // namespace tamis::cart
