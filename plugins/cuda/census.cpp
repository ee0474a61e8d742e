// SPDX-License-Identifier: Apache-2.0
#include "cuda/census.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace assay::plugins::cuda {
namespace {

// "PCI", "NVML and CUDA".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

// What CUDA_VISIBLE_DEVICES asks for; CUDA reads it up to the first entry that names nothing.
class Visible {
 public:
  explicit Visible(const std::string& text) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      std::string one = text.substr(at, end - at);
      at = end + 1;
      one.erase(0, one.find_first_not_of(" \t"));
      one.erase(one.find_last_not_of(" \t") + 1);
      if (one.empty() || one.front() == '-') break;
      if (one.rfind("GPU-", 0) == 0 || one.rfind("MIG-", 0) == 0) {
        names_.insert(one);
      } else {
        numbers_.insert(one);
      }
    }
  }

  // Whether all that it asks for is there. A list of numbers says how many, not which: their order is CUDA's.
  [[nodiscard]] bool is_satisfied(std::size_t shown) const { return numbers_.size() <= shown; }
  [[nodiscard]] std::size_t numbers() const { return numbers_.size(); }
  [[nodiscard]] bool names_slices() const { return names("MIG-"); }
  [[nodiscard]] bool names_board(const std::string& uuid) const {
    return std::any_of(names_.begin(), names_.end(),
                       [&](const std::string& name) { return uuid.rfind(name, 0) == 0; });
  }

 private:
  [[nodiscard]] bool names(const char* prefix) const {
    return std::any_of(names_.begin(), names_.end(),
                       [&](const std::string& name) { return name.rfind(prefix, 0) == 0; });
  }
  std::set<std::string> names_, numbers_;
};

class Joined {
 public:
  explicit Joined(const Sources& from) : from_(from) {
    if (from.visible) visible_.emplace(*from.visible);
    for (const CudaDevice& device : from.shown) {
      ++slices_[pci_address(device.pci)];
      if (device.slice) continue;
      whole_.insert(pci_address(device.pci));
      slices_.erase(pci_address(device.pci));
    }
    for (const auto& [pci, count] : slices_) all_.insert(pci);
    all_.insert(whole_.begin(), whole_.end());
    if (from.kernel.bus)
      for (const BusGpu& gpu : *from.kernel.bus) all_.insert(gpu.pci);
    if (from.kernel.driver)
      for (const DriverGpu& gpu : *from.kernel.driver) all_.insert(gpu.pci);
    if (from.managed)
      for (const Nvml::Board& board : *from.managed) all_.insert(board.pci);
    all_.erase("");
  }

  assay::Census census() {
    assay::Census census("GPU");
    if (from_.kernel.bus) census.known("PCI", from_.kernel.bus->size());
    if (from_.kernel.driver) census.known("driver", from_.kernel.driver->size());
    if (from_.managed) census.known("NVML", from_.managed->size());
    census.known("CUDA", whole_.size());
    for (const std::string& pci : all_) judge(pci, census);
    return census;
  }

 private:
  [[nodiscard]] const BusGpu* on_bus(const std::string& pci) const { return find(from_.kernel.bus, pci); }
  [[nodiscard]] const DriverGpu* at_driver(const std::string& pci) const {
    return find(from_.kernel.driver, pci);
  }
  [[nodiscard]] const Nvml::Board* managed(const std::string& pci) const { return find(from_.managed, pci); }

  template <class Gpu>
  static const Gpu* find(const std::optional<std::vector<Gpu>>& gpus, const std::string& pci) {
    if (!gpus) return nullptr;
    const auto found =
        std::find_if(gpus->begin(), gpus->end(), [&](const Gpu& gpu) { return gpu.pci == pci; });
    return found == gpus->end() ? nullptr : &*found;
  }

  void judge(const std::string& pci, assay::Census& census) const {
    const Nvml::Board* const board = managed(pci);
    const bool cut = slices_.count(pci) != 0 || (board != nullptr && board->mig);
    if (whole_.count(pci) != 0 && !cut) {
      if (const std::string why = who_knows(pci); !why.empty()) census.missing(pci, why);
      return;
    }
    if (const std::string why = why_withheld(pci, cut); !why.empty()) {
      census.withheld(pci, why);
    } else {
      census.missing(pci, why_missing(pci, cut));
    }
  }

