#pragma once
// One function a topic, which adds its names to the module.
#include <nanobind/nanobind.h>

namespace tamis {

void bind_table(nanobind::module_& module);
void bind_forest(nanobind::module_& module);
void bind_boosting(nanobind::module_& module);
void bind_route(nanobind::module_& module);
void bind_scores(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_transform(nanobind::module_& module);
void bind_linear(nanobind::module_& module);
void bind_optimal_tree(nanobind::module_& module);
void bind_tree(nanobind::module_& module);
void bind_score_card(nanobind::module_& module);
void bind_additive(nanobind::module_& module);

}  // namespace tamis
