#pragma once
// The best cut of one numeric column at one node: along its rows in order, or by a table where codes repeat.
#include <limits>

#include "criteria.hpp"

namespace tamis::cart {

inline constexpr double NO_GAIN = -std::numeric_limits<double>::infinity();

/// Best cut of rows in order, by goodness. left: a buffer for statistics.
template <class Criterion, class Order>
Cut scan_sorted(const Order& order, const RowValues& target, double* left, const double* total, size_t n_stats, const CutLimits& limits) {
    const int64_t n = int64_t(order.size());
    std::fill_n(left, n_stats, 0.0);
    double best = NO_GAIN;
    int64_t where = -1;
    for (int64_t p = 0; p + 1 < n; ++p) {
        add_row<Criterion>(target, order.row(size_t(p)), left, n_stats);
        if (p + 1 < limits.min_leaf || n - p - 1 < limits.min_leaf || !order.ends_code(size_t(p))) continue;
        const double goodness = Criterion::goodness(left, total, n_stats);
        if (goodness > best + limits.slack && is_heavy<Criterion>(left, total, n_stats, limits.min_weight) &&
            is_allowed<Criterion>(left, total, limits)) {
            best = goodness;
            where = p;
        }
    }
    if (where < 0) return {best};
    return {best, order.code(size_t(where)), order.code(size_t(where + 1))};
}

/// `scan_sorted` for Gini: sums of squares kept up to date, fractions compared crosswise; 3 times faster. Only cuts whose goodness is
/// above `bar` count.
template <class Order>
Cut scan_gini(const Order& order, const RowValues& target, double* left, const double* total, size_t n_stats, double bar,
              const CutLimits& limits) {
    const int64_t n = int64_t(order.size()), min_leaf = limits.min_leaf;
    double wl = 0.0, wr = 0.0, sl = 0.0, sr = 0.0;
    for (size_t c = 0; c < n_stats; ++c) {
        left[c] = 0.0;
        wr += total[c];
        sr += total[c] * total[c];
    }
    double best = NO_GAIN;
    int64_t where = -1;
    for (int64_t p = 0; p + 1 < n; ++p) {
        const size_t i = order.row(size_t(p)), c = size_t(target.classes[i]);
        const double w = target.weight[i], a = left[c], b = total[c] - a;
        left[c] = a + w;
        sl += w * (a + a + w);
        sr -= w * (b + b - w);
        wl += w;
        wr -= w;
        const SquaresOverWeight sides{sl, wl, sr, wr};
        if (sides.exceeds(bar) && p + 1 >= min_leaf && n - p - 1 >= min_leaf && wl >= limits.min_weight &&
            wr >= limits.min_weight && order.ends_code(size_t(p)) && is_allowed<Gini>(left, total, limits)) {
            best = sides.value();
            bar = best + limits.slack;
            where = p;
        }
    }
    if (where < 0) return {best};
    return {best, order.code(size_t(where)), order.code(size_t(where + 1))};
}

/// `scan_sorted` for the squared error of one target, in the same way.
template <class Order>
Cut scan_squares(const Order& order, const RowValues& target, double mean, const double* total, double bar, const CutLimits& limits) {
    const int64_t n = int64_t(order.size()), min_leaf = limits.min_leaf;
    double wl = 0.0, wr = total[0], yl = 0.0, yr = total[1], best = NO_GAIN;
    int64_t where = -1;
    for (int64_t p = 0; p + 1 < n; ++p) {
        const size_t i = order.row(size_t(p));
        const double w = target.weight[i], wy = w * (target.values[i] - mean);
        wl += w;
        wr -= w;
        yl += wy;
        yr -= wy;
        const SquaresOverWeight sides{yl * yl, wl, yr * yr, wr};
        if (sides.exceeds(bar) && p + 1 >= min_leaf && n - p - 1 >= min_leaf && wl >= limits.min_weight &&
            wr >= limits.min_weight && order.ends_code(size_t(p)) && limits.allows(yl / wl, yr / wr)) {
            best = sides.value();
            bar = best + limits.slack;
            where = p;
        }
    }
    if (where < 0) return {best};
    return {best, order.code(size_t(where)), order.code(size_t(where + 1))};
}

/// Statistics of codes or levels.
struct LevelTable {
    std::vector<double> stats;  // (codes, width)
    std::vector<int64_t> rows;  // (codes)
    size_t width;

    LevelTable(size_t n_codes, size_t width) : stats(n_codes * width), rows(n_codes), width(width) {}

    double* of(size_t code) { return stats.data() + code * width; }
    const double* of(size_t code) const { return stats.data() + code * width; }
    void clear(size_t n_codes) {
        std::fill_n(rows.begin(), n_codes, 0);
        std::fill_n(stats.begin(), n_codes * width, 0.0);
    }
    /// Put the last of n codes first.
    void rotate(size_t n_codes) {
        std::rotate(rows.begin(), rows.begin() + ptrdiff_t(n_codes - 1), rows.begin() + ptrdiff_t(n_codes));
        std::rotate(stats.begin(), stats.begin() + ptrdiff_t((n_codes - 1) * width), stats.begin() + ptrdiff_t(n_codes * width));
    }
};

/// Statistics of every code between low and high.
template <class Criterion>
void fill_table(std::span<const int64_t> keys, const CodeSpan& span, const RowValues& target, size_t n_stats, LevelTable& table) {
    table.clear(span.size());
    for (size_t p = 0; p < size_t(span.n); ++p) {
        const size_t code = size_t((keys[p] >> 32) - span.low);
        add_row<Criterion>(target, uint32_t(keys[p]), table.of(code), n_stats);
        ++table.rows[code];
    }
}

/// As `scan_sorted`, from the statistics of each code: stats (codes, width), rows (codes).
template <class Criterion>
Cut scan_table(const CodeSpan& span, const double* stats, size_t width, const int64_t* table_rows, double* left, const double* total,
               size_t n_stats, const CutLimits& limits) {
    std::fill_n(left, n_stats, 0.0);
    int64_t rows = 0, last = span.low;
    Cut best{NO_GAIN};
    for (size_t code = 0; code < span.size(); ++code) {
        if (table_rows[code] == 0) continue;
        const int64_t own = int64_t(code) + span.low;
        if (rows >= limits.min_leaf && span.n - rows >= limits.min_leaf) {
            const double goodness = Criterion::goodness(left, total, n_stats);
            if (goodness > best.gain + limits.slack && is_heavy<Criterion>(left, total, n_stats, limits.min_weight) &&
                is_allowed<Criterion>(left, total, limits)) {
                best = {goodness, last, own};
            }
        }
        for (size_t k = 0; k < n_stats; ++k) left[k] += stats[code * width + k];
        rows += table_rows[code];
        last = own;
    }
    return best;
}

}  // namespace tamis::cart
