// Subset search on linear models: one column in, one column out, or sets from scratch, for all folds.
#include "bind_matrix.hpp"
#include "search/sweep.hpp"

namespace tamis {
namespace {

using namespace nb::literals;
using Release = nb::call_guard<nb::gil_scoped_release>;

/// The arrays of a growing base, kept alive.
struct GrowingBaseHolder {
    Array3<double> tests, gamma;
    Array2<double> rest, gradient, test_curvature, test_gradient;
    Vector1<double> error;

    GrowingBase base() const {
        return {view(tests), view(gamma), view(rest), view(gradient), view(test_curvature), view(test_gradient), view(error)};
    }
};

struct ShrinkingBaseHolder {
    Array3<double> M, Q;
    Array2<double> w, g;
    Vector1<double> error;
    Array2<double> diagonal;

    ShrinkingBase base() const { return {view(M), view(Q), view(w), view(g), view(error), view(diagonal)}; }
};

}  // namespace

void bind_search(nb::module_& module) {
    nb::class_<GrowingBaseHolder>(module, "GrowingBase", "All columns after regression on a base that grows by one column.")
        .def(nb::init<Array3<double>, Array3<double>, Array2<double>, Array2<double>, Array2<double>, Array2<double>,
                      Vector1<double>>(),
             "tests"_a.noconvert(), "gamma"_a.noconvert(), "rest"_a.noconvert(), "gradient"_a.noconvert(),
             "test_curvature"_a.noconvert(), "test_gradient"_a.noconvert(), "error"_a.noconvert())
        .def_ro("tests", &GrowingBaseHolder::tests)
        .def_ro("gamma", &GrowingBaseHolder::gamma)
        .def_ro("rest", &GrowingBaseHolder::rest)
        .def_ro("gradient", &GrowingBaseHolder::gradient)
        .def_ro("test_curvature", &GrowingBaseHolder::test_curvature)
        .def_ro("test_gradient", &GrowingBaseHolder::test_gradient)
        .def_ro("error", &GrowingBaseHolder::error);
    module.def(
        "push_column",
        [](size_t p, size_t k, Vector1<const int64_t> chosen, Array2<const double> train, const GrowingBaseHolder& base) {
            require(p < base.rest.shape(1) && k < base.gamma.shape(1) && chosen.shape(0) > k, "room for one more column");
            push_column(p, k, view(chosen), view(train), base.base());
        },
        "column"_a, "size"_a, "chosen"_a, "train"_a, "base"_a, Release());
    module.def(
        "addition_errors",
        [](Vector1<const int64_t> columns, Array2<const double> diagonal, const GrowingBaseHolder& base, Array2<double> errors,
           Vector1<double> health) {
            addition_errors(view(columns), view(diagonal), base.base(), view(errors), view(health));
        },
        "columns"_a, "diagonal"_a, "base"_a, "errors"_a.noconvert(), "health"_a.noconvert(), Release());
    nb::class_<ShrinkingBaseHolder>(module, "ShrinkingBase", "A base of columns that is about to lose one.")
        .def(nb::init<Array3<double>, Array3<double>, Array2<double>, Array2<double>, Vector1<double>, Array2<double>>(),
             "M"_a.noconvert(), "Q"_a.noconvert(), "w"_a.noconvert(), "g"_a.noconvert(), "error"_a.noconvert(),
             "diagonal"_a.noconvert())
        .def_ro("M", &ShrinkingBaseHolder::M)
        .def_ro("diagonal", &ShrinkingBaseHolder::diagonal)
        .def_ro("error", &ShrinkingBaseHolder::error);
    module.def(
        "removal_errors",
        [](size_t k, const ShrinkingBaseHolder& base, Array2<double> errors) { removal_errors(k, base.base(), view(errors)); },
        "size"_a, "base"_a, "errors"_a.noconvert(), Release());
    module.def(
        "pop_column",
        [](size_t i, size_t k, const ShrinkingBaseHolder& base) {
            require(i < k && k <= base.w.shape(1), "a column of the base");
            pop_column(i, k, base.base());
        },
        "index"_a, "size"_a, "base"_a, Release());
    module.def(
        "set_errors",
        [](Array2<const int64_t> sets, Vector1<const int64_t> sizes, Array3<const double> A, Array3<const double> B,
           Vector1<const double> raw, Array2<double> errors, Array2<double> health) {
            require(sets.shape(0) == sizes.shape(0) && errors.shape(0) == sizes.shape(0) && errors.shape(1) == A.shape(0),
                    "an error per set and fold");
            set_errors(view(sets), view(sizes), view(A), view(B), view(raw), view(errors), view(health));
        },
        "sets"_a, "sizes"_a, "A"_a, "B"_a, "raw"_a, "errors"_a.noconvert(), "health"_a.noconvert(), Release());
}

}  // namespace tamis
