#pragma once
// The best split of a node of a table larger than memory, and its surrogates, from counts alone: the same choice as of a node in memory.
#include <optional>

#include "scan_levels.hpp"
#include "surrogate.hpp"

namespace tamis::cart {

/// What a node holds of every code of all columns, one column after the other, the code of missing values last in each.
struct CountedNode {
    Kind kind;
    std::span<const double> stats;    // (codes, n_stats)
    std::span<const int64_t> rows;    // (codes)
    std::span<const double> cases;    // (codes): the user's weight
    std::span<const int64_t> offset;  // (columns + 1): where the codes of each column begin
    std::span<const bool> category;   // (columns)
    std::span<const double> total;    // (n_stats) of all rows
    double impurity;

    size_t n_stats() const { return total.size(); }
};

struct CountedSplit {
    int64_t column;
    double rank, gain;
    int64_t cut = -2, upper = -2;
    Side side = UNKNOWN;  // of missing values, where they took part
    std::vector<LevelSide> levels{};
    SideWeights weights{0.0, 0.0};  // the user's, of the rows that took part
};

/// The best split by any column.
class CountedSplitter {
public:
    CountedSplitter(const CountedNode& node, bool with_missing, const CutLimits& cuts)
        : node_(node), with_missing_(with_missing), cuts_(cuts), left_(node.n_stats()), total_(node.n_stats()) {}

    /// Of equal splits the one of the column first in `order`; see TreeGrower::find_split.
    std::optional<CountedSplit> best(std::span<const int64_t> order) {
        std::vector<CountedSplit> tried;
        for (const int64_t j : order) {
            std::optional<CountedSplit> split =
                with_criterion(node_.kind, [&](auto criterion) { return try_column<decltype(criterion)>(size_t(j)); });
            if (split) tried.push_back(std::move(*split));
        }
        const bool is_ratio = node_.kind == Kind::GAIN_RATIO;
        const double tie = is_ratio ? TIE : cuts_.slack, floor = is_ratio ? average_gain(tried) : NO_GAIN;
        const CountedSplit* best = nullptr;
        for (const CountedSplit& split : tried) {
            if (split.gain >= floor && (!best || split.rank > best->rank + tie)) best = &split;
        }
        return best ? std::optional(*best) : std::nullopt;
    }

private:
    double average_gain(const std::vector<CountedSplit>& tried) const {
        double sum = 0.0, n = 0.0;
        for (const CountedSplit& split : tried) {
            if (split.gain > cuts_.slack) {
                sum += split.gain;
                n += 1.0;
            }
        }
        return n > 0.0 ? sum / n * (1.0 - 1e-9) : NO_GAIN;
    }

    template <class Criterion>
    std::optional<CountedSplit> try_column(size_t j) {
        const size_t first = size_t(node_.offset[j]), n_values = size_t(node_.offset[j + 1]) - first - 1;
        n_codes_ = n_values + with_missing_;
        stats_ = node_.stats.data() + first * node_.n_stats();
        rows_ = node_.rows.data() + first;
        if (std::count_if(rows_, rows_ + n_codes_, [](int64_t rows) { return rows > 0; }) < 2) return std::nullopt;
        std::copy(node_.total.begin(), node_.total.end(), total_.begin());
        if (!with_missing_ && rows_[n_values] > 0) {
            std::fill(total_.begin(), total_.end(), 0.0);
            for (size_t code = 0; code < n_codes_; ++code) add(code, total_.data());
        }
        n_ = std::accumulate(rows_, rows_ + n_codes_, int64_t(0));
        goes_left_.assign(n_codes_, 0);
        CountedSplit split{int64_t(j), NO_GAIN, NO_GAIN};
        if (node_.category[j]) divide<Criterion>(split, n_values);
        else cut<Criterion>(split, n_values);
        if (split.rank == NO_GAIN) return std::nullopt;
        std::fill(left_.begin(), left_.end(), 0.0);
        for (size_t code = 0; code < n_codes_; ++code) {
            (goes_left_[code] ? split.weights.left : split.weights.right) += node_.cases[first + code];
            if (goes_left_[code]) add(code, left_.data());
        }
        if (node_.kind == Kind::GAIN_RATIO) {
            const double weight = weight_of_classes(total_.data(), total_.size());
            split.rank = split.rank / weight / split_information(weight_of_classes(left_.data(), left_.size()), weight);
        }
        return split;
    }

    void add(size_t code, double* to) const {
        for (size_t k = 0; k < total_.size(); ++k) to[k] += stats_[code * total_.size() + k];
    }

    template <class Criterion>
    Cut scan(const double* stats, const int64_t* rows) {
        const CodeSpan span{n_, 0, int64_t(n_codes_) - 1};
        Cut best = scan_table<Criterion>(span, stats, total_.size(), rows, left_.data(), total_.data(), total_.size(), cuts_);
        best.gain -= Criterion::undivided(total_.data(), total_.size());
        return best;
    }

