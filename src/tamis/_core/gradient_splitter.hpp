#pragma once
// The best split of a node along one column, by the second-order gain.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "gradient.hpp"
#include "level_set.hpp"
#include "tie.hpp"

namespace tamis {

/// How a node is split, and what that gains.
struct GradientSplit {
    double gain = 0.0;  // 0: there is no split
    size_t column = 0;
    size_t cut = 0;  // the last code on the left
    bool missing_left = false;
    bool is_category = false;
    LevelSet left;  // of a categorical column: codes that go left
    bool rest_left = false;  // those that the node lacks among them
};

/// Looks for the best split of one node, a column after the other. A split that is no better than the best so far but for rounding
/// is none: equal splits go to the column tried first.
class GradientSplitter {
public:
    static constexpr double SUPPORT = 10.0;  // rows that a level needs to be put in order, and hessian that draws its mean towards 0

    /// min_gain: less is rounding.
    GradientSplitter(const GradientSums& node, double l2, double min_leaf, double min_gain, const Bounds* bounds, GradientSplit& split)
        : gain_(node, l2, min_leaf, bounds), min_leaf_(min_leaf), bar_((gain_.unsplit() + min_gain) * (1.0 + TIE)), split_(split) {
        split_.gain = 0.0;
    }

    int monotone = 0;  // of the column at hand: see Bounds

    /// Splits "up to a value" of column j, missing values on either side, by its histogram. code_at(k), k < n: the codes in their
    /// order, all that the node has among them. absent: the code of missing values.
    template <class CodeAt>
    void try_cuts(size_t j, const GradientSums* bins, size_t n, CodeAt code_at, size_t absent) {
        GradientSums missing{};
        if (n > 0 && code_at(n - 1) == absent) {
            --n;
            missing = bins[absent];
        }
        scan(j, n, missing, [&](size_t k) -> const GradientSums& { return bins[code_at(k)]; }, code_at);
    }

    /// The same over rows in the order of their codes instead of a histogram; lines: of each row of the table. Of 455 rows it takes
    /// 2 ns a row where counting and scanning bins takes 5.
    void try_sorted_cuts(size_t j, const uint8_t* codes, std::span<const uint16_t> order, const GradientSums* lines, size_t absent) {
        GradientSums missing{};
        size_t n = order.size();
        for (; n > 0 && codes[order[n - 1]] == absent; --n) missing += lines[order[n - 1]];
        scan(j, n, missing, [&](size_t i) -> const GradientSums& { return lines[order[i]]; }, [&](size_t i) { return size_t(codes[order[i]]); });
    }

    /// Splits of a categorical column into two sets of levels, missing values a level, scanned from both ends of the levels' order.
    /// Levels of few rows stay with the other side; those that the node lacks go with most rows.
    template <class CodeAt>
    void try_levels(size_t j, const GradientSums* bins, size_t n, CodeAt code_at, size_t absent) {
        const size_t m = put_in_order(bins, n, code_at);
        Best best;
        for (int upper = 0; upper < (m > 1 ? 2 : 0); ++upper) {
            GradientSums left{};
            for (size_t k = 0; k < (m + 1) / 2 - size_t(upper); ++k) {  // the other halves are the same sets
                left += bins[order_[upper ? m - 1 - k : k]];
                if (gain_.is_small(left)) continue;
                if (gain_.leaves_few(left)) break;
                const auto score = gain_.is_bounded() ? gain_.bounded_score(left, 0) : gain_.score(left);
                if (score.exceeds(bar_)) take(score.value(), {k + 1, upper > 0, left.count}, best);
            }
        }
        if (!best.is_better) return;
        split_.rest_left = goes_with_most(best);
        split_.left.clear(int64_t(absent), split_.rest_left);
        for (size_t k = 0; k < n; ++k) {
            if (bins[code_at(k)].count > 0.0) split_.left.erase(code_at(k));
        }
        for (size_t k = 0; k < best.cut; ++k) split_.left.insert(order_[best.side ? m - 1 - k : k]);
        keep(j, best, split_.left.has(absent), true);
    }

private:
    struct Best {
        size_t cut = 0;      // the last code on the left, or the number of levels
        bool side = false;   // missing left, or levels from the upper end
        double count = 0.0;  // rows on the left
        bool is_better = false;
    };

