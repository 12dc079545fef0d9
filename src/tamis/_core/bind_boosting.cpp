// Gradient boosting: bins of one byte, and a whole run.
#include "bind.hpp"
#include "boosting.hpp"
#include "groups.hpp"
#include "joined_bins.hpp"

namespace tamis {
namespace {

BoostingTarget boosting_target_of(nb::handle group, size_t n_rows, Owners& owners) {
    const auto loss = nb::cast<int>(group.attr("loss"));
    if (loss < 0 || loss > int(Loss::POISSON)) throw std::invalid_argument("loss is none that the core has");
    const BoostingTarget target{Loss(loss), span_of<double>(group, "values", owners), span_of<double>(group, "weight", owners),
                                span_of<double>(group, "counted", owners)};
    check_size(target.values.size(), n_rows, "values");
    check_size(target.weight.size(), n_rows, "weight");
    check_size(target.counted.size(), n_rows, "counted");
    return target;
}

BoostingLimits boosting_limits_of(nb::handle group, size_t n_columns, Owners& owners) {
    auto whole = [&](const char* name) { return nb::cast<size_t>(group.attr(name)); };
    auto number = [&](const char* name) { return nb::cast<double>(group.attr(name)); };
    return {whole("max_leaves"), nb::cast<bool>(group.attr("is_best_first")), nb::cast<int64_t>(group.attr("max_depth")),
            number("min_leaf"), number("l2"), number("rate"), number("max_step"), number("min_gain"), whole("max_features"),
            nb::cast<uint64_t>(group.attr("seed")), whole("dense_rows"), whole("max_histograms"), directions_of(group, n_columns, owners)};
}

/// nodes (as words), roots, sets and gain of all rounds' trees, those of a sum together.
nb::tuple boost(nb::handle table, nb::handle target, nb::handle limits, Array<double, 1> baseline, Array<int64_t, 1> columns,
                size_t n_rounds, size_t n_threads) {
    Owners owners;
    const BinnedTable binned = binned_table_of(table, owners, false);
    if (binned.codes.width != 1) throw nb::type_error("codes are of one byte");
    const BoostingTarget answers = boosting_target_of(target, binned.n_rows, owners);
    const BoostingLimits ends = boosting_limits_of(limits, binned.n_columns(), owners);
    check_size(columns.size(), binned.n_columns(), "columns");
    const bool sorts_rows = nb::cast<bool>(limits.attr("sorts_rows"));
    if (sorts_rows && binned.n_rows > 65536) throw std::invalid_argument("too many rows to be sorted");
    const auto is_interrupted = interrupt_check(nb::none());
    BoostedTrees boosted;
    {
        nb::gil_scoped_release unlocked;
        Interrupt interrupt;
        run_in_order(
            1, 1, interrupt, is_interrupted,
            [&](size_t, size_t) {
                Boosting boosting(binned, answers, ends, sorts_rows, {baseline.data(), baseline.size()});
                return boosting.run(n_rounds, {columns.data(), columns.size()}, n_threads, interrupt);
            },
            [&](size_t, BoostedTrees all) { boosted = std::move(all); });
    }
    return nb::make_tuple(nodes_array(boosted.trees.nodes), array_of(std::move(boosted.roots)), array_of(std::move(boosted.trees.sets)),
                          array_of(std::move(boosted.gain)));
}

/// codes (uint8), n_values, first, low and high of a BinnedTable whose columns of numbers have at most max_bins codes; those of
/// categories are left as zeros.
nb::tuple join_bins(nb::handle table, Array<double, 1> counted, size_t max_bins, size_t n_threads) {
    Owners owners;
    const BinnedTable binned = binned_table_of(table, owners, false);
    if (binned.codes.width != 2) throw nb::type_error("codes are of two bytes");
    if (max_bins < 1 || max_bins > 255) throw std::invalid_argument("max_bins is not between 1 and 255");
    check_size(counted.size(), binned.n_rows, "counted");
    const auto is_interrupted = interrupt_check(nb::none());
    JoinedBins joined;
    {
        nb::gil_scoped_release unlocked;
        joined = joined_bins(binned, {counted.data(), counted.size()}, max_bins, n_threads, is_interrupted);
    }
    return nb::make_tuple(array_of(std::move(joined.codes), {binned.n_columns(), binned.n_rows}), array_of(std::move(joined.n_values)),
                          array_of(std::move(joined.first)), array_of(std::move(joined.low)), array_of(std::move(joined.high)));
}

}  // namespace

void bind_boosting(nb::module_& module) {
    module.def("boost", &boost, nb::arg("table"), nb::arg("target"), nb::arg("limits"), nb::arg("baseline"), nb::arg("columns"),
               nb::arg("n_rounds"), nb::arg("n_threads"));
    module.def("join_bins", &join_bins, nb::arg("table"), nb::arg("counted"), nb::arg("max_bins"), nb::arg("n_threads"));
}

}  // namespace tamis
