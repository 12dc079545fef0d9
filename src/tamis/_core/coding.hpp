#pragma once
// How columns become codes: numbers by the order of their values, as ranks or as quantiles.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "binned_table.hpp"

namespace tamis {

/// The rows of a column in the order of its values, those without a value left out.
class ValueOrder {
public:
    std::vector<int32_t> rows;    // (values)
    std::vector<double> ordered;  // (values)

    void sort(std::span<const double> values) {
        reserve(values.size());
        size_t n = 0;
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (size_t i = 0; i < values.size(); ++i) {
            const double x = values[i];
            value_[n] = x;
            row_[n] = int32_t(i);
            if (x == x) {
                ++n;
                low = std::min(low, x);
                high = std::max(high, x);
            }
        }
        rows.resize(n);
        ordered.resize(n);
        if (!sort_by_cells(n, low, high)) sort_by_bits(values, n);
    }

private:
    static constexpr int64_t MAX_CROWD = 32;  // values in a cell that are dealt once more rather than inserted one by one

    void reserve(size_t n) {
        value_.resize(n + 1);
        row_.resize(n + 1);
        starts_.resize(2 * n + 1);
        again_.resize(2 * n + 1);
    }

    /// Values are dealt into cells of equal width, crowded cells once more, and the few that are still out of order are put right by
    /// insertion: half the time of a sort of 50,000 normal values. Where that would take long (numbers of several orders of magnitude,
    /// infinite ones) it gives up: false.
    bool sort_by_cells(size_t n, double low, double high) {
        const int64_t crowd = deal(low, high, starts_, 0, n);
        if (crowd < 0) return false;
        if (crowd > 12 * int64_t(n)) {
            size_t begin = 0;
            for (size_t c = 0; c < 2 * n; ++c) {
                const size_t end = size_t(starts_[c]);
                if (int64_t(end - begin) > MAX_CROWD) deal_again(begin, end);
                begin = end;
            }
        }
        return insert(n);
    }

    /// Put value_ and row_, which take the places from `begin` to `end`, into twice as many cells of equal width.
    ///
    /// Returns the sum of squares of the cells' sizes. 0: all values are equal; -1: there are no such cells. `starts` is left with the
    /// end of each cell, counted from `begin`.
    int64_t deal(double low, double high, std::vector<int32_t>& starts, size_t begin, size_t end) {
        const size_t n = end - begin;
        if (!(high > low)) {
            std::copy_n(value_.begin(), n, ordered.begin() + ptrdiff_t(begin));
            std::copy_n(row_.begin(), n, rows.begin() + ptrdiff_t(begin));
            return 0;
        }
        const double scale = 2.0 * double(n) / (high - low);
        if (!(0.0 < scale && scale < 1e300)) return -1;
        std::fill_n(starts.begin(), 2 * n + 1, 0);
        for (size_t i = 0; i < n; ++i) starts[size_t((value_[i] - low) * scale)] += 1;
        int64_t before = 0, crowd = 0;
        for (size_t c = 0; c < 2 * n + 1; ++c) {
            const int64_t size = starts[c];
            starts[c] = int32_t(before);
            before += size;
            crowd += size * size;
        }
        for (size_t i = 0; i < n; ++i) {
            const size_t place = begin + size_t(starts[size_t((value_[i] - low) * scale)]++);
            ordered[place] = value_[i];
            rows[place] = row_[i];
        }
        return crowd;
    }

    /// Deal what is in one cell into cells of its own.
    void deal_again(size_t begin, size_t end) {
        const auto [low, high] = std::minmax_element(ordered.begin() + ptrdiff_t(begin), ordered.begin() + ptrdiff_t(end));
        const double least = *low, most = *high;
        if (!(most > least)) return;
        std::copy(ordered.begin() + ptrdiff_t(begin), ordered.begin() + ptrdiff_t(end), value_.begin());
        std::copy(rows.begin() + ptrdiff_t(begin), rows.begin() + ptrdiff_t(end), row_.begin());
        deal(least, most, again_, begin, end);
    }

