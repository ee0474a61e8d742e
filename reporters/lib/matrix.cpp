// SPDX-License-Identifier: Apache-2.0
#include "lib/matrix.hpp"

#include "lib/row_texts.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <utility>

namespace assay::reporters {
namespace {

// Cells grow with the square, and a document may come from anywhere; what a benchmark records ends at a
// million.
constexpr std::size_t kMostSide = 1000;

std::string title_of(const Block& block, const Row& row) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < row.labels.size(); ++i) parts.push_back(block.axes[i] + "=" + row.labels[i]);
  return join(parts, ", ");
}

Matrix empty_matrix(const Metric& metric, std::vector<std::string> labels, const Case& source) {
  Matrix out;
  out.metric = one_line(metric.name);
  out.unit = metric.unit;
  out.labels = std::move(labels);
  out.cells.resize(out.side() * out.side());
  out.source = &source;
  return out;
}

// Devices in the order in which pairs name them; nothing if the row is not of pairs.
std::vector<std::string> devices_of_pairs(const Row& row) {
  std::vector<std::string> devices;
  for (const Case* one : row.members) {
    const bool has_axis = one->axis("device") != nullptr || one->axis("pair") != nullptr;
    if (!has_axis || one->placement.devices.size() != 2 ||
        one->placement.devices[0] == one->placement.devices[1])
      return {};
    for (const std::string& device : one->placement.devices) add_once(devices, device);
  }
  return devices;
}

std::optional<Matrix> over_pairs(const Block& block, const Row& row) {
  if (row.members.size() < 2 || block.metrics.empty()) return std::nullopt;
  const std::vector<std::string> devices = devices_of_pairs(row);
  if (devices.empty() || devices.size() > kMostSide) return std::nullopt;
  const auto any = reading(row, block.metrics.front());
  if (!any) return std::nullopt;
  Matrix out = empty_matrix(*any->metric, devices, *row.members.front());
  for (const Case* one : row.members) {
    const auto place = [&](std::size_t which) {
      return static_cast<std::size_t>(
          std::find(devices.begin(), devices.end(), one->placement.devices[which]) - devices.begin());
    };
    const auto read = reading(Row{row.labels, {one}, nullptr, false}, block.metrics.front());
    if (read)
      out.cells[place(0) * out.side() + place(1)] =
          MatrixCell{*read->metric->value, half_width(*read->metric)};
  }
  for (std::string& label : out.labels) label = one_line(label);
  return out;
}

// An index counts the case's devices where there are as many of them; else it is a number of the benchmark's.
std::vector<std::string> labels_of(const Case& one, const std::vector<std::uint64_t>& indices) {
  std::vector<std::string> labels;
  const bool counts = one.placement.devices.size() == indices.size() && indices.back() + 1 == indices.size();
  for (const std::uint64_t index : indices)
    labels.push_back(counts ? one_line(one.placement.devices[index]) : std::to_string(index));
  return labels;
}

std::vector<Matrix> of_metrics(const Case& one) {
  std::vector<std::pair<std::string, std::vector<const Metric*>>> named;
  for (const Metric& metric : one.metrics) {
    if (metric.indices.size() == 2 && metric.value) entry_of(named, metric.name).push_back(&metric);
  }
  std::vector<Matrix> out;
  for (const auto& [name, cells] : named) {
    std::vector<std::uint64_t> indices;
    for (const Metric* cell : cells)
      indices.insert(indices.end(), cell->indices.begin(), cell->indices.end());
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    if (indices.size() > kMostSide) continue;
    Matrix& matrix = out.emplace_back(empty_matrix(*cells.front(), labels_of(one, indices), one));
    const auto place = [&](std::uint64_t index) {
      return static_cast<std::size_t>(std::lower_bound(indices.begin(), indices.end(), index) -
                                      indices.begin());
    };
    for (const Metric* cell : cells)
      matrix.cells[place(cell->indices[0]) * matrix.side() + place(cell->indices[1])] =
          MatrixCell{*cell->value, half_width(*cell)};
  }
  return out;
}

// Link facts of the devices that label the matrix, "cuda:0: 18 to switch".
std::vector<std::string> peers_of(const std::vector<std::string>& labels,
                                  const std::vector<Backend>& backends) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Backend& backend : backends) {
    for (const Device& device : backend.devices) {
      if (!contains(labels, one_line(device.name))) continue;
      for (const auto& [key, value] : scalars(device.facts)) {
        if (key.ends_with("_peers")) found.emplace_back(one_line(device.name), one_line(value));
      }
    }
  }
  const bool alike = std::all_of(found.begin(), found.end(),
                                 [&](const auto& entry) { return entry.second == found.front().second; });
  if (alike && found.size() == labels.size() && !found.empty())
    return {"each of " + std::to_string(found.size()) + ": " + found.front().second};
  std::vector<std::string> out;
  for (const auto& [device, text] : found) out.push_back(device + ": " + text);
  return out;
}

}  // namespace

std::vector<Matrix> matrices_of(const Block& block) {
  std::vector<Matrix> out;
  for (const Row& row : block.rows) {
    const std::string title = title_of(block, row);
    const auto add = [&](Matrix matrix, const std::string& member) {
      matrix.title = title + (title.empty() || member.empty() ? "" : ", ") + member;
      out.push_back(std::move(matrix));
    };
    if (auto pairs = over_pairs(block, row)) add(std::move(*pairs), "");
    for (const Case* one : row.members) {
      const std::string member = row.members.size() > 1 ? member_label(*one) : "";
      for (Matrix& matrix : of_metrics(*one)) {
        if (matrix.side() > 1) add(std::move(matrix), member);
      }
    }
  }
  return out;
}

bool is_over_pairs(const Block& block) {
  return std::all_of(block.rows.begin(), block.rows.end(),
                     [](const Row& row) { return !devices_of_pairs(row).empty(); });
}

std::vector<std::string> links_of(const Matrix& matrix, const std::vector<Backend>& backends) {
  std::vector<std::string> out;
  for (const auto& [name, text] : matrix.source->facts) {
    if (name == "links") out.push_back(one_line(text));
  }
  for (std::string& peers : peers_of(matrix.labels, backends)) out.push_back(std::move(peers));
  return out;
}

std::vector<Series> series_of(const Case& one) {
  std::vector<Series> out;
  for (const Metric& metric : one.metrics) {
    if (metric.indices.size() != 1 || !metric.value) continue;
    const std::string name = one_line(metric.name);
    if (out.empty() || out.back().metric != name) out.push_back({name, {}});
    out.back().values.emplace_back(metric.indices.front(),
                                   quantity(*metric.value, metric.unit, half_width(metric)));
  }
  return out;
}

}  // namespace assay::reporters
