// Growing forests: whole ones, or trees by themselves.
#include "bind.hpp"
#include "groups.hpp"

namespace tamis {
namespace {

ForestProblem problem_of(nb::handle table, nb::handle target, nb::handle limits, nb::handle draws, bool judges, nb::handle loss,
                         bool judges_copies, Owners& owners) {
    ForestProblem problem{};
    problem.table = binned_table_of(table, owners);
    problem.target = target_of(target, owners);
    check_size(problem.target.weight.size(), problem.table.n_rows, "weight");
    problem.limits = limits_of(limits, problem.table.n_columns(), owners);
    problem.draws = draws_of(draws, problem.table.n_rows, owners);
    problem.judges = judges || judges_copies;
    if (judges_copies) problem.population = problem.draws.population;
    // the place in CLASS_CRITERIA or CRITERIA of forest/settings.py
    const int place = nb::cast<int>(limits.attr("criterion"));
    problem.criterion = CriterionKind(place + (problem.target.n_classes ? 0 : int(CriterionKind::SQUARED_ERROR)));
    const bool has_codes = !problem.target.codes.empty();  // of two classes in order there are none
    if (has_codes || problem.criterion == CriterionKind::ORDERED) problem.criterion = has_codes ? CriterionKind::ORDERED : CriterionKind::GINI;
    if (!loss.is_none()) {
        Array<double, 2> costs = nb::cast<Array<double, 2>>(loss);
        problem.loss = {costs.data(), costs.size()};
        owners.push_back(nb::cast(costs));
        check_size(costs.size(), problem.target.n_classes * problem.target.n_classes, "loss");
    }
    return problem;
}

/// nodes (as words), table, sets, sum_column, sum_factor, ends
nb::tuple trees_tuple(GrownTrees grown) {
    const size_t width = grown.trees.width, n_leaves = grown.trees.n_leaves();
    const size_t n_sums = grown.sum_column.size() / grown.sum_width, n_ends = grown.ends.size() / 4;
    return nb::make_tuple(nodes_array(grown.trees.nodes), array_of(std::move(grown.trees.table), {n_leaves, width}),
                          array_of(std::move(grown.trees.sets)), array_of(std::move(grown.sum_column), {n_sums, grown.sum_width}),
                          array_of(std::move(grown.sum_factor), {n_sums, grown.sum_width}),
                          array_of(std::move(grown.ends), {n_ends, 4}));
}

template <class T, size_t D = 1>
std::vector<T> vector_of(nb::handle batch, const char* name) {
    Owners owners;
    const std::span values = span_of<T, D>(batch, name, owners);
    return {values.begin(), values.end()};
}

/// Trees that were grown by themselves: a tamis.forest.grow.build.TreeBatch.
GrownTrees grown_of(nb::handle batch) {
    GrownTrees grown;
    const nb::object words = batch.attr("nodes").attr("view")("i8");
    const Array<int64_t, 1> nodes = nb::cast<Array<int64_t, 1>>(words);
    grown.trees.nodes.resize(nodes.size() / 2);
    if (nodes.size()) std::memcpy(grown.trees.nodes.data(), nodes.data(), nodes.size() * sizeof(int64_t));
    grown.trees.table = vector_of<double, 2>(batch, "table");
    grown.trees.width = nb::cast<size_t>(batch.attr("table").attr("shape")[nb::int_(1)]);
    grown.trees.sets = vector_of<uint64_t>(batch, "sets");
    grown.sum_column = vector_of<int64_t, 2>(batch, "sum_column");
    grown.sum_factor = vector_of<double, 2>(batch, "sum_factor");
    grown.sum_width = nb::cast<size_t>(batch.attr("sum_column").attr("shape")[nb::int_(1)]);
    grown.ends = vector_of<int64_t, 2>(batch, "ends");
    grown.rows = vector_of<uint32_t>(batch, "rows");
    grown.leaf = vector_of<int32_t>(batch, "leaf");
    grown.row_ends = vector_of<int64_t>(batch, "row_ends");
    grown.copies = vector_of<uint32_t>(batch, "copies");
    grown.copy_leaf = vector_of<int32_t>(batch, "copy_leaf");
    grown.copy_ends = vector_of<int64_t>(batch, "copy_ends");
    grown.gain = vector_of<double, 2>(batch, "gain");
    check_size(grown.ends.size(), 4 * (grown.n_trees() + 1), "ends");
    check_size(grown.leaf.size(), grown.rows.size(), "leaf");
    return grown;
}

/// A GrowingForest and the arrays that it reads.
class BoundForest {
public:
    BoundForest(nb::handle costs, size_t n_columns, bool judges, size_t n_interval_rows, nb::handle copy_costs)
        : forest_(costs_of(costs, owners_), n_columns, judges, n_interval_rows,
                  copy_costs.is_none() ? std::nullopt : std::optional(costs_of(copy_costs, owners_))) {}

