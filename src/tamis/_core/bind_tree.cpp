// Trees with surrogates: growing, sending rows down, pruning, and what model trees need.
#include <optional>

#include <nanobind/stl/optional.h>

#include "bind.hpp"
#include "bind_matrix.hpp"
#include "groups.hpp"
#include "tree/cross_validate.hpp"
#include "tree/linear_split.hpp"

namespace tamis {
namespace {

using namespace cart;

constexpr size_t BRIEF_CELLS = size_t(1) << 18;  // rows times columns that a tree grows on without a further thread

// ---- what Python hands in

template <class T, size_t D>
std::span<const T> hold(nb::handle value, const char* name, Owners& owners) {
    Array<T, D> array;
    if (!nb::try_cast(nb::borrow(value), array, false)) throw nb::type_error((std::string(name) + " is no array that the core takes").c_str());
    owners.push_back(nb::borrow(value));
    owners.push_back(nb::cast(array));
    return {array.data(), array.size()};
}

cart::Limits tree_limits_of(nb::handle group, size_t n_columns, Owners& owners) {
    auto whole = [&](const char* name) { return nb::cast<int64_t>(group.attr(name)); };
    return {whole("max_depth"), whole("min_split"), whole("min_leaf"), nb::cast<double>(group.attr("min_share")),
            nb::cast<double>(group.attr("min_decrease")), whole("max_leaves"), Missing(whole("missing")), size_t(whole("n_surrogates")),
            directions_of(group, n_columns, owners)};
}

/// A tamis.tree.grow.layout.TreeTarget.
cart::Target tree_target_of(nb::handle group, size_t n_rows, Owners& owners) {
    cart::Target target{Kind(nb::cast<int>(group.attr("criterion"))), nb::cast<size_t>(group.attr("n_stats")),
                        span_of<int32_t>(group, "classes", owners), span_of<double, 2>(group, "values", owners),
                        span_of<double>(group, "weight", owners), span_of<double>(group, "case", owners)};
    check_size(target.weight.size(), n_rows, "weight");
    check_size(target.cases.size(), n_rows, "case");
    if (is_class(target.kind)) check_size(target.classes.size(), n_rows, "classes");
    else check_size(target.values.size(), n_rows * target.n_targets(), "values");
    for (const int32_t c : target.classes) require(c >= 0 && size_t(c) < target.n_stats, "classes are outside 0 … n_stats - 1");
    return target;
}

/// A tamis.tree.grow.training_set.ClassProblem or NumberProblem.
Problem problem_of(nb::handle group, Owners& owners) {
    Problem problem{};
    problem.kind = Kind(nb::cast<int>(group.attr("criterion")));
    problem.classes = span_of<int32_t>(group, "classes", owners);
    problem.values = span_of<double, 2>(group, "values", owners);
    problem.weight = span_of<double>(group, "weight", owners);
    const size_t n = problem.weight.size();
    if (!problem.is_class()) {
        problem.n_targets = nb::cast<size_t>(group.attr("values").attr("shape")[nb::int_(1)]);
        check_size(problem.values.size(), n * problem.n_targets, "values");
        return problem;
    }
    check_size(problem.classes.size(), n, "classes");
    problem.costs.loss = span_of<double, 2>(group, "loss", owners);
    problem.costs.n_classes = nb::cast<size_t>(group.attr("loss").attr("shape")[nb::int_(1)]);
    if (!group.attr("priors").is_none()) problem.costs.priors = span_of<double>(group, "priors", owners);
    const std::string by = nb::cast<const char*>(group.attr("prune_by"));
    problem.costs.prune_by = by == "error" ? PruneBy::ERROR : by == "brier" ? PruneBy::BRIER : PruneBy::LOG_LOSS;
    for (const int32_t c : problem.classes) require(c >= 0 && size_t(c) < problem.costs.n_classes, "classes are outside the loss matrix");
    return problem;
}

/// A tamis.tree.tree.Tree.
TreeSplits splits_of(nb::handle tree, Owners& owners) {
    const TreeSplits splits{span_of<int32_t>(tree, "feature", owners), span_of<double>(tree, "threshold", owners),
                            span_of<int32_t>(tree, "left", owners), span_of<uint8_t>(tree, "default", owners),
                            span_of<double>(tree, "coefficient", owners),
                            {span_of<int64_t>(tree, "first_level", owners), span_of<int32_t>(tree, "n_levels", owners),
                             span_of<int64_t, 2>(tree, "level", owners), span_of<int64_t>(tree, "first_surrogate", owners),
                             span_of<int32_t>(tree, "n_surrogates", owners), span_of<int64_t, 2>(tree, "surrogate", owners),
                             span_of<double>(tree, "surrogate_threshold", owners)}};
    const SurrogateSplits& surrogates = splits.surrogates;
    for (const size_t size : {splits.threshold.size(), splits.left.size(), splits.side.size(), surrogates.first_level.size(),
                              surrogates.n_levels.size(), surrogates.first.size(), surrogates.n.size()}) {
        check_size(size, splits.feature.size(), "an array of nodes");
    }
    return splits;
}

Values matrix_of(const Array<double, 2>& X) { return {X.data(), X.shape(0), X.shape(1)}; }

void check_rows(std::span<const int64_t> rows, size_t n_rows) {
    for (const int64_t row : rows) require(row >= 0 && size_t(row) < n_rows, "rows are outside the table");
}

// ---- what Python gets

/// The fields of a tamis.tree.tree.Tree, and the leaf of each row.
nb::tuple tree_tuple(TreeArrays tree) {
    const size_t n_levels = tree.coefficient.size(), n_surrogates = tree.surrogate_threshold.size(), n_nodes = tree.n_nodes();
    nb::dict out;
    out["feature"] = array_of(std::move(tree.feature));
    out["threshold"] = array_of(std::move(tree.threshold));
    out["left"] = array_of(std::move(tree.left));
    out["parent"] = array_of(std::move(tree.parent));
    out["depth"] = array_of(std::move(tree.depth));
    out["default"] = array_of(std::move(tree.side));
    out["first_level"] = array_of(std::move(tree.first_level));
    out["n_levels"] = array_of(std::move(tree.n_levels));
    out["level"] = array_of(std::move(tree.level), {n_levels, 2});
    out["coefficient"] = array_of(std::move(tree.coefficient));
    out["first_surrogate"] = array_of(std::move(tree.first_surrogate));
    out["n_surrogates"] = array_of(std::move(tree.n_surrogates));
    out["surrogate"] = array_of(std::move(tree.surrogate), {n_surrogates, 4});
    out["surrogate_threshold"] = array_of(std::move(tree.surrogate_threshold));
    out["agreement"] = array_of(std::move(tree.agreement), {n_surrogates, 2});
    out["n_rows"] = array_of(std::move(tree.n_rows));
    out["weight"] = array_of(std::move(tree.weight));
    out["impurity"] = array_of(std::move(tree.impurity));
    out["improvement"] = array_of(std::move(tree.improvement));
    out["risk"] = array_of(std::move(tree.risk));
    out["value"] = array_of(std::move(tree.value), {n_nodes, tree.n_values});
    return nb::make_tuple(out, array_of(std::move(tree.leaf)));
}

/// make(interrupt), which can be interrupted where it takes long; without the interpreter's lock.
template <class Make>
auto run_alone(bool is_brief, Make make) {
    using Result = decltype(make(Interrupt{}));
    const auto is_interrupted = interrupt_check(nb::none());
    nb::gil_scoped_release unlocked;
    if (is_brief) return make(Interrupt{});
    Interrupt interrupt;
    std::vector<Result> made;
    run_in_order(1, 1, interrupt, is_interrupted, [&](size_t, size_t) { return std::make_unique<Result>(make(interrupt)); },
                 [&](size_t, std::unique_ptr<Result> result) { made.push_back(std::move(*result)); });
    return std::move(made.front());
}

/// A TreeTable, the arrays that it reads, and its columns in order.
class BoundTable {
public:
    BoundTable(nb::handle codes, Array<int32_t, 1> n_values, Array<bool, 1> category, Array<int64_t, 1> order, Array<int64_t, 1> first,
               Array<double, 1> low, Array<double, 1> high, size_t n_rows, size_t max_sorted)
        : sorted_(table_) {
        for (const nb::object& array : {nb::cast(n_values), nb::cast(category), nb::cast(order), nb::cast(first), nb::cast(low), nb::cast(high)}) {
            owners_.push_back(array);
        }
        const size_t d = n_values.size();
        table_.n_rows = n_rows;
        table_.n_values = {n_values.data(), d};
        table_.category = {category.data(), category.size()};
        table_.order = {order.data(), order.size()};
        table_.first = {first.data(), first.size()};
        table_.low = {low.data(), low.size()};
        table_.high = {high.data(), high.size()};
        table_.max_sorted = max_sorted;
        check_size(category.size(), d, "category");
        check_size(order.size(), d, "order");
        check_size(first.size(), d + 1, "first");
        check_size(low.size(), size_t(first(d)), "low");
        check_size(high.size(), low.size(), "high");
        require(n_rows <= ROW, "a tree takes tables of at most 2,147,483,647 rows");
        for (const int64_t j : table_.order) require(j >= 0 && size_t(j) < d, "order names a column that the table lacks");
        for (nb::handle line : codes) add_column(line);
        check_size(table_.columns.size(), d, "codes");
    }

