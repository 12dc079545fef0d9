#pragma once
// The best division of a categorical column's levels into two at one node.
//
// Two classes or one number: levels ordered by their mean, of which the best cut is the best of all 2^(k-1) - 1 divisions (Fisher 1958;
// Breiman et al. 1984, theorem 4.5). Several classes or numbers: all divisions up to ten levels; beyond, levels ordered along the first
// principal direction of their class shares (Coppersmith, Hong and Hosking 1999).
#include "keys.hpp"
#include "scan_numbers.hpp"

namespace tamis::cart {

/// The levels present in a node.
class LevelDivision {
public:
    LevelDivision(size_t max_levels, size_t n_stats, size_t width)
        : table(max_levels, width), code(max_levels), arranged(max_levels), score_(max_levels), n_(n_stats), left_(n_stats), centre_(n_stats),
          direction_(n_stats), next_(n_stats) {}

    LevelTable table;              // one entry a level, by ascending code
    std::vector<int64_t> code;     // (levels)
    std::vector<uint32_t> arranged;  // (levels): levels in the order whose cuts are worth trying; the first ones go left
    size_t n_levels = 0;

    /// The levels of the node's rows.
    template <class Criterion>
    void group(std::span<int64_t> keys, const CodeSpan& span, const RowValues& target, KeySorter& sorter) {
        if (int64_t(span.size()) <= span.n) {
            fill_table<Criterion>(keys, span, target, n_, table);
            return drop_empty(span);
        }
        n_levels = 0;
        sorter.sort(keys.data(), span);
        for (size_t p = 0; p < size_t(span.n); ++p) {
            const int64_t own = keys[p] >> 32;
            if (n_levels == 0 || own != code[n_levels - 1]) {
                code[n_levels] = own;
                table.rows[n_levels] = 0;
                std::fill_n(table.of(n_levels++), table.width, 0.0);
            }
            add_row<Criterion>(target, uint32_t(keys[p]), table.of(n_levels - 1), n_);
            ++table.rows[n_levels - 1];
        }
    }

    /// The levels that have rows, of a table of the codes from low to high.
    void drop_empty(const CodeSpan& span) {
        n_levels = 0;
        for (size_t c = 0; c < span.size(); ++c) {
            if (table.rows[c] == 0) continue;
            code[n_levels] = int64_t(c) + span.low;
            table.rows[n_levels] = table.rows[c];
            std::copy_n(table.of(c), table.width, table.of(n_levels++));
        }
    }

    /// Goodness of the best division of n rows, and how many of the arranged levels go left (0: there is none).
    template <class Criterion>
    std::pair<double, size_t> divide(int64_t n, const double* total, const CutLimits& limits) {
        if (n_ > 2 && n_levels <= MAX_EXHAUSTIVE) return divide_exhaustively<Criterion>(n, total, limits);
        arrange<Criterion>();
        std::fill(left_.begin(), left_.end(), 0.0);
        double best = NO_GAIN;
        size_t n_left = 0;
        int64_t rows = 0;
        for (size_t q = 0; q + 1 < n_levels; ++q) {
            add(arranged[q], 1.0);
            rows += table.rows[arranged[q]];
            if (is_better<Criterion>(rows, n, total, limits, best)) n_left = q + 1;
        }
        return {best, n_left};
    }

    template <class Criterion>
    void arrange() {
        if (n_ == 2) {
            for (size_t g = 0; g < n_levels; ++g) {
                const double* own = table.of(g);
                score_[g] = own[1] / (Criterion::is_class ? own[0] + own[1] : own[0]);
            }
        } else {
            project<Criterion>();
        }
        sort_by(score_.data(), n_levels, arranged.data());
    }

    /// Weight of the first of the arranged levels.
    double weight_of_first(size_t n_left) const {
        double weight = 0.0;
        for (size_t q = 0; q < n_left; ++q) {
            for (size_t k = 0; k < n_; ++k) weight += table.of(arranged[q])[k];
        }
        return weight;
    }

private:
    static constexpr size_t MAX_EXHAUSTIVE = 10;