    /// Put the values in order by insertion; false when that takes too long.
    bool insert(size_t n) {
        int64_t budget = 12 * int64_t(n) + 30'000;
        for (size_t i = 1; i < n; ++i) {
            const double x = ordered[i];
            if (!(ordered[i - 1] > x)) continue;
            const int32_t row = rows[i];
            size_t j = i;
            for (; j > 0 && ordered[j - 1] > x; --j) {
                ordered[j] = ordered[j - 1];
                rows[j] = rows[j - 1];
            }
            ordered[j] = x;
            rows[j] = row;
            budget -= int64_t(i - j);
            if (budget < 0) return false;
        }
        return true;
    }

    /// For values spread unevenly: by the bits of the doubles, which are in the order of the values once negative ones are turned
    /// around; a radix sort of 11 bits at a time.
    void sort_by_bits(std::span<const double> values, size_t n) {
        struct Key {
            uint64_t bits;
            int32_t row;
        };
        std::vector<Key> keys, other(n);
        keys.reserve(n);
        constexpr uint64_t SIGN = uint64_t(1) << 63;
        for (size_t i = 0; i < values.size(); ++i) {
            if (values[i] != values[i]) continue;
            const uint64_t bits = std::bit_cast<uint64_t>(values[i] + 0.0);
            keys.push_back({bits & SIGN ? ~bits : bits | SIGN, int32_t(i)});
        }
        std::vector<size_t> counts(DIGITS);
        for (int shift = 0; shift < 64; shift += BITS) {
            std::fill(counts.begin(), counts.end(), 0);
            for (const Key& key : keys) counts[(key.bits >> shift) & (DIGITS - 1)] += 1;
            size_t before = 0;
            for (size_t& count : counts) before += std::exchange(count, before);
            for (const Key& key : keys) other[counts[(key.bits >> shift) & (DIGITS - 1)]++] = key;
            keys.swap(other);
        }
        for (size_t i = 0; i < n; ++i) {
            rows[i] = keys[i].row;
            ordered[i] = values[size_t(keys[i].row)];
        }
    }

    static constexpr int BITS = 11;
    static constexpr size_t DIGITS = size_t(1) << BITS;

    std::vector<double> value_;
    std::vector<int32_t> row_, starts_, again_;
};

/// What the values of a column are coded by.
struct NumberCoding {
    std::vector<double> low, high;  // smallest and largest value of each code; equal where coding is lossless
    std::vector<double> edges;      // midway between neighbouring codes: x has the code k when k edges lie below it
    bool is_lossless;
};

/// Distinct values, joined into at most max_codes bins of nearly equal count where they are more; ties stay together.
inline NumberCoding learn_coding(std::span<const double> ordered, int64_t max_codes) {
    std::vector<double> values;
    std::vector<int64_t> counts;
    for (const double x : ordered) {
        if (values.empty() || x != values.back()) {
            values.push_back(x + 0.0);  // so that it does not depend on the rows' order whether 0 has a sign
            counts.push_back(0);
        }
        counts.back() += 1;
    }
    NumberCoding coding;
    coding.is_lossless = int64_t(values.size()) <= max_codes;
    if (coding.is_lossless) {
        coding.low = coding.high = std::move(values);
    } else {
        const int64_t n = int64_t(ordered.size());
        int64_t before = 0, last = -1;
        for (size_t v = 0; v < values.size(); ++v) {
            const int64_t place = before * max_codes / n;
            if (place != last) {
                coding.low.push_back(values[v]);
                coding.high.push_back(values[v]);
                last = place;
            }
            coding.high.back() = values[v];
            before += counts[v];
        }
    }
    for (size_t k = 0; k + 1 < coding.low.size(); ++k) coding.edges.push_back(midway(coding.high[k], coding.low[k + 1]));
    return coding;
}

/// Codes of values by edges: how many of them lie below each; NaN gets the code `missing`.
///
/// A uniform grid over the edges leaves a cell with an edge or two to search, and the search inside it is binary: never slower than a
/// plain binary search, and 5 times faster on a million normal values among 65,534 edges.
class EdgeGrid {
public:
    explicit EdgeGrid(std::span<const double> edges) : edges_(edges) {
        auto is_finite = [](double x) { return std::isfinite(x); };
        const auto first = std::find_if(edges.begin(), edges.end(), is_finite);
        const auto last = std::find_if(edges.rbegin(), edges.rend(), is_finite);
        cells_.assign(std::clamp<size_t>(4 * edges.size(), 1, size_t(1) << 18) + 1, 0);
        if (first != edges.end()) low_ = *first;
        if (first != edges.end() && *last > *first) scale_ = double(cells_.size() - 1) / (*last - *first);
        if (!std::isfinite(scale_)) scale_ = 0.0;  // edges too close or too far apart for a grid: one cell, plain binary search
        for (const double edge : edges) cells_[cell(edge) + 1] += 1;
        for (size_t c = 1; c < cells_.size(); ++c) cells_[c] += cells_[c - 1];
    }

