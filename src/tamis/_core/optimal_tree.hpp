// Trees of at most three levels of splits with the least sum of squares of all, by branch and bound (after MurTree, ConTree, SPLIT).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include "matrix.hpp"
#include "threads.hpp"

namespace tamis {

/// What a search reads. With two classes a target of 0 and 1, with several one indicator per class: the sum of squares of a leaf
/// around its mean is then its gini impurity times its weight (half of it for two classes).
struct CoarseTable {
    Matrix<const uint8_t> codes;        // (rows, columns)
    std::span<const int32_t> n_codes;   // (columns)
    Matrix<const double> values;        // (rows, targets)
    std::span<const double> weight;     // (rows)
};

/// A tree of at most seven splits: the children of position i are at 2i + 1 and 2i + 2. Rows with a code up to `cut` go left.
struct SmallTree {
    std::array<int32_t, 7> column;  // -1: no split
    std::array<int32_t, 7> cut;
    double gain = -std::numeric_limits<double>::infinity();

    SmallTree() {
        column.fill(-1);
        cut.fill(0);
    }

    /// Hang another tree of two levels below the root, on the left (side 0) or on the right (1).
    void graft(const SmallTree& child, size_t side) {
        static constexpr size_t POSITIONS[2][3] = {{1, 3, 4}, {2, 5, 6}};
        for (size_t q = 0; q < 3; ++q) {
            column[POSITIONS[side][q]] = child.column[q];
            cut[POSITIONS[side][q]] = child.cut[q];
        }
    }
};

/// The gain of a tree is Σ over its leaves of |Σ w y|² / Σ w, which is Σ w |y|² less the sum of squares around the means.
/// gain[n]: the largest of trees with at most n leaves, each with at least min_leaf rows; bound[n]: of any such trees.
struct Gains {
    std::array<double, 5> gain;
    std::array<double, 5> bound;
};

/// The sums of a first cut (k, u) and of all cuts of a second column m: of stat s, at s · stride from the first (at s · n_cuts in
/// `corner`). Stats are the number of rows, their weight, Σ w y of each target.
struct PairSums {
    size_t n_sums, n_cuts, stride;
    const double* total;
    const double* first;   // rows with k ≤ u
    const double* corner;  // rows with k ≤ u and m ≤ v, for each v
    const double* second;  // rows with m ≤ v
    double min_leaf;
    std::array<std::vector<double>, 4>& worth;  // room for what the four sides are worth
    std::array<double*, 4> free;  // (cuts) raised to the value of splitting k ≤ u, k > u by m and m ≤ v, m > v by k
    std::array<double*, 4> best;  // the same where both sides have min_leaf rows
};

/// Evaluate all cuts v at once: the lanes of a vector are cuts. Compiled for wider instructions in bind_optimal_tree.cpp.
void evaluate_cuts(const PairSums& pair);

/// The best trees of at most two levels of splits on some rows.
///
/// For a first split along column k at u and a second along m at v, four sums decide: those of the rows k ≤ u and m ≤ v, k ≤ u and
/// m > v, … Rows are added bin by bin of column k to the joint sums of all columns m > k, so a pair costs one addition per row and
/// one evaluation per pair of cuts, which serves k before m and m before k.
class DepthTwo {
public:
    DepthTwo(const CoarseTable& table, int64_t min_leaf)
        : table_(table), min_leaf_(double(min_leaf)), d_(table.n_codes.size()), s_(table.values.n_columns), n_sums_(s_ + 2),
          first_(d_ + 1, 0), total_(n_sums_) {
        size_t widest = 1;
        for (size_t k = 0; k < d_; ++k) {
            first_[k + 1] = first_[k] + size_t(table.n_codes[k]);
            widest = std::max(widest, size_t(table.n_codes[k]));
        }
        const size_t n = first_[d_];
        joint_.resize(n * n_sums_);
        margin_.resize(n * n_sums_);
        corner_.resize(widest * n_sums_);
        for (auto* each : {&left1_, &right1_, &left2_, &right2_, &left2_free_, &right2_free_}) each->resize(n);
        for (auto& each : lane_) each.resize(widest);
        for (auto& each : worth_) each.resize(widest, 0.0);
        start_.resize(widest + 1);
    }

    size_t n_cuts(size_t k) const { return size_t(table_.n_codes[k]) - 1; }

