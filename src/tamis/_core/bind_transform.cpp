// Transformations of columns and signals: cut points, baselines; missing cells of rows.
#include <nanobind/stl/pair.h>

#include "bind_matrix.hpp"
#include "project/expectation.hpp"
#include "transform/asymmetric_least_squares.hpp"
#include "transform/entropy_cuts.hpp"
#include "transform/squared_error_cuts.hpp"

namespace tamis {
namespace {

using namespace nb::literals;
using Release = nb::call_guard<nb::gil_scoped_release>;

TAMIS_WIDE AslsResult wide_baselines(Matrix<const double> signals, Matrix<double> corrected, Matrix<const double> bands, double p,
                                     double tol, int64_t max_iter, double far_from_zero) {
    return subtract_baselines(signals, corrected, bands, p, tol, max_iter, far_from_zero);
}

}  // namespace

void bind_transform(nb::module_& module) {
    module.def(
        "entropy_cuts",
        [](Vector1<const double> values, Vector1<const int32_t> codes, size_t n_classes, Vector1<const double> nlogn,
           int64_t max_cuts, size_t sorted_rows) {
            require(values.shape(0) == codes.shape(0) && nlogn.shape(0) > values.shape(0), "a class per value");
            std::vector<double> cuts;
            {
                nb::gil_scoped_release release;
                cuts = entropy_cuts(view(values), view(codes), n_classes, view(nlogn), max_cuts, sorted_rows);
            }
            return array_of(std::move(cuts));
        },
        "values"_a, "codes"_a, "n_classes"_a, "nlogn"_a, "max_cuts"_a, "sorted_rows"_a = Buckets::kSortedRows);
    module.def(
        "squared_error_cuts",
        [](Vector1<const double> x, Vector1<const double> sums, Vector1<const double> squares, int64_t max_cuts) {
            require(sums.shape(0) == x.shape(0) + 1 && squares.shape(0) == sums.shape(0), "running sums from 0");
            std::vector<double> cuts;
            {
                nb::gil_scoped_release release;
                cuts = squared_error_cuts(view(x), view(sums), view(squares), max_cuts);
            }
            return array_of(std::move(cuts));
        },
        "x"_a, "sums"_a, "squares"_a, "max_cuts"_a);
    module.def(
        "subtract_baselines",
        [](Array2<const double> signals, Array2<double> corrected, Array2<const double> bands, double p, double tol,
           int64_t max_iter, double far_from_zero) {
            require(signals.shape(0) == corrected.shape(0) && signals.shape(1) == corrected.shape(1) &&
                        bands.shape(1) == signals.shape(1) && bands.shape(0) == 3,
                    "arrays of one shape");
            const AslsResult result =
                wide_baselines(view(signals), view(corrected), view(bands), p, tol, max_iter, far_from_zero);
            return std::pair(result.n_unsettled, result.n_systems);
        },
        "signals"_a, "corrected"_a.noconvert(), "bands"_a, "p"_a, "tol"_a, "max_iter"_a, "far_from_zero"_a, Release());
    module.def(
        "fill_expectations",
        [](Array2<double> data, Array2<const double> precision, Vector1<const int64_t> rows, Vector1<const int64_t> holes,
           Vector1<const int64_t> starts, Vector1<const double> weights, Array2<double> extra) {
            fill_expectations(view(data), view(precision), view(rows), view(holes), view(starts), view(weights), view(extra));
        },
        "data"_a.noconvert(), "precision"_a, "rows"_a, "holes"_a, "starts"_a, "weights"_a, "extra"_a.noconvert(), Release());
}

}  // namespace tamis