    void grow(nb::handle table, nb::handle target, nb::handle limits, nb::handle draws, Array<int64_t, 2> seeds, bool judges,
              nb::handle loss, size_t n_threads, nb::handle progress) {
        Owners owners;
        const ForestProblem problem = problem_of(table, target, limits, draws, judges, loss, forest_.copies.has_value(), owners);
        check_size(problem.table.n_columns(), forest_.gain.size(), "n_values");
        const auto is_interrupted = interrupt_check(progress);
        nb::gil_scoped_release unlocked;
        forest_.grow(problem, {seeds.data(), seeds.size()}, n_threads, is_interrupted);
    }

    void add(nb::handle batch) { forest_.add(grown_of(batch)); }

    nb::tuple join(Array<int64_t, 1> columns, size_t n_classes, bool has_table) {
        return trees_tuple(forest_.join({columns.data(), columns.size()}, n_classes, has_table));
    }

    size_t n_trees() const { return forest_.n_trees; }
    double share() const { return forest_.share; }
    auto gain() const { return array_of(forest_.gain); }

    /// votes, trees that left each row out, curve: of rows, or of the copies that rows count for.
    nb::tuple out_of_bag(bool of_copies) const {
        const OutOfBag& judge = of_copies ? forest_.copies.value() : forest_.judge;
        const size_t n = judge.n_trees.size();
        return nb::make_tuple(array_of(judge.votes, {n, n ? judge.votes.size() / n : 1}), array_of(judge.n_trees), array_of(judge.curve));
    }