    Gains solve(std::span<const uint32_t> rows) {
        summarise(rows);
        for (auto* each : {&left2_, &right2_, &left2_free_, &right2_free_}) std::fill(each->begin(), each->end(), NONE);
        for (size_t k = 0; k < d_; ++k) {
            split_same_column(k);
            split_pairs(k, rows);
        }
        return gains();
    }

    /// The tree of at most n_leaves leaves that `solve` found last, on the same rows: of equal ones the first by column and cut.
    SmallTree recover(std::span<const uint32_t> rows, size_t n_leaves) {
        const Gains gains = this->gains();
        SmallTree tree;
        tree.gain = gains.gain[1];
        const double wanted = gains.gain[n_leaves] - tolerance();
        size_t leaves = 1;
        while (leaves < n_leaves && gains.gain[leaves] < wanted) ++leaves;  // no more leaves than it takes
        if (leaves == 1) return tree;
        for (size_t k = 0; k < d_; ++k) {
            for (size_t u = 0; u < n_cuts(k); ++u) {
                const size_t at = first_[k] + u;
                if (!is_allowed(at)) continue;
                const bool by_left = leaves >= 3 && (leaves == 4 || best_left(at) + right1_[at] >= left1_[at] + best_right(at));
                const bool by_right = leaves >= 3 && (leaves == 4 || !by_left);
                const double gain = (by_left ? best_left(at) : left1_[at]) + (by_right ? best_right(at) : right1_[at]);
                if (gain < wanted) continue;
                tree.column[0] = int32_t(k);
                tree.cut[0] = int32_t(u);
                tree.gain = gain;
                if (by_left && left2_[at] > left1_[at]) split_side(rows, k, u, 0, tree);
                if (by_right && right2_[at] > right1_[at]) split_side(rows, k, u, 1, tree);
                return tree;
            }
        }
        return tree;
    }

    /// The best single split of some rows; without one where no split is better than none.
    SmallTree best_split(std::span<const uint32_t> rows) {
        summarise(rows);
        SmallTree tree;
        tree.gain = value_of(total_.data());
        double best = tree.gain + tolerance();
        for (size_t k = 0; k < d_; ++k) {
            for (size_t u = 0; u < n_cuts(k); ++u) {
                const size_t at = first_[k] + u;
                if (!is_allowed(at) || left1_[at] + right1_[at] <= best) continue;
                tree.column[0] = int32_t(k);
                tree.cut[0] = int32_t(u);
                tree.gain = left1_[at] + right1_[at];
                best = tree.gain + tolerance();
            }
        }
        return tree;
    }

    /// Σ w |y|² of rows.
    double squares(std::span<const uint32_t> rows) const {
        double sum = 0.0;
        for (const uint32_t row : rows) {
            for (size_t s = 0; s < s_; ++s) sum += table_.weight[row] * table_.values[row][s] * table_.values[row][s];
        }
        return sum;
    }

    /// (columns) the largest gain of a tree of at most four leaves whose first split is along each column.
    void gain_by_column(std::span<double> gain) const {
        for (size_t k = 0; k < d_; ++k) {
            gain[k] = NONE;
            for (size_t u = 0; u < n_cuts(k); ++u) {
                const size_t at = first_[k] + u;
                if (is_allowed(at)) gain[k] = std::max(gain[k], best_left(at) + best_right(at));
            }
        }
    }

private:
    static constexpr double NONE = -std::numeric_limits<double>::infinity();

    double tolerance() const { return 1e-11 * squares_; }
    double best_left(size_t at) const { return std::max(left1_[at], left2_[at]); }
    double best_right(size_t at) const { return std::max(right1_[at], right2_[at]); }
    bool is_allowed(size_t at) const {
        const double n = margin_[at];
        return n >= min_leaf_ && total_[0] - n >= min_leaf_ && n > 0 && n < total_[0];
    }

    /// |Σ w y|² / Σ w of sums (rows, weight, Σ w y …); 0 where there are no rows.
    double value_of(const double* sums) const {
        double squares = 0.0;
        for (size_t s = 2; s < n_sums_; ++s) squares += sums[s] * sums[s];
        return sums[0] > 0.5 ? squares / sums[1] : 0.0;
    }

