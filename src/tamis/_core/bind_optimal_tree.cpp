// Small trees by search: branch and bound over coarse cuts, then refinement over every value.
#include "bind_matrix.hpp"
#include "optimal_tree.hpp"

namespace tamis {

using namespace nb::literals;

namespace {

constexpr double NONE = -std::numeric_limits<double>::infinity();

/// best = max(best, value) where the smaller side has rows enough; a select, never a branch.
inline void raise(double& best, double value, double smaller, double min_leaf) {
    const double candidate = smaller >= min_leaf ? value : NONE;
    best = best < candidate ? candidate : best;
}

}  // namespace

TAMIS_WIDE void evaluate_cuts(const PairSums& pair) {
    const size_t cuts = pair.n_cuts, n = pair.stride;
    double *__restrict a1 = pair.worth[0].data(), *__restrict a2 = pair.worth[1].data(), *__restrict a3 = pair.worth[2].data(),
           *__restrict a4 = pair.worth[3].data();
    for (size_t s = 2; s < pair.n_sums; ++s) {
        const double low = pair.first[s * n], all = pair.total[s], before = s > 2 ? 1.0 : 0.0;
        const double *__restrict corner = pair.corner + s * cuts, *__restrict second = pair.second + s * n;
        for (size_t v = 0; v < cuts; ++v) {
            const double s1 = corner[v], s2 = low - s1, s3 = second[v] - s1, s4 = all - low - s3;
            a1[v] = before * a1[v] + s1 * s1;
            a2[v] = before * a2[v] + s2 * s2;
            a3[v] = before * a3[v] + s3 * s3;
            a4[v] = before * a4[v] + s4 * s4;
        }
    }
    const double n_all = pair.total[0], n_low = pair.first[0], w_all = pair.total[1], w_low = pair.first[n], min_leaf = pair.min_leaf;
    const double *__restrict n_corner = pair.corner, *__restrict w_corner = pair.corner + cuts;
    const double *__restrict n_second = pair.second, *__restrict w_second = pair.second + n;
    double *__restrict low_free = pair.free[0], *__restrict high_free = pair.free[1], *__restrict below_free = pair.free[2],
           *__restrict above_free = pair.free[3];
    double *__restrict low_best = pair.best[0], *__restrict high_best = pair.best[1], *__restrict below_best = pair.best[2],
           *__restrict above_best = pair.best[3];
    for (size_t v = 0; v < cuts; ++v) {
        const double n1 = n_corner[v], n2 = n_low - n1, n3 = n_second[v] - n1, n4 = n_all - n_low - n3;
        const double w1 = w_corner[v], w2 = w_low - w1, w3 = w_second[v] - w1, w4 = w_all - w_low - w3;
        const double b1 = a1[v] / (n1 > 0.5 ? w1 : 1.0), b2 = a2[v] / (n2 > 0.5 ? w2 : 1.0);
        const double b3 = a3[v] / (n3 > 0.5 ? w3 : 1.0), b4 = a4[v] / (n4 > 0.5 ? w4 : 1.0);
        raise(low_free[v], b1 + b2, 1.0, 0.0);
        raise(high_free[v], b3 + b4, 1.0, 0.0);
        raise(below_free[v], b1 + b3, 1.0, 0.0);
        raise(above_free[v], b2 + b4, 1.0, 0.0);
        raise(low_best[v], b1 + b2, n1 < n2 ? n1 : n2, min_leaf);
        raise(high_best[v], b3 + b4, n3 < n4 ? n3 : n4, min_leaf);
        raise(below_best[v], b1 + b3, n1 < n3 ? n1 : n3, min_leaf);
        raise(above_best[v], b2 + b4, n2 < n4 ? n2 : n4, min_leaf);
    }
}

namespace {

template <class Code>
void check_codes(Matrix<const Code> codes, std::span<const int32_t> n_codes) {
    for (size_t i = 0; i < codes.n_rows; ++i) {
        for (size_t k = 0; k < codes.n_columns; ++k) require(codes[i][k] < n_codes[k], "codes within their column's");
    }
}

struct Found {
    std::vector<int32_t> splits;  // (8, 7, 2): column and cut of each position, for 1 to 8 leaves
    std::vector<double> gain;     // (8) before refinement
    bool is_proved;
};

Found search_coarse(const CoarseTable& coarse, size_t depth, int64_t min_leaf, int64_t max_solved, const Interrupt& interrupt,
                               std::array<SmallTree, 9>& trees) {
    OptimalTrees search(coarse, depth, min_leaf);
    Found found;
    found.is_proved = search.search(max_solved, interrupt);
    for (size_t leaves = 1; leaves <= 8; ++leaves) {
        trees[leaves] = search.tree(leaves);
        found.gain.push_back(trees[leaves].gain);
    }
    return found;
}

std::vector<double> gains_by_column(const CoarseTable& table, int64_t min_leaf) {
    DepthTwo solver(table, min_leaf);
    std::vector<uint32_t> rows(table.weight.size());
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = uint32_t(i);
    solver.solve(rows);
    std::vector<double> gain(table.n_codes.size());
    solver.gain_by_column(gain);
    return gain;
}

}  // namespace

void bind_optimal_tree(nb::module_& module) {
    module.def(
        "pair_gains",
        [](Array2<const uint8_t> coarse, Vector1<const int32_t> n_coarse, Array2<const double> values, Vector1<const double> weight,
           int64_t min_leaf) {
            const size_t n = weight.shape(0), d = n_coarse.shape(0);
            require(coarse.shape(0) == n && coarse.shape(1) == d && values.shape(0) == n && n > 0 && d > 0, "a code for each row and column");
            check_codes(view(coarse), view(n_coarse));
            std::vector<double> gains;
            {
                nb::gil_scoped_release release;
                gains = gains_by_column({view(coarse), view(n_coarse), view(values), view(weight)}, min_leaf);
            }
            return array_of(std::move(gains));
        },
        "coarse"_a, "n_coarse"_a, "values"_a, "weight"_a, "min_leaf"_a,
        "For each column the gain of the best tree of at most four leaves whose first split is along it.");
    module.def(
        "optimal_trees",
        [](Array2<const uint8_t> coarse, Vector1<const int32_t> n_coarse, Array2<const uint16_t> fine, Vector1<const int32_t> n_fine,
           Array2<const int32_t> last_fine, Array2<const double> values, Vector1<const double> weight, int64_t depth, int64_t min_leaf,
           int64_t max_solved) {
            const size_t n = weight.shape(0), d = n_coarse.shape(0);
            require(coarse.shape(0) == n && coarse.shape(1) == d && values.shape(0) == n && n > 0 && d > 0, "a code for each row and column");
            require(fine.shape(0) == d && fine.shape(1) == n && n_fine.shape(0) == d && last_fine.shape(0) == d, "a line per column");
            require(depth >= 1 && depth <= 3, "one to three levels");
            const auto n_codes = view(n_coarse), n_fine_codes = view(n_fine);
            check_codes(view(coarse), n_codes);
            for (size_t k = 0; k < d; ++k) {
                require(n_codes[k] >= 1 && n_codes[k] <= int32_t(last_fine.shape(1)) && n_codes[k] <= 256, "codes of one byte");
                for (size_t i = 0; i < n; ++i) require(view(fine)[k][i] < n_fine_codes[k], "codes within their column's");
            }
            Found found;
            const auto is_interrupted = interrupt_check(nb::none());
            {
                nb::gil_scoped_release release;
                Interrupt interrupt;
                auto work = [&](size_t, size_t) {
                    std::array<SmallTree, 9> trees;
                    Found one = search_coarse({view(coarse), n_codes, view(values), view(weight)}, size_t(depth), min_leaf, max_solved,
                                              interrupt, trees);
                    Refiner refiner({view(fine), n_fine_codes, view(values), view(weight)}, min_leaf);
                    for (size_t leaves = 1; leaves <= 8; ++leaves) {
                        SmallTree& tree = trees[leaves];
                        for (size_t q = 0; q < 7; ++q) {
                            if (tree.column[q] >= 0) tree.cut[q] = view(last_fine)[size_t(tree.column[q])][tree.cut[q]];
                        }
                        refiner.refine(tree, interrupt);
                        for (size_t q = 0; q < 7; ++q) {
                            one.splits.push_back(tree.column[q]);
                            one.splits.push_back(tree.cut[q]);
                        }
                    }
                    return one;
                };
                run_in_order(1, 1, interrupt, is_interrupted, work, [&](size_t, Found one) { found = std::move(one); });
            }
            return nb::make_tuple(array_of(std::move(found.splits), {8, 7, 2}), array_of(std::move(found.gain)), found.is_proved);
        },
        "coarse"_a, "n_coarse"_a, "fine"_a, "n_fine"_a, "last_fine"_a, "values"_a, "weight"_a, "depth"_a, "min_leaf"_a, "max_solved"_a,
        "The best tree of 1 to 8 leaves and at most three levels: splits (8, 7, 2), gains among coarse cuts, whether they are proved.");
}

}  // namespace tamis