  // "PCI and driver know it, NVML and CUDA do not"; "" if all do.
  [[nodiscard]] std::string who_knows(const std::string& pci) const {
    std::vector<std::string> yes, no;
    const auto sort = [&](bool asked, bool knows, const char* name) {
      if (asked) (knows ? yes : no).emplace_back(name);
    };
    sort(from_.kernel.bus.has_value(), on_bus(pci) != nullptr, "PCI");
    sort(from_.kernel.driver.has_value(), at_driver(pci) != nullptr, "driver");
    sort(from_.managed.has_value(), managed(pci) != nullptr, "NVML");
    sort(true, whole_.count(pci) != 0, "CUDA");
    if (no.empty()) return {};
    return listed(yes) + (yes.size() == 1 ? " knows it, " : " know it, ") + listed(no) +
           (no.size() == 1 ? " does not" : " do not");
  }

  [[nodiscard]] std::string why_withheld(const std::string& pci, bool cut) const {
    const Nvml::Board* const board = managed(pci);
    const bool reaches_nvml = board != nullptr || !from_.managed;
    if (visible_ && reaches_nvml && is_left_out(board, cut)) return "CUDA_VISIBLE_DEVICES leaves it out";
    if (board != nullptr || cut) return {};
    // NVML lists what this process may open. What keeps the rest from it is the caller's doing, as far as it
    // is a container or a control group.
    const DriverGpu* const known = at_driver(pci);
    const int minor = known != nullptr ? known->minor : -1;
    const std::string path = "/dev/nvidia" + std::to_string(minor);
    if (minor >= 0 && from_.kernel.node(minor) == Node::refused)
      return "this process may not open " + path + ": its control group or the node's rights forbid it";
    if (!from_.kernel.container) return {};
    if (minor >= 0 && from_.kernel.node(minor) == Node::absent)
      return "this container was not given it: it has no " + path;
    const BusGpu* const bus = on_bus(pci);
    const bool bound = bus != nullptr && bus->driver == "nvidia";
    if (known == nullptr && from_.kernel.driver && bound)
      return "this container was not given it: its driver lists " +
             std::to_string(from_.kernel.driver->size()) + " of " + std::to_string(from_.kernel.bus->size());
    return {};
  }

  [[nodiscard]] bool is_left_out(const Nvml::Board* board, bool cut) const {
    if (visible_->names_slices()) return true;
    if (board != nullptr && visible_->names_board(board->uuid)) return false;
    if (visible_->numbers() == 0) return true;
    return !cut && visible_->is_satisfied(from_.shown.size());
  }

  [[nodiscard]] std::string why_missing(const std::string& pci, bool cut) const {
    const Nvml::Board* const board = managed(pci);
    if (cut) {
      const auto shown = slices_.find(pci);
      const std::size_t count = shown != slices_.end() ? shown->second : 0;
      const std::size_t made = board != nullptr ? board->slices : count;
      return "it is in MIG mode, cut into " + std::to_string(made) + (made == 1 ? " slice" : " slices") +
             ", of which CUDA shows " + std::to_string(count);
    }
    std::string why = who_knows(pci);
    if (const BusGpu* const bus = on_bus(pci); bus != nullptr && bus->driver != "nvidia")
      why += bus->driver.empty() ? "; no driver is bound to it" : "; it is bound to " + bus->driver;
    if (visible_ && board != nullptr)
      why += "; CUDA_VISIBLE_DEVICES asks for " + (visible_->names_board(board->uuid)
                                                       ? std::string("it")
                                                       : std::to_string(visible_->numbers()) + " GPUs");
    return why;
  }

  const Sources& from_;
  std::optional<Visible> visible_;
  std::set<std::string> whole_;                // that CUDA shows
  std::map<std::string, std::size_t> slices_;  // that CUDA shows, of boards that it does not show whole
  std::set<std::string> all_;
};

}  // namespace

assay::Census census_of(const Sources& sources) { return Joined(sources).census(); }

}  // namespace assay::plugins::cuda
