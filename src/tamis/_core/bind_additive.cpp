// Additive models: a whole fit in one call.
#include <nanobind/stl/vector.h>

#include "additive/fit.hpp"
#include "bind_matrix.hpp"

namespace tamis {
namespace {

using namespace nb::literals;

template <class T>
std::vector<int64_t> whole(const std::vector<T>& values) {
    return {values.begin(), values.end()};
}

nb::tuple tuple_of(const additive::PairMap& map, size_t n_sums) {
    return nb::make_tuple(map.first, map.second, map.p_value, array_of(whole(map.first_bins)), array_of(whole(map.second_bins)),
                          array_of(map.heights, {map.n_first, map.n_second, n_sums}), array_of(map.weight, {map.n_first, map.n_second}));
}

/// See tamis.additive.layout for the groups of arrays, and the stub for what is returned.
nb::list fit_additive(nb::handle columns, nb::handle target, Array2<const double> held_out, nb::handle limits, const std::vector<size_t>& sizes,
                      size_t n_threads) {
    using namespace additive;
    Owners owners;
    nb::object codes = columns.attr("codes");
    Array<uint8_t, 2> matrix;
    if (!nb::try_cast(codes, matrix, false)) throw nb::type_error("codes is no C-ordered matrix of bytes");
    const Columns table{{matrix.data(), matrix.shape(0), matrix.shape(1)},
                        span_of<int32_t>(columns, "n_values", owners),
                        span_of<bool>(columns, "category", owners),
                        span_of<int8_t>(columns, "monotone", owners)};
    const Rows rows{{Loss(nb::cast<int>(target.attr("loss"))), nb::cast<size_t>(target.attr("n_sums")),
                     span_of<double>(target, "values", owners), span_of<double>(target, "weight", owners)},
                    span_of<double>(target, "counted", owners),
                    view(held_out)};
    const size_t n = matrix.shape(1), d = matrix.shape(0);
    require(table.n_values.size() == d && table.category.size() == d && table.monotone.size() == d, "a number per column");
    require(rows.target.values.size() == n && rows.target.weight.size() == n && rows.counted.size() == n && held_out.shape(1) == n,
            "a number per row");
    for (size_t j = 0; j < d; ++j) {
        for (size_t i = 0; i < n; ++i) require(matrix.data()[j * n + i] <= table.n_values[j], "codes of at most n_values");
    }
    auto number = [&](const char* name) { return nb::cast<double>(limits.attr(name)); };
    const FitSettings settings{{{number("rate"), number("max_step"), number("min_leaf")}, int64_t(number("max_cycles")), size_t(number("max_terms"))},
                               size_t(number("max_pairs")),
                               size_t(number("map_bins")),
                               nb::cast<uint64_t>(limits.attr("seed")),
                               sizes.size() > 1};
    const auto is_interrupted = interrupt_check(nb::none());
    std::vector<AdditiveFit> path;
    {
        nb::gil_scoped_release unlocked;
        path = Fitter(table, rows, settings, n_threads, is_interrupted).fit_path(sizes);
    }
    const size_t n_sums = rows.target.n_sums;
    nb::list models;
    for (const AdditiveFit& fit : path) {
        nb::list maps;
        for (const PairMap& map : fit.maps) maps.append(tuple_of(map, n_sums));
        const size_t n_bins = fit.first.back();
        models.append(nb::make_tuple(array_of(fit.start), array_of(fit.heights, {n_bins, n_sums}), array_of(fit.spread, {n_bins, n_sums}),
                                     array_of(whole(fit.is_used)), maps, array_of(fit.sums, {n_sums, n}), fit.n_cycles));
    }
    return models;
}

}  // namespace

void bind_additive(nb::module_& module) {
    module.def("fit_additive", &fit_additive, "columns"_a, "target"_a, "held_out"_a, "limits"_a, "sizes"_a, "n_threads"_a);
}

}  // namespace tamis