    void add_row(uint32_t row, double* sums) const {
        const double w = table_.weight[row];
        sums[0] += 1.0;
        sums[1] += w;
        for (size_t s = 0; s < s_; ++s) sums[2 + s] += w * table_.values[row][s];
    }

    /// Sums of each column up to each cut, of all rows, and what they are worth as leaves.
    void summarise(std::span<const uint32_t> rows) {
        const size_t n = first_[d_];
        std::fill(joint_.begin(), joint_.end(), 0.0);
        std::fill(total_.begin(), total_.end(), 0.0);
        for (const uint32_t row : rows) {
            const uint8_t* code = table_.codes[row];
            add_row(row, total_.data());
            for (size_t m = 0; m < d_; ++m) add_row(row, &joint_[(first_[m] + code[m]) * n_sums_]);
        }
        squares_ = squares(rows);
        for (size_t m = 0; m < d_; ++m) {
            for (size_t s = 0; s < n_sums_; ++s) {
                double sum = 0.0;
                for (size_t at = first_[m]; at < first_[m + 1]; ++at) margin_[s * n + at] = sum += joint_[at * n_sums_ + s];
            }
        }
        std::vector<double> left(n_sums_), right(n_sums_);
        for (size_t at = 0; at < n; ++at) {
            for (size_t s = 0; s < n_sums_; ++s) {
                left[s] = margin_[s * n + at];
                right[s] = total_[s] - left[s];
            }
            left1_[at] = value_of(left.data());
            right1_[at] = value_of(right.data());
        }
    }

    /// Second splits along the column of the first one.
    void split_same_column(size_t k) {
        const size_t n = first_[d_];
        std::vector<double> low(n_sums_), between(n_sums_), high(n_sums_);
        for (size_t u = 0; u < n_cuts(k); ++u) {
            const size_t at = first_[k] + u;
            for (size_t v = 0; v < u; ++v) {  // v ≤ u: the left side of u is split at v, the right side of v at u
                const size_t below = first_[k] + v;
                for (size_t s = 0; s < n_sums_; ++s) {
                    low[s] = margin_[s * n + below];
                    between[s] = margin_[s * n + at] - low[s];
                    high[s] = total_[s] - margin_[s * n + at];
                }
                const double a = value_of(low.data()), b = value_of(between.data()), c = value_of(high.data());
                left2_free_[at] = std::max(left2_free_[at], a + b);
                right2_free_[below] = std::max(right2_free_[below], b + c);
                if (between[0] < min_leaf_) continue;
                if (low[0] >= min_leaf_) left2_[at] = std::max(left2_[at], a + b);
                if (high[0] >= min_leaf_) right2_[below] = std::max(right2_[below], b + c);
            }
        }
    }

    void split_pairs(size_t k, std::span<const uint32_t> rows) {
        if (k + 1 >= d_) return;
        order_by(k, rows);
        std::fill(joint_.begin() + std::ptrdiff_t(first_[k + 1] * n_sums_), joint_.end(), 0.0);
        for (size_t u = 0; u < n_cuts(k); ++u) {
            if (start_[u] == start_[u + 1] && u > 0) {  // no rows between this cut and the one before
                const size_t at = first_[k] + u;
                for (auto* each : {&left2_, &right2_, &left2_free_, &right2_free_}) (*each)[at] = std::max((*each)[at], (*each)[at - 1]);
                continue;
            }
            for (size_t i = start_[u]; i < start_[u + 1]; ++i) {
                const uint8_t* code = table_.codes[order_[i]];
                for (size_t m = k + 1; m < d_; ++m) add_row(order_[i], &joint_[(first_[m] + code[m]) * n_sums_]);
            }
            clear_lanes();
            for (size_t m = k + 1; m < d_; ++m) split_pair(k, u, m);
            reduce_lanes(first_[k] + u);
        }
    }

    /// Rows by their code in column k: those of code u are order_[start_[u]] … order_[start_[u + 1] - 1].
    void order_by(size_t k, std::span<const uint32_t> rows) {
        const size_t n = size_t(table_.n_codes[k]);
        std::fill(start_.begin(), start_.end(), 0);
        for (const uint32_t row : rows) ++start_[table_.codes[row][k] + 1];
        for (size_t u = 0; u < n; ++u) start_[u + 1] += start_[u];
        order_.resize(rows.size());
        std::vector<size_t> next(start_.begin(), start_.begin() + std::ptrdiff_t(n));
        for (const uint32_t row : rows) order_[next[table_.codes[row][k]]++] = row;
    }

