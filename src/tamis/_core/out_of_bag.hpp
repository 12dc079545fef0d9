#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "node.hpp"
#include "route.hpp"

namespace tamis {

/// The true targets of all rows, and what wrong answers cost.
struct TargetCosts {
    size_t n_classes;                  // 0 for numbers, whose cost is the squared error
    std::span<const int32_t> classes;  // (rows), empty for numbers
    std::span<const double> values;    // (rows, n_targets)
    size_t n_targets;
    std::span<const double> weight;  // (rows): in a mean of costs
    std::span<const double> loss;    // (truth, answer)
    bool majority;                   // the class of most votes is the answer, not the one of least expected cost

    size_t n_outputs() const { return n_classes ? n_classes : n_targets; }
    double cost(size_t truth, size_t answer) const { return loss[truth * n_classes + answer]; }

    /// The class of most votes, or of least expected cost; the first of equals.
    size_t answer_of(std::span<const double> votes) const {
        double best = -std::numeric_limits<double>::infinity();
        size_t answer = 0;
        for (size_t c = 0; c < n_classes; ++c) {
            double score = votes[c];
            if (!majority) {
                score = 0.0;
                for (size_t truth = 0; truth < n_classes; ++truth) score -= votes[truth] * cost(truth, c);
            }
            if (score > best) {
                best = score;
                answer = c;
            }
        }
        return answer;
    }
};

/// Several trees as they were grown, the rows each left out with their leaves, and what its columns bring.
struct GrownTrees {
    Trees trees;
    std::vector<int64_t> sum_column;  // (sums, sum_width): of oblique splits
    std::vector<double> sum_factor;
    size_t sum_width = 1;
    std::vector<int64_t> ends{0, 0, 0, 0};  // (trees + 1, 4): nodes, words of sets, sums and leaves of the trees before each
    std::vector<uint32_t> rows;             // left out, tree after tree
    std::vector<int32_t> leaf;              // where each of them ends, counted from its tree's root
    std::vector<int64_t> row_ends{0};       // (trees + 1)
    std::vector<uint32_t> copies;           // of rows that count several times, those left out; and their leaves
    std::vector<int32_t> copy_leaf;
    std::vector<int64_t> copy_ends{0};
    std::vector<double> gain;               // (trees, columns)

    size_t n_trees() const { return row_ends.size() - 1; }
    const int64_t* end(size_t t) const { return &ends[4 * t]; }
};

enum End { NODES, WORDS, SUMS, LEAVES };  // columns of GrownTrees::ends

/// Out-of-bag answers: each row judged by the trees that did not see it.
class OutOfBag {
public:
    explicit OutOfBag(const TargetCosts& costs)
        : votes(costs.weight.size() * costs.n_outputs(), 0.0), n_trees(costs.weight.size(), 0), costs_(costs),
          error_(costs.weight.size(), 0.0) {}

    /// Add the answers of tree t for the rows it left out, and its point of the curve: the mean error of all rows so far.
    ///
    /// The error is loss[truth, answer] for classes, for numbers the squared error (its mean over targets).
    void add(const GrownTrees& grown, size_t t, std::span<const uint32_t> rows, std::span<const int32_t> leaf) {
        const size_t width = costs_.n_outputs();
        const Node* nodes = grown.trees.nodes.data() + grown.end(t)[NODES];
        const double* table = grown.trees.table.data() + size_t(grown.end(t)[LEAVES]) * grown.trees.width;
        for (size_t i = 0; i < rows.size(); ++i) {
            const size_t row = rows[i];
            const Node& node = nodes[leaf[i]];
            const double w = costs_.weight[row];
            if (n_trees[row] > 0) sum_ -= w * error_[row];
            else weight_ += w;
            const std::span own(&votes[row * width], width);
            add_leaf(node.column, node.threshold, table, costs_.n_classes, own);
            n_trees[row] += 1;
            error_[row] = error_of(row, own);
            sum_ += w * error_[row];
        }
        curve.push_back(weight_ > 0.0 ? sum_ / weight_ : std::numeric_limits<double>::quiet_NaN());
    }

    std::vector<double> votes;     // (rows, classes or targets): sums of the trees' answers
    std::vector<int64_t> n_trees;  // (rows): trees that left the row out
    std::vector<double> curve;     // (trees)

private:
    double error_of(size_t row, std::span<const double> votes) const {
        if (costs_.n_classes) return costs_.cost(size_t(costs_.classes[row]), costs_.answer_of(votes));
        double squares = 0.0;
        for (size_t q = 0; q < costs_.n_targets; ++q) {
            const double off = costs_.values[row * costs_.n_targets + q] - votes[q] / double(n_trees[row]);
            squares += off * off;
        }
        return squares / double(costs_.n_targets);
    }

    TargetCosts costs_;
    std::vector<double> error_;  // (rows)
    double sum_ = 0.0, weight_ = 0.0;  // Σ weight × error and Σ weight over the rows that have an answer
};

/// How the answers of rows left out lie among training answers that their trees drew: for prediction intervals of one number.
struct DrawnAnswers {
    explicit DrawnAnswers(std::span<const double> values) : below(values.size(), 0), upto(below), drawn(below),
        least(values.size(), std::numeric_limits<double>::infinity()), most(values.size(), -least[0]),
        truth(values.begin(), values.end()) {}

    void add(const GrownTrees& grown, size_t t) {
        const Node* nodes = grown.trees.nodes.data() + grown.end(t)[NODES];
        for (size_t i = size_t(grown.row_ends[t]); i < size_t(grown.row_ends[t + 1]); ++i) {
            const size_t row = grown.rows[i];
            if (row >= truth.size()) continue;
            const float answer = std::bit_cast<float>(nodes[grown.leaf[i]].column);
            below[row] += answer < truth[row];
            upto[row] += answer <= truth[row];
            drawn[row] += 1;
            least[row] = std::min(least[row], double(answer));
            most[row] = std::max(most[row], double(answer));
        }
    }

    std::vector<int64_t> below, upto, drawn;  // (rows): answers below, and up to, the true one; answers
    std::vector<double> least, most;          // (rows)
    std::vector<float> truth;                 // as the leaves keep them
};

}  // namespace tamis
