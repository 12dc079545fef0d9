// The extension module tamis._core: one bind_<topic>.cpp a topic.
#include <nanobind/nanobind.h>

NB_MODULE(_core, module) {
    module.doc() = "The compiled core: arrays and numbers only.";
}