    /// The four sums of a first cut (k, u) and each cut of column m, and what they are worth.
    void split_pair(size_t k, size_t u, size_t m) {
        const size_t n = first_[d_], cuts = n_cuts(m), at = first_[k] + u, from = first_[m];
        for (size_t s = 0; s < n_sums_; ++s) {
            double sum = 0.0, *corner = &corner_[s * cuts];
            for (size_t v = 0; v < cuts; ++v) corner[v] = sum += joint_[(from + v) * n_sums_ + s];
        }
        evaluate_cuts({n_sums_, cuts, n, total_.data(), &margin_[at], corner_.data(), &margin_[from], min_leaf_, worth_,
                       {lane_[0].data(), lane_[1].data(), &left2_free_[from], &right2_free_[from]},
                       {lane_[2].data(), lane_[3].data(), &left2_[from], &right2_[from]}});
    }

    void clear_lanes() {
        for (auto& lane : lane_) std::fill(lane.begin(), lane.end(), NONE);
    }

    /// The best of all lanes belongs to the first cut.
    void reduce_lanes(size_t at) {
        std::vector<double>* best[4] = {&left2_free_, &right2_free_, &left2_, &right2_};
        for (size_t q = 0; q < 4; ++q) (*best[q])[at] = std::max((*best[q])[at], *std::max_element(lane_[q].begin(), lane_[q].end()));
    }

    Gains gains() const {
        Gains best;
        best.gain.fill(NONE);
        best.gain[1] = value_of(total_.data());
        best.bound = best.gain;
        for (size_t k = 0; k < d_; ++k) {
            for (size_t u = 0; u < n_cuts(k); ++u) {
                const size_t at = first_[k] + u;
                if (is_allowed(at)) improve(best.gain, at, best_left(at), best_right(at));
                improve(best.bound, at, std::max(left1_[at], left2_free_[at]), std::max(right1_[at], right2_free_[at]));
            }
        }
        for (size_t leaves = 2; leaves <= 4; ++leaves) {
            best.gain[leaves] = std::max(best.gain[leaves], best.gain[leaves - 1]);
            best.bound[leaves] = std::max(best.bound[leaves], best.bound[leaves - 1]);
        }
        return best;
    }

    void improve(std::array<double, 5>& best, size_t at, double left, double right) const {
        best[2] = std::max(best[2], left1_[at] + right1_[at]);
        best[3] = std::max(best[3], std::max(left + right1_[at], left1_[at] + right));
        best[4] = std::max(best[4], left + right);
    }

    /// Split one side of the root, which `recover` has chosen.
    void split_side(std::span<const uint32_t> rows, size_t k, size_t u, size_t side, SmallTree& tree) const {
        std::vector<uint32_t> inside;
        for (const uint32_t row : rows) {
            if ((table_.codes[row][k] > u) == (side == 1)) inside.push_back(row);
        }
        DepthTwo other(table_, int64_t(min_leaf_));
        const SmallTree split = other.best_split(inside);
        tree.column[1 + side] = split.column[0];
        tree.cut[1 + side] = split.cut[0];
    }

    CoarseTable table_;
    double min_leaf_;
    size_t d_, s_, n_sums_;
    std::vector<size_t> first_;   // (columns + 1) of a column's codes among those of all
    std::vector<double> total_;   // (sums): rows, weight, Σ w y of each target
    std::vector<double> joint_;   // (codes of all columns, sums)
    std::vector<double> margin_;  // (sums, codes of all columns) up to and with each code
    std::vector<double> corner_;  // (sums, codes of one column) of rows below a cut of k, up to each code
    std::vector<double> left1_, right1_, left2_, right2_, left2_free_, right2_free_;  // (codes of all columns)
    std::array<std::vector<double>, 4> lane_, worth_;  // (codes of one column)
    std::vector<size_t> start_;
    std::vector<uint32_t> order_;
    double squares_ = 0.0;
};

/// The best trees of at most three levels of splits, for every number of leaves from 1 to 8.
///
/// Costs (the sum of squares) of the best tree of two levels only grow with the rows: cost(A ∪ B) ≥ cost(A) + cost(B). So between two
/// cuts t₁ < t₂ of a root's column no cut is better than the left side of t₁ and the right side of t₂ together; stretches of cuts are
/// halved, the most promising one first, until no stretch can hold a better tree (Brița, van der Linden & Demirović, 2025).
class OptimalTrees {
public:
    OptimalTrees(const CoarseTable& table, size_t depth, int64_t min_leaf)
        : table_(table), depth_(depth), min_leaf_(size_t(min_leaf)), solver_(table, min_leaf), rows_(table.weight.size()) {
        for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = uint32_t(i);
        squares_ = solver_.squares(rows_);
    }