    void add(size_t level, double sign) {
        for (size_t k = 0; k < n_; ++k) left_[k] += sign * table.of(level)[k];
    }

    template <class Criterion>
    bool is_better(int64_t rows, int64_t n, const double* total, const CutLimits& limits, double& best) const {
        if (rows < limits.min_leaf || n - rows < limits.min_leaf) return false;
        const double goodness = Criterion::goodness(left_.data(), total, n_);
        if (!(goodness > best + limits.slack) || !is_heavy<Criterion>(left_.data(), total, n_, limits.min_weight)) return false;
        if (!is_allowed<Criterion>(left_.data(), total, limits)) return false;
        best = goodness;
        return true;
    }

    /// Every division, one level changing sides at a time (Gray code); the last level stays on the right.
    template <class Criterion>
    std::pair<double, size_t> divide_exhaustively(int64_t n, const double* total, const CutLimits& limits) {
        std::fill(left_.begin(), left_.end(), 0.0);
        double best = NO_GAIN;
        uint32_t best_mask = 0, mask = 0;
        int64_t rows = 0;
        for (uint32_t i = 1; i < (1u << (n_levels - 1)); ++i) {
            const size_t g = size_t(std::countr_zero(i));
            mask ^= 1u << g;
            const int sign = (mask >> g) & 1 ? 1 : -1;
            rows += sign * table.rows[g];
            add(g, sign);
            if (is_better<Criterion>(rows, n, total, limits, best)) best_mask = mask;
        }
        size_t n_left = 0, back = n_levels;
        for (size_t g = 0; g < n_levels; ++g) {
            if ((best_mask >> g) & 1) arranged[n_left++] = uint32_t(g);
            else arranged[--back] = uint32_t(g);
        }
        return {best, n_left};
    }

    template <class Criterion>
    double weight_of(size_t g) const {
        return Criterion::is_class ? weight_of_classes(table.of(g), n_) : table.of(g)[0];
    }

    /// Scores of the levels along the first principal direction of their shares, by power iteration.
    template <class Criterion>
    void project() {
        constexpr size_t first = Criterion::is_class ? 0 : 1;
        constexpr int N_TURNS = 30;
        double weight = 0.0;
        for (size_t c = 0; c < n_; ++c) {
            centre_[c] = 0.0;
            direction_[c] = 1.0 + double(c);  // a fixed start that is hardly orthogonal to anything, so that answers repeat
        }
        for (size_t g = 0; g < n_levels; ++g) {
            weight += weight_of<Criterion>(g);
            for (size_t c = first; c < n_; ++c) centre_[c] += table.of(g)[c];
        }
        for (size_t c = first; c < n_; ++c) centre_[c] /= weight;
        for (int turn = 0;; ++turn) {
            std::fill(next_.begin(), next_.end(), 0.0);
            for (size_t g = 0; g < n_levels; ++g) {
                const double* own = table.of(g);
                const double w = weight_of<Criterion>(g);
                double dot = 0.0;
                for (size_t c = first; c < n_; ++c) dot += direction_[c] * (own[c] / w - centre_[c]);
                score_[g] = dot;
                for (size_t c = first; c < n_; ++c) next_[c] += dot * (own[c] - w * centre_[c]);
            }
            double norm = 0.0;
            for (size_t c = first; c < n_; ++c) norm += next_[c] * next_[c];
            if (norm == 0.0 || turn == N_TURNS) return;
            for (size_t c = first; c < n_; ++c) direction_[c] = next_[c] / std::sqrt(norm);
        }
    }

    std::vector<double> score_;  // (levels): what levels are ordered by
    size_t n_;
    std::vector<double> left_, centre_, direction_, next_;  // (n_stats)
};

}  // namespace tamis::cart