    /// below, upto, drawn, least, most, truth: see DrawnAnswers.
    nb::tuple drawn_answers() const {
        const DrawnAnswers& drawn = forest_.drawn_answers.value();
        return nb::make_tuple(array_of(drawn.below), array_of(drawn.upto), array_of(drawn.drawn), array_of(drawn.least),
                              array_of(drawn.most), array_of(drawn.truth));
    }

private:
    Owners owners_;
    GrowingForest forest_;
};

/// One tree for a pair of seeds, by itself: the fields of a tamis.forest.grow.build.TreeBatch.
nb::tuple grow_tree(nb::handle table, nb::handle target, nb::handle limits, nb::handle draws, int64_t row_seed, int64_t tree_seed,
                    bool judges, nb::handle loss, bool judges_copies) {
    Owners owners;
    const ForestProblem problem = problem_of(table, target, limits, draws, judges, loss, judges_copies, owners);
    GrownTrees grown;
    {
        nb::gil_scoped_release unlocked;
        grown = tree_maker(problem)->make(uint64_t(row_seed), uint64_t(tree_seed), Interrupt{});
    }
    auto rest = nb::make_tuple(array_of(std::move(grown.rows)), array_of(std::move(grown.leaf)), array_of(std::move(grown.row_ends)),
                               array_of(std::move(grown.copies)), array_of(std::move(grown.copy_leaf)),
                               array_of(std::move(grown.copy_ends)), array_of(std::move(grown.gain), {1, problem.table.n_columns()}));
    return nb::cast<nb::tuple>(trees_tuple(std::move(grown)) + rest);
}

/// How often each row of a table is drawn.
auto draw_rows(nb::handle draws, size_t n_rows, int64_t seed) {
    Owners owners;
    std::vector<int32_t> counts(n_rows);
    draws_of(draws, n_rows, owners).draw(uint64_t(seed), counts);
    return array_of(std::move(counts));
}

/// Sums over trees of the mean rise of cost on rows left out: total, square, by_class, with_class, rows left out.
nb::tuple permutation_rises(nb::handle trees, nb::handle table, Array<double, 2> matrix, Array<int64_t, 1> unit_of,
                            Array<int64_t, 1> place, nb::handle target_costs, nb::handle draws, Array<int64_t, 2> seeds, size_t n_units,
                            size_t repeats, size_t n_threads) {
    constexpr size_t TREES_A_TASK = 8;  // their sums are added in the same order for any number of threads
    Owners owners;
    const Forest forest = forest_of(trees, owners);
    const BinnedTable binned = binned_table_of(table, owners);
    const TargetCosts costs = costs_of(target_costs, owners);
    Draws all_draws = draws_of(draws, binned.n_rows, owners);
    all_draws.step = 1;
    const PermutedTable data{binned, {matrix.data(), matrix.size()}, {unit_of.data(), unit_of.size()}, {place.data(), place.size()}};
    check_size(unit_of.size(), binned.n_columns(), "unit_of");
    check_size(place.size(), binned.n_columns(), "place");
    check_size(seeds.size(), 2 * forest.n_trees(), "seeds");
    ImportanceSums sums(n_units, costs.n_classes);
    const auto is_interrupted = interrupt_check(nb::none());
    {
        nb::gil_scoped_release unlocked;
        Interrupt interrupt;
        auto measure = [&](size_t, size_t task) {
            auto some = std::make_unique<ImportanceSums>(n_units, costs.n_classes);
            std::vector<int32_t> counts(binned.n_rows);
            for (size_t t = TREES_A_TASK * task; t < std::min(TREES_A_TASK * (task + 1), forest.n_trees()); ++t) {
                if (interrupt.requested()) break;
                all_draws.draw(uint64_t(seeds(t, 0)), counts);
                const std::vector<uint32_t> rows = all_draws.left_out(0, counts);
                some->n_left_out += int64_t(rows.size());
                PermutedTree(data, forest, t, costs, n_units).add_rises(rows, repeats, uint64_t(seeds(t, 1)), *some);
            }
            return some;
        };
        const size_t n_tasks = (forest.n_trees() + TREES_A_TASK - 1) / TREES_A_TASK;
        run_in_order(n_tasks, n_threads, interrupt, is_interrupted, measure,
                     [&](size_t, std::unique_ptr<ImportanceSums> some) { sums.add(*some); });
    }
    return nb::make_tuple(array_of(std::move(sums.total)), array_of(std::move(sums.square)),
                          array_of(std::move(sums.by_class), {n_units, costs.n_classes}), array_of(std::move(sums.with_class)),
                          sums.n_left_out);
}

}  // namespace

void bind_forest(nb::module_& module) {
    nb::class_<BoundForest>(module, "GrowingForest", "A forest while it grows: its trees so far, and the sums that are kept of them.")
        .def(nb::init<nb::handle, size_t, bool, size_t, nb::handle>(), nb::arg("costs"), nb::arg("n_columns"), nb::arg("judges"),
             nb::arg("n_interval_rows"), nb::arg("copy_costs").none())
        .def("grow", &BoundForest::grow, nb::arg("table"), nb::arg("target"), nb::arg("limits"), nb::arg("draws"), nb::arg("seeds"),
             nb::arg("judges"), nb::arg("loss").none(), nb::arg("n_threads"), nb::arg("progress").none())
        .def("add", &BoundForest::add, nb::arg("batch"))
        .def("join", &BoundForest::join, nb::arg("columns"), nb::arg("n_classes"), nb::arg("has_table"))
        .def("out_of_bag", &BoundForest::out_of_bag, nb::arg("of_copies") = false)
        .def("drawn_answers", &BoundForest::drawn_answers)
        .def_prop_ro("n_trees", &BoundForest::n_trees)
        .def_prop_ro("share", &BoundForest::share)
        .def_prop_ro("gain", &BoundForest::gain, nb::rv_policy::automatic);
    module.def("grow_tree", &grow_tree, nb::arg("table"), nb::arg("target"), nb::arg("limits"), nb::arg("draws"), nb::arg("row_seed"),
               nb::arg("tree_seed"), nb::arg("judges"), nb::arg("loss").none(), nb::arg("judges_copies"));
    module.def("draw_rows", &draw_rows, nb::arg("draws"), nb::arg("n_rows"), nb::arg("seed"));
    module.def("permutation_rises", &permutation_rises, nb::arg("trees"), nb::arg("table"), nb::arg("matrix"), nb::arg("unit_of"),
               nb::arg("place"), nb::arg("target_costs"), nb::arg("draws"), nb::arg("seeds"), nb::arg("n_units"), nb::arg("repeats"),
               nb::arg("n_threads"));
}

}  // namespace tamis
