// Rows of values down grown trees.
#include "bind.hpp"
#include "groups.hpp"

namespace tamis {
namespace {

constexpr size_t FEW_ROWS = 256;       // below which threads do not pay
constexpr size_t ROWS_A_TASK = 16384;  // that go down a tree before the next: enough of them to be worth bringing it into the cache

constexpr size_t BRIEF = 10'000'000;  // rows times trees that take less than a second

/// body(begin, end) for all rows, as many for each thread, without the interpreter's lock; a row's answer does not depend on its block.
template <class Body>
void by_rows(size_t n, size_t n_trees, size_t n_threads, Body body) {
    const size_t threads = std::max<size_t>(4, n_threads), rounds = (n + threads * ROWS_A_TASK - 1) / (threads * ROWS_A_TASK);
    const size_t size = n <= FEW_ROWS ? std::max<size_t>(n, 1) : std::max(FEW_ROWS, (n + threads * rounds - 1) / (threads * rounds));
    const auto is_interrupted = interrupt_check(nb::none());
    nb::gil_scoped_release unlocked;
    run_apart((n + size - 1) / size, n_threads, n * n_trees < BRIEF, is_interrupted,
              [&](size_t task) { body(task * size, std::min((task + 1) * size, n)); });
}

Values values_of(const Array<double, 2>& X) { return {X.data(), X.shape(0), X.shape(1)}; }

/// Sum of the trees' answers for every row, in the order of the trees: (rows, n_outputs).
auto sum_answers(nb::handle trees, Array<double, 2> X, size_t n_classes, size_t n_outputs, size_t n_threads) {
    Owners owners;
    const Forest forest = forest_of(trees, owners);
    std::vector<double> out(X.shape(0) * n_outputs, 0.0);
    by_rows(X.shape(0), forest.n_trees(), n_threads, [&](size_t begin, size_t end) {
        add_answers(values_of(X), begin, end, forest, n_classes, n_outputs, out.data());
    });
    return array_of(std::move(out), {X.shape(0), n_outputs});
}

/// A training answer from the leaf of each row in each tree: (rows, trees).
auto drawn_answers(nb::handle trees, Array<double, 2> X, size_t n_threads) {
    Owners owners;
    const Forest forest = forest_of(trees, owners);
    std::vector<float> out(X.shape(0) * forest.n_trees());
    by_rows(X.shape(0), forest.n_trees(), n_threads,
            [&](size_t begin, size_t end) { draw_answers(values_of(X), begin, end, forest, out.data()); });
    return array_of(std::move(out), {X.shape(0), forest.n_trees()});
}

/// The leaf of each row in each tree, counted from the tree's root: (trees, rows).
auto leaves(nb::handle trees, Array<double, 2> X, size_t n_threads) {
    Owners owners;
    const Forest forest = forest_of(trees, owners);
    const size_t n = X.shape(0);
    std::vector<int64_t> out(n * forest.n_trees());
    by_rows(n, forest.n_trees(), n_threads, [&](size_t begin, size_t end) {
        for (size_t t = 0; t < forest.n_trees(); ++t) {
            int64_t* own = out.data() + t * n;
            find_leaves(values_of(X), begin, end, forest, t, own + begin);
            for (size_t i = begin; i < end; ++i) own[i] -= forest.roots[t];
        }
    });
    return array_of(std::move(out), {forest.n_trees(), n});
}

}  // namespace

void bind_route(nb::module_& module) {
    module.def("sum_answers", &sum_answers, nb::arg("trees"), nb::arg("X"), nb::arg("n_classes"), nb::arg("n_outputs"),
               nb::arg("n_threads"));
    module.def("drawn_answers", &drawn_answers, nb::arg("trees"), nb::arg("X"), nb::arg("n_threads"));
    module.def("leaves", &leaves, nb::arg("trees"), nb::arg("X"), nb::arg("n_threads"));
}

}  // namespace tamis
