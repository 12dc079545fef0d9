// Linear models: best subsets; exponentials and logarithms of arrays.
#include "bind_matrix.hpp"
#include "exponential.hpp"
#include "linear/best_subset.hpp"

namespace tamis {

using namespace nb::literals;

namespace {

using Release = nb::call_guard<nb::gil_scoped_release>;

TAMIS_WIDE void each_exp(std::span<double> x) {
    for (double& value : x) value = exp_below_0(value);
}
TAMIS_WIDE void each_log(std::span<double> x) {
    for (double& value : x) value = log_above_1(value);
}
TAMIS_WIDE void each_log1p(std::span<double> x) {
    for (double& value : x) value = log1p_below_1(value);
}
TAMIS_WIDE void each_times_log(std::span<double> x) {
    for (double& value : x) value = times_log(value);
}

}  // namespace

void bind_linear(nb::module_& module) {
    module.def("exp_below_0", [](Vector1<double> x) { each_exp(view(x)); }, "x"_a.noconvert(), Release());
    module.def("log_above_1", [](Vector1<double> x) { each_log(view(x)); }, "x"_a.noconvert(), Release());
    module.def("log1p_below_1", [](Vector1<double> x) { each_log1p(view(x)); }, "x"_a.noconvert(), Release());
    module.def("times_log", [](Vector1<double> x) { each_times_log(view(x)); }, "x"_a.noconvert(), Release());
    nb::class_<BestSubsets>(module, "BestSubsets", "Branch and bound for the best least-squares subset of every size.")
        .def("__init__",
             [](BestSubsets* self, Array2<const double> inverse, Vector1<const double> beta, double rss,
                Vector1<const int64_t> order, Vector1<const double> stiffness, int64_t low, int64_t high) {
                 const size_t d = beta.shape(0);
                 require(inverse.shape(0) == d && inverse.shape(1) == d && order.shape(0) == d && stiffness.shape(0) == d,
                         "a row per column");
                 require(d > 0 && low >= 0 && high <= int64_t(d), "sizes between 0 and the number of columns");
                 new (self) BestSubsets(view(inverse), view(beta), rss, view(order), view(stiffness), low, high);
             },
             "inverse"_a, "beta"_a, "rss"_a, "order"_a, "stiffness"_a, "low"_a, "high"_a)
        .def("explore", &BestSubsets::explore, "max_nodes"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("columns", [](const BestSubsets& self, int64_t size) { return array_of(self.columns(size)); }, "size"_a)
        .def_prop_ro("rss", [](const BestSubsets& self) { return array_of(std::vector<double>(self.rss())); },
                     nb::rv_policy::move)
        .def_prop_ro("bound", [](const BestSubsets& self) { return array_of(self.bound()); }, nb::rv_policy::move);
}

}  // namespace tamis