    /// A tree for a TreeTarget: the fields of a Tree, and the leaf of each row.
    nb::tuple grow(nb::handle target, nb::handle limits, Array<int64_t, 1> rows) const {
        Owners owners;
        const cart::Target own = tree_target_of(target, table_.n_rows, owners);
        const cart::Limits bounds = tree_limits_of(limits, table_.n_columns(), owners);
        const std::span<const int64_t> given = checked(rows);
        return tree_tuple(run_alone(is_brief(rows.size()), [&](const Interrupt& interrupt) {
            return grow_tree(table_, sorted_, own, bounds, given, interrupt, Surrogates::ALL, true);
        }));
    }

    /// The same for a problem, whose costs of mistakes steer splits and are the tree's risk.
    nb::tuple fit(nb::handle problem, nb::handle limits, Array<int64_t, 1> rows) const {
        Owners owners;
        const Problem own = problem_of(problem, owners);
        check_size(own.weight.size(), table_.n_rows, "weight");
        const cart::Limits bounds = tree_limits_of(limits, table_.n_columns(), owners);
        const std::span<const int64_t> given = checked(rows);
        return tree_tuple(run_alone(is_brief(rows.size()), [&](const Interrupt& interrupt) {
            return fit_tree(table_, sorted_, own, bounds, given, interrupt, Surrogates::ALL, true);
        }));
    }