    template <class Code>
    void encode(std::span<const double> values, size_t missing, Code* codes) const {
        for (size_t i = 0; i < values.size(); ++i) {
            const double x = values[i];
            if (x != x) {
                codes[i] = Code(missing);
                continue;
            }
            const size_t c = cell(x);
            size_t left = cells_[c], right = cells_[c + 1];
            while (left < right) {
                const size_t middle = (left + right) >> 1;
                if (edges_[middle] < x) left = middle + 1;
                else right = middle;
            }
            codes[i] = Code(left);
        }
    }

private:
    size_t cell(double x) const {
        const size_t last = cells_.size() - 2;
        const double place = (x - low_) * scale_;
        if (!(place > 0.0)) return 0;
        return place >= double(last) ? last : size_t(place);
    }

    std::span<const double> edges_;
    double low_ = 0.0, scale_ = 0.0;
    std::vector<size_t> cells_;  // cells_[c]: the edges that fall before cell c
};

/// Codes of a column that are ranks: codes[row] of the rows with a value; distinct values; returns how many there are.
inline size_t code_by_rank(const ValueOrder& order, std::span<const double> column, uint16_t* codes, double* values) {
    size_t k = 0;
    for (size_t i = 0; i < order.rows.size(); ++i) {
        const double x = order.ordered[i];
        if (i == 0 || x != values[k - 1]) values[k++] = x + 0.0;
        codes[order.rows[i]] = uint16_t(k - 1);
    }
    if (order.rows.size() < column.size()) {
        for (size_t i = 0; i < column.size(); ++i) {
            if (column[i] != column[i]) codes[i] = uint16_t(k);
        }
    }
    return k;
}

/// Codes of some rows of a column that is coded: ranks among the values that these rows have; returns how many these are, and whether
/// some row has no value. line: the column's codes of all rows. low: the value of each of its n_values codes.
inline std::pair<size_t, bool> recode(const uint16_t* line, std::span<const int64_t> rows, const double* low, size_t n_values,
                                      uint16_t* codes, double* values) {
    std::vector<uint16_t> rank(n_values + 1, 0);
    for (const int64_t row : rows) rank[line[row]] = 1;
    const bool is_missing = rank[n_values];
    size_t k = 0;
    for (size_t v = 0; v < n_values; ++v) {
        if (!rank[v]) continue;
        values[k] = low[v];
        rank[v] = uint16_t(k++);
    }
    rank[n_values] = uint16_t(k);
    for (size_t i = 0; i < rows.size(); ++i) codes[i] = rank[line[rows[i]]];
    return {k, is_missing};
}

}  // namespace tamis