    template <class Criterion>
    void cut(CountedSplit& split, size_t n_values) {
        Cut best = scan<Criterion>(stats_, rows_);
        if (with_missing_ && rows_[n_values] > 0) {  // missing values were above all numbers; now below
            split.side = RIGHT;
            std::vector<double> stats(stats_, stats_ + n_codes_ * total_.size());
            std::vector<int64_t> rows(rows_, rows_ + n_codes_);
            std::rotate(stats.begin(), stats.end() - ptrdiff_t(total_.size()), stats.end());
            std::rotate(rows.begin(), rows.end() - 1, rows.end());
            const Cut below = scan<Criterion>(stats.data(), rows.data());
            if (below.gain > best.gain + cuts_.slack && below.cut >= 1) {
                best = {below.gain, below.cut - 1, below.upper - 1};
                split.side = LEFT;
            }
            if (best.upper == int64_t(n_values)) best.upper = -1;
        }
        if (best.cut < 0) return;
        split.rank = split.gain = best.gain;
        split.cut = best.cut;
        split.upper = best.upper;
        std::fill_n(goes_left_.begin(), best.cut + 1, 1);
        if (split.side == LEFT) goes_left_.back() = 1;
    }

    template <class Criterion>
    void divide(CountedSplit& split, size_t n_values) {
        LevelDivision levels(n_codes_, total_.size(), total_.size());
        for (size_t code = 0; code < n_codes_; ++code) {
            if (rows_[code] == 0) continue;
            std::copy_n(stats_ + code * total_.size(), total_.size(), levels.table.of(levels.n_levels));
            levels.table.rows[levels.n_levels] = rows_[code];
            levels.code[levels.n_levels++] = int64_t(code);
        }
        const auto [goodness, n_left] = levels.template divide<Criterion>(n_, total_.data(), cuts_);
        if (n_left == 0) return;
        split.gain = goodness - Criterion::undivided(total_.data(), total_.size());
        split.rank = split.gain - excess(node_.kind, total_.data(), node_.impurity, n_, total_.size(), levels.n_levels);
        for (size_t q = 0; q < n_left; ++q) goes_left_[size_t(levels.code[levels.arranged[q]])] = 1;
        for (size_t g = 0; g < levels.n_levels; ++g) {
            split.levels.push_back({levels.code[g], goes_left_[size_t(levels.code[g])] ? LEFT : RIGHT});
        }
        if (with_missing_ && rows_[n_values] > 0) split.side = split.levels.back().side;
    }

    const CountedNode& node_;
    bool with_missing_;
    const CutLimits& cuts_;
    std::vector<double> left_, total_;  // (n_stats) of the rows of the column at hand
    const double* stats_ = nullptr;     // of the column at hand
    const int64_t* rows_ = nullptr;
    size_t n_codes_ = 0;
    int64_t n_ = 0;
    std::vector<char> goes_left_;  // (codes)
};

/// The best surrogates of a split on column `primary`, best first. counts: (codes of all columns, 2), rows on either side of the split.
inline std::vector<Surrogate> surrogates_by_counts(std::span<const int64_t> counts, std::span<const int64_t> offset,
                                                   std::span<const bool> category, std::span<const int64_t> order, int64_t primary,
                                                   size_t n_surrogates) {
    SideWeights all{0.0, 0.0};
    for (int64_t code = offset[0]; code < offset[1]; ++code) {
        all.left += double(counts[size_t(2 * code)]);
        all.right += double(counts[size_t(2 * code + 1)]);
    }
    SurrogateList list(n_surrogates, all);
    std::vector<double> stats;
    std::vector<int64_t> rows;
    for (const int64_t j : order) {
        if (j == primary) continue;
        const size_t first = size_t(offset[size_t(j)]), n_values = size_t(offset[size_t(j) + 1]) - first - 1;
        stats.assign(counts.begin() + ptrdiff_t(2 * first), counts.begin() + ptrdiff_t(2 * (first + n_values)));
        rows.assign(n_values, 0);
        SideWeights sides{0.0, 0.0};
        CodeSpan span{0, 0, int64_t(n_values) - 1};
        for (size_t code = 0; code < n_values; ++code) {
            rows[code] = counts[2 * (first + code)] + counts[2 * (first + code) + 1];
            span.n += rows[code];
            sides.left += stats[2 * code];
            sides.right += stats[2 * code + 1];
        }
        if (std::count_if(rows.begin(), rows.end(), [](int64_t own) { return own > 0; }) < 2) continue;
        std::vector<LevelSide> levels;
        Agreement found;
        if (category[size_t(j)]) {
            for (size_t code = 0; code < n_values; ++code) {
                if (rows[code]) found.weight += place_level(int64_t(code), stats[2 * code], stats[2 * code + 1], sides, levels);
            }
        } else {
            found = agree_by_table(span, stats.data(), 2, rows.data(), sides, 2.0);
            if (found.cut < 0) continue;
        }
        list.add(j, found, std::move(levels));
    }
    return list.surrogates;
}

}  // namespace tamis::cart