    /// Cuts behind the first 1, 2, … of n steps, rows or bins in the order of their codes; missing values right, then left.
    /// Those that the node lacks go with most rows.
    template <class SumsAt, class CodeAt>
    void scan(size_t j, size_t n, const GradientSums& missing, SumsAt sums_at, CodeAt code_at) {
        if (gain_.is_bounded()) {
            scan_by([&](const GradientSums& left) { return gain_.bounded_score(left, monotone); }, j, n, missing, sums_at, code_at);
        } else {
            scan_by([&](const GradientSums& left) { return gain_.score(left); }, j, n, missing, sums_at, code_at);
        }
    }

    template <class ScoreOf, class SumsAt, class CodeAt>
    void scan_by(ScoreOf score_of, size_t j, size_t n, const GradientSums& missing, SumsAt sums_at, CodeAt code_at) {
        Best best;
        for (int side = 0; side < (missing.count > 0.0 ? 2 : 1); ++side) {
            GradientSums left = side ? missing : GradientSums{};
            size_t k = 0;
            bool is_small = true;
            while (is_small && k < n) {  // a loop of its own for the first rows, which are too few: 10% less time
                left += sums_at(k++);
                is_small = gain_.is_small(left);
            }
            while (!is_small && !gain_.leaves_few(left)) {
                const auto score = score_of(left);
                if (score.exceeds(bar_) && (k == n || code_at(k) != code_at(k - 1))) take(score.value(), {code_at(k - 1), side > 0, left.count}, best);
                if (k == n) break;
                left += sums_at(k++);
            }
        }
        if (best.is_better) keep(j, best, missing.count > 0.0 ? best.side : goes_with_most(best), false);
    }

    void take(double score, Best better, Best& best) {
        bar_ = score * (1.0 + TIE);
        best = better;
        best.is_better = true;
    }

    bool goes_with_most(const Best& best) const { return 2.0 * best.count > gain_.node().count; }

    void keep(size_t j, const Best& best, bool missing_left, bool is_category) {
        split_.column = j;
        split_.cut = best.cut;
        split_.missing_left = missing_left;
        split_.is_category = is_category;
        split_.gain = bar_ / (1.0 + TIE) - gain_.unsplit();
    }

    /// order_: the levels with the hessian of SUPPORT rows, in the order of G / (H + SUPPORT); returns how many.
    ///
    /// Gradients are about 1 or less a row, so means that differ by rounding differ by less than TIE, and codes decide.
    template <class CodeAt>
    size_t put_in_order(const GradientSums* bins, size_t n, CodeAt code_at) {
        const GradientSums& node = gain_.node();
        const double min_hessian = std::min(SUPPORT, min_leaf_) * node.hessian / node.count * (1.0 - TIE);  // exactly so much is enough
        size_t m = 0;
        for (size_t k = 0; k < n; ++k) {
            const GradientSums& level = bins[code_at(k)];
            if (level.hessian < min_hessian || level.count <= 0.0) continue;
            const double mean = level.gradient / (level.hessian + SUPPORT);
            size_t q = m++;
            for (; q > 0 && mean_[q - 1] > mean + TIE; --q) {
                order_[q] = order_[q - 1];
                mean_[q] = mean_[q - 1];
            }
            order_[q] = uint8_t(code_at(k));
            mean_[q] = mean;
        }
        return m;
    }

    SecondOrderGain gain_;
    double min_leaf_, bar_;
    GradientSplit& split_;
    std::array<uint8_t, 256> order_;
    std::array<double, 256> mean_;
};

}  // namespace tamis
