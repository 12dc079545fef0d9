// Cut points by entropy, accepted by description length (Fayyad and Irani 1993).
//
// Rows lie in buckets of growing values, each sorted only when a cut within it may be the best: entropy is concave, so class counts
// alone bound every cut within a bucket, and most rows are never sorted.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "../exponential.hpp"
#include "../matrix.hpp"
#include "../tie.hpp"
#include "cuts.hpp"

namespace tamis {

/// Values and classes of a column's rows, grouped by bucket.
class Buckets {
   public:
    static constexpr size_t kRows = 16;         // of a bucket, on average
    static constexpr size_t kMaxBuckets = 8192;
    static constexpr size_t kGroup = 8;         // buckets that are bounded together
    static constexpr size_t kSortedRows = 400;
    static constexpr size_t kUneven = 8;        // a bucket with more than an eighth of all rows: all rows are sorted

    /// Up to `sorted_rows` rows, all are sorted.
    Buckets(std::span<const double> values, std::span<const int32_t> codes, size_t n_classes, size_t sorted_rows = kSortedRows)
        : n_classes_(n_classes), x_(values.size()), y_(values.size()), is_boundary_(values.size(), 0) {
        if (values.size() < sorted_rows || !group_by_width(values, codes)) sort_all(values, codes);
    }

    size_t n_buckets() const { return start_.size() - 1; }
    size_t n_classes() const { return n_classes_; }
    int64_t n_rows() const { return int64_t(x_.size()); }
    const double* values() const { return x_.data(); }
    int32_t code(int64_t row) const { return y_[size_t(row)]; }
    int64_t start(size_t bucket) const { return start_[bucket]; }
    const int64_t* counts(size_t bucket) const { return counts_.data() + bucket * n_classes_; }
    /// True for a row, of a sorted bucket, behind which two values differ that are not all of one class.
    bool is_boundary(int64_t row) const { return is_boundary_[size_t(row)]; }

    size_t bucket_at(int64_t row) const {
        size_t low = 0, high = n_buckets();
        while (high - low > 1) {
            const size_t middle = (low + high) / 2;
            (start_[middle] <= row ? low : high) = middle;
        }
        return low;
    }

    /// Rows of each class in a stretch that begins and ends at buckets, or within sorted ones.
    void count(int64_t begin, int64_t end, std::vector<int64_t>& out) const {
        std::fill(out.begin(), out.end(), 0);
        size_t b = bucket_at(begin);
        for (int64_t i = begin; i < end; i = start_[++b]) {
            if (i == start_[b] && start_[b + 1] <= end) {
                for (size_t c = 0; c < n_classes_; ++c) out[c] += counts(b)[c];
            } else {
                for (int64_t row = i; row < std::min(end, start_[b + 1]); ++row) ++out[code(row)];
            }
        }
    }

    /// Bring the rows of a bucket in order, once (Shell's sort: buckets are small).
    void sort(size_t b) {
        if (is_sorted_[b]) return;
        const int64_t begin = start_[b], end = start_[b + 1];
        int64_t gap = 1;
        while (gap < (end - begin) / 3) gap = 3 * gap + 1;
        for (; gap > 0; gap /= 3) {
            for (int64_t i = begin + gap; i < end; ++i) {
                const double value = x_[i];
                const int32_t own = y_[i];
                int64_t j = i;
                for (; j >= begin + gap && x_[j - gap] > value; j -= gap) {
                    x_[j] = x_[j - gap];
                    y_[j] = y_[j - gap];
                }
                x_[j] = value;
                y_[j] = own;
            }
        }
        mark_boundaries(begin, end);
        is_sorted_[b] = 1;
    }

    /// Whether a cut between a bucket and the next one that holds rows parts values that are not all of one class.
    bool ends_at_boundary(size_t b) {
        size_t after = b + 1;
        while (start_[after + 1] == start_[after]) ++after;
        sort(b);
        sort(after);
        const int64_t i = start_[b + 1] - 1, j = start_[after];
        if (y_[i] != y_[j]) return true;
        for (int64_t k = i; k >= start_[b] && x_[k] == x_[i]; --k)
            if (y_[k] != y_[i]) return true;
        for (int64_t k = j; k < start_[after + 1] && x_[k] == x_[j]; ++k)
            if (y_[k] != y_[j]) return true;
        return false;
    }

