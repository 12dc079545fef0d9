// The extension module tamis._core: one bind_<topic>.cpp a topic.
#include "bind.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The compiled core: arrays and numbers only.";
    module.attr("SOURCES") = TAMIS_SOURCES;  // the digest of the files it was compiled from
    tamis::bind_table(module);
    tamis::bind_forest(module);
    tamis::bind_boosting(module);
    tamis::bind_route(module);
    tamis::bind_scores(module);
    tamis::bind_search(module);
    tamis::bind_transform(module);
    tamis::bind_linear(module);
    tamis::bind_optimal_tree(module);
    tamis::bind_tree(module);
    tamis::bind_score_card(module);
    tamis::bind_additive(module);
}
