// SPDX-License-Identifier: Apache-2.0
//
// The contract dataloader/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/dataloader-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::dataloader_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("dataloader").implements("dataloader/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> workers(Description<Params>& is, Value Params::*member) {
  return is.param("workers", member)
      .help("workers that make batches ahead; 0: the consumer makes each batch when it wants it");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> worker_kind(Description<Params>& is, Value Params::*member) {
  return is.param("worker_kind", member)
      .help("kind of workers: threads, or processes that are forked and share memory");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> persistent(Description<Params>& is, Value Params::*member) {
  return is.param("persistent", member)
      .help("keeping of workers from epoch to epoch; false: they are started anew for each");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> prefetch(Description<Params>& is, Value Params::*member) {
  return is.param("prefetch", member)
      .help("number of batches for each worker that are under way or ready at a time; without workers there are none");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> start_cost(Description<Params>& is, Value Params::*member) {
  return is.param("start_cost", member).unit(unit::seconds)
      .help("time for which the consumer is busy for each worker that it starts, as with a framework's processes");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> items(Description<Params>& is, Value Params::*member) {
  return is.param("items", member)
      .help("items in the data set: an epoch delivers each once");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> batch(Description<Params>& is, Value Params::*member) {
  return is.param("batch", member)
      .help("items of a batch; an epoch's last may have fewer");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> order(Description<Params>& is, Value Params::*member) {
  return is.param("order", member)
      .help("order of an epoch's items");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> side(Description<Params>& is, Value Params::*member) {
  return is.param("side", member)
      .help("pixels of an image's edge: 32 makes 3072 bytes, 224 makes 150528");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> crop(Description<Params>& is, Value Params::*member) {
  return is.param("crop", member)
      .help("share of the edge that is cut out at random");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> decode_steps(Description<Params>& is, Value Params::*member) {
  return is.param("decode_steps", member)
      .help("operations to decode a byte, each of which needs the one before it");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> decode_spread(Description<Params>& is, Value Params::*member) {
  return is.param("decode_spread", member)
      .help("share by which items differ in their decode_steps at most");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> collate(Description<Params>& is, Value Params::*member) {
  return is.param("collate", member)
      .help("place where items are made: apart and copied into the batch, or in the batch");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> source(Description<Params>& is, Value Params::*member) {
  return is.param("source", member)
      .help("place of an item's code: in memory, or in a file that is opened, read and closed");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> folder(Description<Params>& is, Value Params::*member) {
  return is.param("folder", member)
      .help("path at which source: files makes a folder for them, and removes it");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> consumer_time(Description<Params>& is, Value Params::*member) {
  return is.param("consumer_time", member).unit(unit::seconds)
      .help("time that the consumer takes for a batch, as a training step would");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> consumer(Description<Params>& is, Value Params::*member) {
  return is.param("consumer", member)
      .help("work of the consumer: waiting for that time, as for a device, or keeping a processor busy");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> stall_limit(Description<Params>& is, Value Params::*member) {
  return is.param("stall_limit", member).unit(unit::seconds)
      .help("time after which a worker that comes no further hangs, and the case ends");
}

template <class Params>
MetricBuilder throughput(Description<Params>& is) {
  return is.rate("throughput", unit::items_per_second)
      .counting("items of an epoch, each once")
      .summary("rate of items that the consumer gets, with all that an epoch takes")
      .headline();
}

template <class Params>
MetricBuilder epoch(Description<Params>& is) {
  return is.duration("epoch")
      .summary("time of one epoch, from its begin until its workers are done");
}

template <class Params>
MetricBuilder startup(Description<Params>& is) {
  return is.value("startup", unit::seconds)
      .summary("time from an epoch's begin until the first batch is there: workers started, a batch made")
      .lower_is_better();
}

template <class Params>
MetricBuilder wait(Description<Params>& is) {
  return is.value("wait", unit::seconds)
      .summary("time that the consumer waits for a batch, mean of an epoch; for the first batch from the epoch's begin")
      .lower_is_better();
}

template <class Params>
MetricBuilder wait_p99(Description<Params>& is) {
  return is.value("wait_p99", unit::seconds)
      .summary("time that the consumer waits for a batch, in the slowest hundredth")
      .lower_is_better();
}

template <class Params>
MetricBuilder starved(Description<Params>& is) {
  return is.value("starved", unit::one)
      .summary("share of an epoch in which the consumer waited for data")
      .lower_is_better();
}

template <class Params>
MetricBuilder queue_depth(Description<Params>& is) {
  return is.value("queue_depth", unit::one)
      .summary("number of batches that were ready when the consumer asked for one, mean of an epoch");
}

template <class Params>
MetricBuilder item_cost(Description<Params>& is) {
  return is.value("item_cost", unit::seconds)
      .summary("time in which one worker makes one item, while as many work beside each other, without a queue")
      .lower_is_better();
}

template <class Params>
MetricBuilder bound(Description<Params>& is) {
  return is.value("bound", unit::items_per_second)
      .summary("best rate that items, workers, processors and consumer allow, from item_cost");
}

}  // namespace assay::contracts::dataloader_1