   private:
    size_t n_classes_;
    std::vector<double> x_;
    std::vector<int32_t> y_;
    std::vector<int64_t> start_;        // (buckets + 1)
    std::vector<int64_t> counts_;       // (buckets, classes)
    std::vector<uint8_t> is_sorted_;    // (buckets)
    std::vector<uint8_t> is_boundary_;  // (rows)

    /// Buckets of equal width; false where most values are in a few of them.
    bool group_by_width(std::span<const double> values, std::span<const int32_t> codes) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const size_t n = values.size(), size = std::min(kMaxBuckets, n / kRows + 1);
        const double width = *high - *low, scale = double(size) / width, least = *low;
        if (!(width > 0 && std::isfinite(width)) || !std::isfinite(scale)) return false;
        std::vector<uint16_t> bucket(n);
        counts_.assign(size * n_classes_, 0);
        for (size_t i = 0; i < n; ++i) {
            const size_t b = std::min(size_t((values[i] - least) * scale), size - 1);
            bucket[i] = uint16_t(b);
            ++counts_[b * n_classes_ + codes[i]];
        }
        start_.assign(size + 1, 0);
        int64_t largest = 0;
        for (size_t b = 0; b < size; ++b) {
            const int64_t total = std::accumulate(counts(b), counts(b) + n_classes_, int64_t(0));
            start_[b + 1] = start_[b] + total;
            largest = std::max(largest, total);
        }
        if (size_t(largest) * kUneven > n) return false;
        std::vector<int64_t> next(start_.begin(), start_.end() - 1);
        for (size_t i = 0; i < n; ++i) {
            const int64_t row = next[bucket[i]]++;
            x_[row] = values[i];
            y_[row] = codes[i];
        }
        is_sorted_.assign(size, 0);
        return true;
    }

    /// Buckets of sorted rows; equal values are never parted.
    void sort_all(std::span<const double> values, std::span<const int32_t> codes) {
        const size_t n = values.size();
        std::vector<uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
        for (size_t i = 0; i < n; ++i) {
            x_[i] = values[order[i]];
            y_[i] = codes[order[i]];
        }
        start_.assign(1, 0);
        counts_.clear();
        for (size_t i = 0; i < n;) {
            size_t stop = std::min(i + kRows, n);
            while (stop < n && x_[stop] == x_[stop - 1]) ++stop;
            counts_.resize(counts_.size() + n_classes_, 0);
            for (size_t k = i; k < stop; ++k) ++counts_[counts_.size() - n_classes_ + y_[k]];
            mark_boundaries(int64_t(i), int64_t(stop));
            start_.push_back(int64_t(stop));
            i = stop;
        }
        is_sorted_.assign(n_buckets(), 1);
    }

    void mark_boundaries(int64_t begin, int64_t end) {
        int64_t last = -1;      // where the value before ends
        int32_t before = -1;    // its class, -1 where it has several
        for (int64_t i = begin; i < end;) {
            int64_t j = i;
            int32_t single = y_[i];
            while (j + 1 < end && x_[j + 1] == x_[i]) {
                ++j;
                if (y_[j] != y_[i]) single = -1;
            }
            if (last >= 0 && (single < 0 || single != before)) is_boundary_[last] = 1;
            last = j;
            before = single;
            i = j + 1;
        }
    }
};

/// Search for the cut of least entropy of a stretch of rows; entropies are in bits times rows.
class EntropyCut {
   public:
    static constexpr size_t kBoundClasses = 6;  // classes of a bucket up to which all ways to part them are tried

    /// nlogn[n] = n log2 n, from 0 to the number of rows.
    EntropyCut(Buckets& rows, std::span<const double> nlogn)
        : rows_(rows), nlogn_(nlogn), left_(rows.n_classes()), right_(rows.n_classes()), group_(rows.n_classes()) {}