    /// Search; whether the trees are proved to be the best, or the budget of solved sides ended it.
    bool search(int64_t max_solved, const Interrupt& interrupt) {
        if (depth_ == 1) {
            for (size_t leaves = 2; leaves <= 8; ++leaves) best_[leaves] = solver_.best_split(rows_);
            return true;
        }
        const Gains gains = solver_.solve(rows_);
        for (size_t leaves = 1; leaves <= 8; ++leaves) best_[leaves] = solver_.recover(rows_, std::min<size_t>(leaves, 4));
        if (depth_ == 2) return true;
        for (size_t leaves = 1; leaves <= 8; ++leaves) found_[leaves].gain = gains.gain[std::min<size_t>(leaves, 4)];
        for (size_t k = 0; k < table_.n_codes.size(); ++k) push({int32_t(k), -1, int32_t(solver_.n_cuts(k)), {}, {}, 0.0});
        int64_t solved = 0;
        while (!queue_.empty() && !interrupt.requested()) {
            Stretch stretch = queue_.top();
            queue_.pop();
            const double promise = promise_of(stretch);
            if (promise <= tolerance()) continue;
            if (promise < stretch.promise) {
                stretch.promise = promise;
                queue_.push(stretch);
                continue;
            }
            if (solved >= max_solved) return finish(false);
            solved += 2;
            halve(stretch);
        }
        return finish(!interrupt.requested());
    }

    const SmallTree& tree(size_t leaves) const { return best_[leaves]; }

private:
    using Costs = std::array<double, 5>;  // of the best tree with at most so many leaves

    /// Cuts of a column between two that were tried: no better on the left than the lower one, on the right than the upper one.
    struct Stretch {
        int32_t column, low, high;  // exclusive
        Costs left, right;
        double promise;
        bool operator<(const Stretch& other) const {
            if (promise != other.promise) return promise < other.promise;
            return column != other.column ? column > other.column : low > other.low;
        }
    };

    struct Root {
        double gain;
        int32_t column = -1, cut = 0;
        size_t left = 1;  // leaves on the left
    };

    double tolerance() const { return 1e-10 * squares_; }

    void push(Stretch stretch) {
        if (stretch.high - stretch.low <= 1) return;
        stretch.promise = promise_of(stretch);
        if (stretch.promise > tolerance()) queue_.push(stretch);
    }

    /// By how much a tree with a root in the stretch could be better than the best one of its size; two or three leaves are settled.
    double promise_of(const Stretch& stretch) const {
        double promise = 0.0;
        for (size_t leaves = 4; leaves <= 8; ++leaves) {
            double cost = std::numeric_limits<double>::infinity();
            for (size_t a = leaves > 5 ? leaves - 4 : 1; a <= std::min<size_t>(4, leaves - 1); ++a) {
                cost = std::min(cost, stretch.left[a] + stretch.right[leaves - a]);
            }
            promise = std::max(promise, squares_ - cost - found_[leaves].gain);
        }
        return promise;
    }

    void halve(const Stretch& stretch) {
        const int32_t cut = stretch.low + (stretch.high - stretch.low) / 2;
        divide(stretch.column, cut);
        const Gains left = solve_side(left_), right = solve_side(right_);
        if (left_.size() >= std::max<size_t>(1, min_leaf_) && right_.size() >= std::max<size_t>(1, min_leaf_)) {
            for (size_t leaves = 4; leaves <= 8; ++leaves) improve(leaves, left, right, stretch.column, cut);
        }
        push({stretch.column, stretch.low, cut, stretch.left, costs(right_, right), 0.0});
        push({stretch.column, cut, stretch.high, costs(left_, left), stretch.right, 0.0});
    }

    void divide(int32_t column, int32_t cut) {
        left_.clear();
        right_.clear();
        for (const uint32_t row : rows_) (int32_t(table_.codes[row][size_t(column)]) <= cut ? left_ : right_).push_back(row);
    }