    const TreeTable& table() const { return table_; }
    const SortedColumns& sorted() const { return sorted_; }

private:
    void add_column(nb::handle line) {
        nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
        if (!nb::try_cast(nb::borrow(line), array, false) || array.dtype().code != uint8_t(nb::dlpack::dtype_code::UInt) || array.itemsize() > 4) {
            throw nb::type_error("codes are arrays of uint8, uint16 or uint32, one a column");
        }
        check_size(array.size(), table_.n_rows, "codes");
        require(table_.columns.size() < table_.n_values.size(), "codes has more columns than n_values");
        table_.add_column({array.data(), array.itemsize()});
        owners_.push_back(nb::cast(array));
    }

    std::span<const int64_t> checked(const Array<int64_t, 1>& rows) const {
        const std::span<const int64_t> given{rows.data(), rows.size()};
        require(!given.empty(), "a tree needs a row");
        check_rows(given, table_.n_rows);
        return given;
    }
    bool is_brief(size_t n_rows) const { return n_rows * table_.n_columns() <= BRIEF_CELLS; }

    Owners owners_;
    TreeTable table_;
    SortedColumns sorted_;
};

// ---- rows down a tree

constexpr size_t ROWS_A_TASK = 16384;

/// The leaf of every row of a matrix: categories as their codes, NaN for missing and unseen.
auto tree_leaves(nb::handle tree, Array<double, 2> X, size_t n_threads) {
    Owners owners;
    const TreeSplits splits = splits_of(tree, owners);
    const size_t n = X.shape(0);
    std::vector<int64_t> leaf(n);
    const auto is_interrupted = interrupt_check(nb::none());
    {
        nb::gil_scoped_release unlocked;
        const RoutedTree routed(splits);
        run_apart((n + ROWS_A_TASK - 1) / ROWS_A_TASK, n_threads, n < 2'000'000, is_interrupted, [&](size_t task) {
            const size_t begin = task * ROWS_A_TASK;
            find_leaves(matrix_of(X), begin, std::min(begin + ROWS_A_TASK, n), routed.forest(), 0, leaf.data() + begin);
        });
    }
    return array_of(std::move(leaf));
}

// ---- pruning

/// collapse, scale, alpha, n_leaves, risk: see PruningSequence.
nb::tuple pruning_sequence(Array<int32_t, 1> left, Array<int32_t, 1> parent, Array<double, 1> risk) {
    check_size(parent.size(), left.size(), "parent");
    check_size(risk.size(), left.size(), "risk");
    PruningSequence sequence({left.data(), left.size()}, {parent.data(), parent.size()}, {risk.data(), risk.size()});
    return nb::make_tuple(array_of(std::move(sequence.collapse)), sequence.scale, array_of(std::move(sequence.alpha)),
                          array_of(std::move(sequence.n_leaves)), array_of(std::move(sequence.risk)));
}

/// Of each node, the node that answers under one pruning for rows that come as far.
auto leaves_of_pruning(size_t pruning, Array<int32_t, 1> parent, Array<int32_t, 1> until) {
    check_size(until.size(), parent.size(), "until");
    return array_of(leaves_at(pruning, {parent.data(), parent.size()}, {until.data(), until.size()}));
}

/// Every subtree of a sequence on rows left out, all folds in one call.
///
/// trees: those of the folds; where there are none, each fold grows its own on `table`. X: values of all rows; without, those of the table's codes. Returns of every fold the sums of its rows' errors
/// and of their squares (folds, prunings); the sums of squares of the differences to the pruning of least error (prunings, for probability
/// scores); and of each fold node, parent, until and answer: see tamis.tree.prune.held_out.HeldOut.
nb::tuple judge_prunings(const BoundTable& table, nb::handle problem, nb::handle limits, std::optional<Array<double, 2>> X, nb::list folds,
                         nb::handle trees, Array<double, 1> alpha, double scale, double full_weight, size_t n_threads) {
    Owners owners;
    const Problem own = problem_of(problem, owners);
    const cart::Limits bounds = tree_limits_of(limits, table.table().n_columns(), owners);
    const Values matrix = X ? matrix_of(*X) : Values{};
    check_size(own.weight.size(), table.table().n_rows, "weight");
    if (X) check_size(X->shape(0), own.weight.size(), "X");
    const size_t n_folds = nb::len(folds);
    std::vector<Fold> pairs;
    std::vector<std::pair<TreeSplits, FoldNodes>> given;
    for (size_t f = 0; f < n_folds; ++f) {
        pairs.push_back({hold<int64_t, 1>(folds[f][nb::int_(0)], "train", owners), hold<int64_t, 1>(folds[f][nb::int_(1)], "test", owners)});
        check_rows(pairs[f].train, own.weight.size());
        check_rows(pairs[f].test, own.weight.size());
        if (trees.is_none()) continue;
        const nb::object tree = trees[nb::int_(f)];
        const FoldNodes nodes{span_of<int32_t>(tree, "parent", owners), span_of<double, 2>(tree, "value", owners),
                              span_of<double>(tree, "risk", owners), nb::cast<size_t>(tree.attr("value").attr("shape")[nb::int_(1)])};
        given.emplace_back(splits_of(tree, owners), nodes);
    }
    std::vector<FoldErrors> found(n_folds);
    std::vector<double> squares, first, second;
    const auto is_interrupted = interrupt_check(nb::none());
    {
        nb::gil_scoped_release unlocked;
        const FoldJudge judge(table.table(), own, matrix, {alpha.data(), alpha.size()}, scale, full_weight);
        Interrupt interrupt;
        auto work = [&](size_t, size_t f) {
            if (!given.empty()) return std::make_unique<FoldErrors>(judge.judge(given[f].first, given[f].second, pairs[f]));
            const TreeArrays tree = fit_tree(table.table(), table.sorted(), own, bounds, pairs[f].train, interrupt, Surrogates::NEEDED, false);
            if (interrupt.requested()) return std::make_unique<FoldErrors>();
            return std::make_unique<FoldErrors>(judge.judge(tree.splits(), {tree.parent, tree.value, tree.risk, tree.n_values}, pairs[f]));
        };
        run_in_order(n_folds, n_threads, interrupt, is_interrupted, work,
                     [&](size_t f, std::unique_ptr<FoldErrors> fold) { found[f] = std::move(*fold); });
        std::vector<double> total(judge.n_prunings(), 0.0);
        for (const FoldErrors& fold : found) {
            for (size_t k = 0; k < total.size(); ++k) total[k] += fold.errors.first[k];
            first.insert(first.end(), fold.errors.first.begin(), fold.errors.first.end());
            second.insert(second.end(), fold.errors.second.begin(), fold.errors.second.end());
        }
        if (own.is_class() && own.costs.prune_by != PruneBy::ERROR) {
            const size_t best = size_t(std::min_element(total.begin(), total.end()) - total.begin());
            squares.assign(total.size(), 0.0);
            for (size_t f = 0; f < n_folds; ++f) {
                const std::vector<double> part = judge.squares_to(best, found[f], pairs[f].test);
                for (size_t k = 0; k < part.size(); ++k) squares[k] += part[k];
            }
        }
    }
    nb::list parts;
    for (FoldErrors& fold : found) {
        const size_t n_nodes = fold.parent.size();
        parts.append(nb::make_tuple(array_of(std::move(fold.errors.node)), array_of(std::move(fold.parent)), array_of(std::move(fold.until)),
                                    array_of(std::move(fold.answer), {n_nodes, fold.n_values})));
    }
    return nb::make_tuple(array_of(std::move(first), {n_folds, alpha.size()}), array_of(std::move(second), {n_folds, alpha.size()}),
                          array_of(std::move(squares)), parts);
}

/// Factors of each class, for probabilities (priors) and for splits (altered priors), from the weight of each class.
nb::tuple class_factors(Array<double, 1> totals, Array<double, 2> loss, nb::handle priors) {
    Owners owners;
    ClassCosts costs{totals.size(), {loss.data(), loss.size()}, {}, PruneBy::ERROR};
    check_size(loss.size(), totals.size() * totals.size(), "loss");
    if (!priors.is_none()) costs.priors = hold<double, 1>(priors, "priors", owners);
    ClassCosts::Factors factors = costs.factors({totals.data(), totals.size()});
    return nb::make_tuple(array_of(std::move(factors.prior)), array_of(std::move(factors.altered)));
}

/// Of nodes with these weights of classes (nodes, classes), what each costs its training rows.
auto node_risks(nb::handle problem, Array<double, 2> value) {
    Owners owners;
    const Problem own = problem_of(problem, owners);
    check_size(value.shape(1), own.costs.n_classes, "value");
    std::vector<double> risk;
    for (size_t k = 0; k < value.shape(0); ++k) risk.push_back(own.costs.risk(value.data() + k * value.shape(1)));
    return array_of(std::move(risk));
}

/// (classes, nodes): what the answer of each node costs a row of each class that it was not grown on.
auto node_costs(nb::handle problem, Array<double, 2> value) {
    Owners owners;
    const Problem own = problem_of(problem, owners);
    check_size(value.shape(1), own.costs.n_classes, "value");
    return array_of(own.costs.costs({value.data(), value.size()}, own.factors().prior, own.row_weight()), {value.shape(1), value.shape(0)});
}

// ---- model trees

/// The gain of the best split of every column (0: none), and the bins that go left: (columns, 256). codes: (columns, rows of the table).
nb::tuple linear_splits(Array<uint8_t, 2> codes, Array<bool, 1> category, Array<int64_t, 1> rows, Array<double, 2> X,
                        Array<double, 1> residual, Array<double, 1> weight, double min_rows, double min_weight) {
    const size_t d = codes.shape(0), m = rows.size();
    check_size(category.size(), d, "category");
    check_size(X.shape(0), m, "X");
    check_size(residual.size(), m, "residual");
    check_size(weight.size(), m, "weight");
    check_rows({rows.data(), m}, codes.shape(1));
    std::vector<double> gains(d);
    std::vector<uint8_t> goes_left(256 * d, 0);
    {
        nb::gil_scoped_release unlocked;
        const LinearNode node{{rows.data(), m}, {X.data(), X.size()}, {residual.data(), m}, {weight.data(), m}, X.shape(1)};
        LinearSplitter splitter(node, min_rows, min_weight);
        std::vector<uint8_t> left;
        for (size_t j = 0; j < d; ++j) {
            gains[j] = splitter.best(codes.data() + j * codes.shape(1), category(j), left);
            for (const uint8_t bin : left) goes_left[256 * j + bin] = 1;
        }
    }
    return nb::make_tuple(array_of(std::move(gains)), array_of(std::move(goes_left), {d, 256}));
}

}  // namespace

void bind_tree(nb::module_& module) {
    nb::class_<BoundTable>(module, "TreeTable", "A table whose every distinct value has a code, to grow trees on any of its rows.")
        .def(nb::init<nb::handle, Array<int32_t, 1>, Array<bool, 1>, Array<int64_t, 1>, Array<int64_t, 1>, Array<double, 1>, Array<double, 1>, size_t, size_t>(),
             nb::arg("codes"), nb::arg("n_values"), nb::arg("category"), nb::arg("order"), nb::arg("first"), nb::arg("low"), nb::arg("high"),
             nb::arg("n_rows"), nb::arg("max_sorted"))
        .def("grow", &BoundTable::grow, nb::arg("target"), nb::arg("limits"), nb::arg("rows"))
        .def("fit", &BoundTable::fit, nb::arg("problem"), nb::arg("limits"), nb::arg("rows"));
    module.def("tree_leaves", &tree_leaves, nb::arg("tree"), nb::arg("X"), nb::arg("n_threads"));
    module.def("pruning_sequence", &pruning_sequence, nb::arg("left"), nb::arg("parent"), nb::arg("risk"));
    module.def("leaves_of_pruning", &leaves_of_pruning, nb::arg("pruning"), nb::arg("parent"), nb::arg("until"));
    module.def("judge_prunings", &judge_prunings, nb::arg("table"), nb::arg("problem"), nb::arg("limits"), nb::arg("X").none(), nb::arg("folds"),
               nb::arg("trees").none(), nb::arg("alpha"), nb::arg("scale"), nb::arg("full_weight"), nb::arg("n_threads"));
    module.def("class_factors", &class_factors, nb::arg("totals"), nb::arg("loss"), nb::arg("priors").none());
    module.def("node_risks", &node_risks, nb::arg("problem"), nb::arg("value"));
    module.def("node_costs", &node_costs, nb::arg("problem"), nb::arg("value"));
    module.def("linear_splits", &linear_splits, nb::arg("codes"), nb::arg("category"), nb::arg("rows"), nb::arg("X"), nb::arg("residual"),
               nb::arg("weight"), nb::arg("min_rows"), nb::arg("min_weight"));
}

}  // namespace tamis