    /// The best cut of rows begin ... end - 1 and its gain, if it shortens the description:
    /// n E(S) - sum_i n_i E(S_i) > log2(n - 1) + log2(3^k - 2) - k E(S) + sum_i k_i E(S_i).
    Cut best(int64_t begin, int64_t end) {
        const double n = double(end - begin);
        rows_.count(begin, end, right_);
        std::fill(left_.begin(), left_.end(), 0);
        double whole = nlogn_[end - begin];
        int k = 0;
        for (int64_t count : right_) {
            whole -= nlogn_[count];
            k += count > 0;
        }
        if (k < 2) return {};
        double partings = 1.0;
        for (int c = 0; c < k; ++c) partings /= 3.0;
        const double labels = (k * natural_log(3.0) + natural_log(1.0 - 2.0 * partings)) / std::numbers::ln2;  // log2(3^k - 2)
        double price = natural_log(n - 1.0) / std::numbers::ln2 + labels - k * whole / n;
        limit_ = std::min(least_at_bucket_ends(begin, end), whole - price) + TIE * n;
        search(begin, end);
        if (cut_row_ < 0) return {};
        const double gain = whole - least_;
        rows_.count(begin, cut_row_ + 1, left_);
        rows_.count(cut_row_ + 1, end, right_);
        price += classes_times_entropy(left_, cut_row_ + 1 - begin) + classes_times_entropy(right_, end - 1 - cut_row_);
        return gain > price ? Cut{cut_row_, gain} : Cut{};
    }

   private:
    Buckets& rows_;
    std::span<const double> nlogn_;
    std::vector<int64_t> left_, right_;  // rows of each class on both sides of the cut
    std::vector<int64_t> group_;         // rows of each class in a group of buckets
    int64_t cut_row_ = -1;               // the best row to cut behind so far
    double least_ = 0.0;                 // its entropy
    double limit_ = 0.0;                 // entropy above which a cut is not the best, or not accepted

    double classes_times_entropy(const std::vector<int64_t>& counts, int64_t n) const {
        double bits = nlogn_[n];
        int k = 0;
        for (int64_t count : counts) {
            bits -= nlogn_[count];
            k += count > 0;
        }
        return k * bits / double(n);
    }

    double entropy(int64_t n_left, int64_t n_right) const {
        double bits = nlogn_[n_left] + nlogn_[n_right];
        for (size_t c = 0; c < left_.size(); ++c) bits -= nlogn_[left_[c]] + nlogn_[right_[c]];
        return bits;
    }

    void move_left(const int64_t* counts, int64_t sign = 1) {
        for (size_t c = 0; c < left_.size(); ++c) {
            left_[c] += sign * counts[c];
            right_[c] -= sign * counts[c];
        }
    }

    /// Bring a bucket, or the part of it in the stretch, from the right side to the left.
    void pass(size_t b, int64_t begin, int64_t end) {
        if (begin == rows_.start(b) && end == rows_.start(b + 1)) return move_left(rows_.counts(b));
        for (int64_t i = begin; i < end; ++i) {
            ++left_[rows_.code(i)];
            --right_[rows_.code(i)];
        }
    }

    /// The least entropy of cuts behind every eighth bucket; all rows are on the right side, before and after.
    double least_at_bucket_ends(int64_t begin, int64_t end) {
        double least = std::numeric_limits<double>::infinity();
        size_t b = rows_.bucket_at(begin);
        for (int64_t i = begin; rows_.start(b + 1) < end; ++b) {
            const int64_t stop = rows_.start(b + 1);
            if (stop > i) {
                pass(b, i, stop);
                if (b % Buckets::kGroup == 0) least = std::min(least, entropy(stop - begin, end - stop));
            }
            i = stop;
        }
        for (size_t c = 0; c < left_.size(); ++c) {
            right_[c] += left_[c];
            left_[c] = 0;
        }
        return least;
    }

    /// The first row behind which a cut has the least entropy; -1 where none is below the limit.
    void search(int64_t begin, int64_t end) {
        cut_row_ = -1;
        least_ = std::numeric_limits<double>::infinity();
        const double tie = TIE * double(end - begin);
        size_t b = rows_.bucket_at(begin);
        for (int64_t i = begin; i < end;) {
            if (b % Buckets::kGroup == 0 && skip_group(b, i, begin, end)) {
                b += Buckets::kGroup;
                i = rows_.start(b);
                continue;
            }
            const int64_t stop = std::min(end, rows_.start(b + 1));
            if (stop > i) {
                const bool is_whole = i == rows_.start(b) && stop == rows_.start(b + 1);
                if (!is_whole || bound(rows_.counts(b), i - begin, end - i) <= limit_)
                    scan(b, i, stop, i - begin, end - i, tie);
                else
                    pass(b, i, stop);
                if (stop == rows_.start(b + 1) && stop < end) {
                    const double bits = entropy(stop - begin, end - stop);
                    if (bits <= limit_ && bits < least_ - tie && rows_.ends_at_boundary(b)) keep(stop - 1, bits, tie);
                }
            }
            i = stop;
            ++b;
        }
    }