    Gains solve_side(const std::vector<uint32_t>& rows) {
        if (!rows.empty()) return solver_.solve(rows);
        Gains nothing;
        nothing.gain.fill(0.0);
        nothing.bound.fill(0.0);
        return nothing;
    }

    Costs costs(const std::vector<uint32_t>& rows, const Gains& gains) const {
        Costs costs{};
        const double squares = solver_.squares(rows);
        for (size_t leaves = 1; leaves <= 4; ++leaves) costs[leaves] = squares - gains.bound[leaves];
        return costs;
    }

    void improve(size_t leaves, const Gains& left, const Gains& right, int32_t column, int32_t cut) {
        Root& best = found_[leaves];
        for (size_t a = leaves > 5 ? leaves - 4 : 1; a <= std::min<size_t>(4, leaves - 1); ++a) {
            const double gain = left.gain[a] + right.gain[leaves - a];
            if (gain > best.gain + tolerance()) best = {gain, column, cut, a};
        }
    }

    /// The trees of the best roots: both sides are solved once more.
    bool finish(bool is_proved) {
        for (size_t leaves = 4; leaves <= 8; ++leaves) {
            const Root& root = found_[leaves];
            if (root.column < 0) continue;  // that of two levels
            if (root.gain <= best_[leaves - 1].gain + tolerance()) {  // more leaves bring nothing
                best_[leaves] = best_[leaves - 1];
                continue;
            }
            divide(root.column, root.cut);
            SmallTree tree;
            tree.column[0] = root.column;
            tree.cut[0] = root.cut;
            solver_.solve(left_);
            tree.graft(solver_.recover(left_, root.left), 0);
            solver_.solve(right_);
            tree.graft(solver_.recover(right_, leaves - root.left), 1);
            tree.gain = root.gain;
            best_[leaves] = tree;
        }
        return is_proved;
    }

    CoarseTable table_;
    size_t depth_, min_leaf_;
    DepthTwo solver_;
    std::vector<uint32_t> rows_, left_, right_;
    double squares_ = 0.0;
    std::array<SmallTree, 9> best_;
    std::array<Root, 9> found_{};
    std::priority_queue<Stretch> queue_;
};

/// Every distinct value as a code: what the splits of a small tree are refined on.
struct FineTable {
    Matrix<const uint16_t> codes;      // (columns, rows)
    std::span<const int32_t> n_codes;  // (columns)
    Matrix<const double> values;       // (rows, targets)
    std::span<const double> weight;    // (rows)
};

/// Improves one split of a tree after the other, column and cut, with the splits below it as they are, until none gets better.
class Refiner {
public:
    Refiner(const FineTable& table, int64_t min_leaf)
        : table_(table), min_leaf_(double(min_leaf)), s_(table.values.n_columns), n_rows_(table.weight.size()), order_(n_rows_),
          leaf_left_(n_rows_), leaf_right_(n_rows_) {
        for (size_t i = 0; i < n_rows_; ++i) {
            for (size_t s = 0; s < s_; ++s) squares_ += table.weight[i] * table.values[i][s] * table.values[i][s];
        }
    }

    void refine(SmallTree& tree, const Interrupt& interrupt) {
        for (int round = 0; round < MAX_ROUNDS; ++round) {
            bool improved = false;
            for (size_t node = 0; node < 7 && !interrupt.requested(); ++node) {
                if (tree.column[node] >= 0) improved |= refine_split(tree, node);
            }
            if (!improved) return;
        }
    }

private:
    static constexpr int MAX_ROUNDS = 20;
    static constexpr size_t N_LEAVES = 15;  // positions of nodes and leaves

    size_t descend(const SmallTree& tree, size_t row, size_t node) const {
        while (node < 7 && tree.column[node] >= 0) {
            node = 2 * node + 1 + (int32_t(table_.codes[size_t(tree.column[node])][row]) > tree.cut[node]);
        }
        return node;
    }

    bool reaches(const SmallTree& tree, size_t row, size_t node) const {
        size_t at = 0;
        while (at < node) {
            if (tree.column[at] < 0) return false;
            at = 2 * at + 1 + (int32_t(table_.codes[size_t(tree.column[at])][row]) > tree.cut[at]);
        }
        return at == node;
    }

