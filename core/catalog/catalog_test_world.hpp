// SPDX-License-Identifier: Apache-2.0
//
// A manifest and a contract that belong together, and what changes them. Tests only.
#pragma once

#include "catalog/catalog.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::catalog {

inline constexpr const char* kSaxpy = R"({
  "manifest_version": 1, "id": "com.acme.saxpy", "version": "1.0.0", "backend": "acme",
  "needs": [{"soname": "libacme.so.3", "hint": "apt-get install acme-runtime"}],
  "benchmarks": [{
    "name": "saxpy", "implements": "saxpy/1", "summary": "y = a·x + y",
    "parameters": [
      {"name": "bytes", "type": "integer", "unit": "B", "default": 1048576, "minimum": 4, "maximum": 1073741824},
      {"name": "dtype", "type": "text", "default": "fp32", "values": ["fp32", "fp64"]},
      {"name": "a", "type": "number"}],
    "metrics": [{"name": "bandwidth", "unit": "B/s", "direction": "higher", "kind": "rate", "headline": true,
                 "counting": "3 elements", "peak": "memory_bandwidth"}],
    "facts": [{"name": "algorithm"}],
    "conditions": {"cache": ["hot", "cold"], "gravity": ["low"]},
    "ranks": {"maximum": 0}}],
  "reporters": [{"name": "acme-table", "file": "a.wiki", "options": [
    {"name": "style", "type": "text", "default": "short", "values": ["short", "long"]}]}],
  "library": "saxpy.so", "abi": {"major": 1, "built_minor": 0, "needs_minor": 0}, "unheard_of": 1})";

inline constexpr const char* kContract = R"({
  "contract_version": 1, "id": "saxpy/1", "verification": "closed form",
  "benchmark": {"name": "saxpy",
    "parameters": [
      {"name": "bytes", "type": "integer", "unit": "B", "minimum": 4},
      {"name": "dtype", "type": "text", "default": "fp32", "values": ["fp32", "fp64", "bf16"]},
      {"name": "a", "type": "number"},
      {"name": "stride", "type": "integer", "default": 1, "optional": true}],
    "metrics": [
      {"name": "bandwidth", "unit": "B/s", "direction": "higher", "kind": "rate", "headline": true, "counting": "3 elements"},
      {"name": "latency", "unit": "s", "direction": "lower", "kind": "duration", "optional": true}],
    "conditions": {"cache": ["hot", "cold"]}}})";

inline std::string all(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& problem : diagnostics.sorted()) text += to_text(problem);
  return text;
}

// The manifest above with one JSON pointer set to another value.
inline std::string changed(const std::string& pointer, const Json& value) {
  Json json = Json::parse(kSaxpy);
  json[Json::json_pointer(pointer)] = value;
  return json.dump();
}

inline std::string problems_of(const std::string& manifest) {
  Diagnostics diagnostics;
  const auto parsed = parse_manifest("m.json", manifest, diagnostics);
  EXPECT_EQ(parsed.has_value(), !diagnostics.has_errors());
  return all(diagnostics);
}

}  // namespace assay::catalog