    /// Whether no cut within a group of buckets, or at its end, can be the best; its rows are then on the left side.
    bool skip_group(size_t b, int64_t i, int64_t begin, int64_t end) {
        const size_t last = b + Buckets::kGroup;
        if (last > rows_.n_buckets() || i != rows_.start(b) || rows_.start(last) >= end) return false;
        std::fill(group_.begin(), group_.end(), 0);
        for (size_t k = b; k < last; ++k)
            for (size_t c = 0; c < group_.size(); ++c) group_[c] += rows_.counts(k)[c];
        if (bound(group_.data(), i - begin, end - i) <= limit_) return false;
        move_left(group_.data());
        if (entropy(rows_.start(last) - begin, end - rows_.start(last)) > limit_) return true;
        move_left(group_.data(), -1);
        return false;
    }

    void keep(int64_t row, double bits, double tie) {
        cut_row_ = row;
        least_ = bits;
        limit_ = std::min(limit_, bits + tie);
    }

    /// Try the cuts within a bucket, or the part of it in the stretch, and bring its rows to the left side.
    void scan(size_t b, int64_t begin, int64_t end, int64_t n_left, int64_t n_right, double tie) {
        rows_.sort(b);
        double by_class = 0.0;  // over classes and sides: a row that changes sides changes two terms
        for (size_t c = 0; c < left_.size(); ++c) by_class += nlogn_[left_[c]] + nlogn_[right_[c]];
        for (int64_t i = begin; i < end; ++i) {
            const size_t c = size_t(rows_.code(i));
            const int64_t on_left = left_[c], on_right = right_[c];
            by_class += (nlogn_[on_left + 1] - nlogn_[on_left]) - (nlogn_[on_right] - nlogn_[on_right - 1]);
            left_[c] = on_left + 1;
            right_[c] = on_right - 1;
            if (rows_.is_boundary(i) && i + 1 < end) {
                const double bits = nlogn_[n_left + i + 1 - begin] + nlogn_[n_right - i - 1 + begin] - by_class;
                if (bits <= limit_ && bits < least_ - tie) keep(i, bits, tie);
            }
        }
    }

    /// What no cut within a bucket is below: entropy is concave, so it is least where classes change sides as a whole. Infinite for
    /// a bucket of one class, within which no cut is best.
    double bound(const int64_t* counts, int64_t n_left, int64_t n_right) const {
        size_t several = 0;
        for (size_t c = 0; c < left_.size(); ++c) several += counts[c] > 0;
        if (several < 2) return std::numeric_limits<double>::infinity();
        if (several > kBoundClasses) return -std::numeric_limits<double>::infinity();
        std::array<double, size_t(1) << kBoundClasses> bits;
        std::array<int64_t, size_t(1) << kBoundClasses> moved;
        bits[0] = 0.0;
        moved[0] = 0;
        size_t ways = 1;
        for (size_t c = 0; c < left_.size(); ++c) {
            const double stay = nlogn_[left_[c]] + nlogn_[right_[c]];
            if (counts[c] > 0) {
                const double go = nlogn_[left_[c] + counts[c]] + nlogn_[right_[c] - counts[c]];
                for (size_t w = 0; w < ways; ++w) {
                    bits[ways + w] = bits[w] - go;
                    moved[ways + w] = moved[w] + counts[c];
                    bits[w] -= stay;
                }
                ways *= 2;
            } else {
                for (size_t w = 0; w < ways; ++w) bits[w] -= stay;
            }
        }
        double least = std::numeric_limits<double>::infinity();
        for (size_t w = 0; w < ways; ++w)
            least = std::min(least, bits[w] + nlogn_[n_left + moved[w]] + nlogn_[n_right - moved[w]]);
        return least;
    }
};

/// Accepted cut points of one column, the largest gain first. codes: classes of the rows.
inline std::vector<double> entropy_cuts(std::span<const double> values, std::span<const int32_t> codes, size_t n_classes,
                                        std::span<const double> nlogn, int64_t max_cuts, size_t sorted_rows = Buckets::kSortedRows) {
    if (values.empty()) return {};
    Buckets rows(values, codes, n_classes, sorted_rows);
    EntropyCut search(rows, nlogn);
    return cut_recursively(rows.n_rows(), max_cuts, [&](int64_t begin, int64_t end) { return search.best(begin, end); },
                           [&] { return rows.values(); });
}

}  // namespace tamis