    bool refine_split(SmallTree& tree, size_t node) {
        rows_.clear();
        for (size_t row = 0; row < n_rows_; ++row) {
            if (!reaches(tree, row, node)) continue;
            rows_.push_back(uint32_t(row));
            leaf_left_[row] = uint8_t(descend(tree, row, 2 * node + 1));
            leaf_right_[row] = uint8_t(descend(tree, row, 2 * node + 2));
        }
        if (rows_.empty()) return false;
        const size_t column = size_t(tree.column[node]);
        double best = scan(column, tree.cut[node], tree, node).first;
        bool improved = false;
        for (size_t k = 0; k < table_.n_codes.size(); ++k) {
            const auto [gain, cut] = scan(k, -1, tree, node);
            if (!(gain > best + 1e-10 * squares_)) continue;
            best = gain;
            tree.column[node] = int32_t(k);
            tree.cut[node] = cut;
            improved = true;
        }
        tree.gain = best;  // of the node's rows; the caller evaluates whole trees
        return improved;
    }

    /// The gain of the node's leaves at one cut (only, if it is not negative) or at the best cut of a column.
    std::pair<double, int32_t> scan(size_t k, int32_t only, const SmallTree& tree, size_t node) {
        order_by(k);
        sums_.assign(N_LEAVES * (s_ + 2), 0.0);
        for (const uint32_t row : rows_) move(row, leaf_right_[row], 1.0);
        is_leaf_.fill(false);
        for (const size_t child : {2 * node + 1, 2 * node + 2}) mark_leaves(tree, child);
        std::pair<double, int32_t> best{-std::numeric_limits<double>::infinity(), -1};
        const uint16_t* code = table_.codes[k];
        for (size_t i = 0; i < rows_.size(); ++i) {
            const uint32_t row = order_[i];
            move(row, leaf_right_[row], -1.0);
            move(row, leaf_left_[row], 1.0);
            if (i + 1 < rows_.size() && code[order_[i + 1]] == code[row]) continue;
            if (only >= 0 && (int32_t(code[row]) > only || (i + 1 < rows_.size() && int32_t(code[order_[i + 1]]) <= only))) continue;
            const double gain = gain_of_leaves();
            if (gain > best.first + 1e-12 * squares_) best = {gain, int32_t(code[row])};
        }
        return best;
    }

    void order_by(size_t k) {
        const uint16_t* code = table_.codes[k];
        start_.assign(size_t(table_.n_codes[k]) + 1, 0);
        for (const uint32_t row : rows_) ++start_[code[row] + 1u];
        for (size_t c = 1; c < start_.size(); ++c) start_[c] += start_[c - 1];
        for (const uint32_t row : rows_) order_[start_[code[row]]++] = row;
    }

    void mark_leaves(const SmallTree& tree, size_t node) {
        if (node < 7 && tree.column[node] >= 0) {
            mark_leaves(tree, 2 * node + 1);
            mark_leaves(tree, 2 * node + 2);
        } else {
            is_leaf_[node] = true;
        }
    }

    void move(uint32_t row, size_t leaf, double sign) {
        double* sums = &sums_[leaf * (s_ + 2)];
        const double w = sign * table_.weight[row];
        sums[0] += sign;
        sums[1] += w;
        for (size_t s = 0; s < s_; ++s) sums[2 + s] += w * table_.values[row][s];
    }

    double gain_of_leaves() const {
        double gain = 0.0;
        for (size_t leaf = 0; leaf < N_LEAVES; ++leaf) {
            if (!is_leaf_[leaf]) continue;
            const double* sums = &sums_[leaf * (s_ + 2)];
            if (sums[0] < std::max(min_leaf_, 1.0)) return -std::numeric_limits<double>::infinity();
            double squares = 0.0;
            for (size_t s = 0; s < s_; ++s) squares += sums[2 + s] * sums[2 + s];
            gain += squares / sums[1];
        }
        return gain;
    }

    FineTable table_;
    double min_leaf_;
    size_t s_, n_rows_;
    double squares_ = 0.0;
    std::vector<uint32_t> rows_, order_;
    std::vector<uint8_t> leaf_left_, leaf_right_;
    std::vector<size_t> start_;
    std::vector<double> sums_;  // (positions, sums)
    std::array<bool, N_LEAVES> is_leaf_{};
};

}  // namespace tamis
