// SPDX-License-Identifier: Apache-2.0
//
// A shared library of the driver, opened at run time: a machine without it is described, not refused.
#pragma once

#include <dlfcn.h>

#include <string>

namespace assay::plugins::cuda {

class Library {
 public:
  explicit Library(const char* soname) : handle_(dlopen(soname, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ != nullptr) return;
    const char* reason = dlerror();
    problem_ = reason != nullptr ? reason : std::string(soname) + " could not be opened";
  }
  Library(const Library&) = delete;  // owns a handle
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }

  [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

  // Calls `name` with these arguments, which must have exactly the types that the library declares. All
  // functions used here return an int; `missing` stands for one that this version of the library lacks.
  template <class... Arguments>
  int call(int missing, const char* name, Arguments... arguments) const {
    void* const address = handle_ != nullptr ? dlsym(handle_, name) : nullptr;
    if (address == nullptr) return missing;
    return reinterpret_cast<int (*)(Arguments...)>(address)(arguments...);
  }

 private:
  void* handle_;
  std::string problem_;
};

}  // namespace assay::plugins::cuda
