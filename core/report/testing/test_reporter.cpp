// SPDX-License-Identifier: Apache-2.0
//
// A worker that behaves as the name of the library that it should load says: the tests' other end of the
// wire.
#include "base/error.hpp"
#include "wire/channel.hpp"

#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

namespace {

using assay::Json;

Json file(const Json& name, const std::string& data) {
  return {{"type", "file"}, {"name", name}, {"data", data}};
}

void behave(const std::string& how, const Json& request, assay::wire::Channel& channel) {
  if (how == "crash") {
    std::cerr << "about to fail\x1b[31m\n" << std::flush;
    signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would end it in another way
    raise(SIGSEGV);
  }
  if (how == "exit") _exit(3);
  if (how == "hang") {
    for (;;) pause();
  }
  if (how == "chatter") {
    const std::string line(1000, 'x');
    for (int i = 0; i < 1000; ++i) std::cout << line << '\n';  // far more than is kept
    std::cout << std::flush;
  }
  if (how == "error") {
    channel.send(file(nullptr, "half"));
    channel.send({{"type", "error"}, {"code", "reporter.failed"}, {"text", "cannot draw \x1b[31m this"}});
    return;
  }
  if (how == "outside") channel.send(file("../outside.txt", "x"));
  if (how == "absolute") channel.send(file("/tmp/outside.txt", "x"));
  if (how == "twice") {
    channel.send(file("a.txt", "1"));
    channel.send(file("b.txt", "2"));
    channel.send(file("a.txt", "3"));
  }
  if (how == "several") {
    channel.send(file("parts/one.svg", "<svg/>"));
    channel.send(file(nullptr, "first "));
    channel.send(file(nullptr, "second"));
  }
  if (how == "endless") {
    const std::string piece(std::size_t{1} << 20, 'x');
    for (;;) channel.send(file(nullptr, piece));
  }
  if (how == "countless") {
    for (int i = 0;; ++i) channel.send(file(std::to_string(i), "x"));
  }
  if (how == "echo") {
    std::string text = request.at("document").get<std::string>();
    for (const Json& option : request.at("options")) {
      text += "\n" + option.at(0).get<std::string>() + "=" + option.at(1).get<std::string>();
    }
    channel.send(file(nullptr, text));
  }
  channel.send({{"type", "rendered"}});
}

}  // namespace

int main() {
  assay::wire::Channel channel(assay::wire::kWorkerDescriptor);
  try {
    const Json load = channel.receive(-1).value();
    const std::string how = load.at("library").get<std::string>();
    if (how == "unloadable") {
      channel.send({{"type", "error"}, {"code", "plugin.load"}, {"text", "libgone.so is missing"}});
      return 0;
    }
    channel.send(
        {{"type", "ready"}, {"plugin", load.at("plugin_id")}, {"version", "1.0.0"}, {"built_minor", 0}});
    channel.send({{"type", "log"}, {"level", "info"}, {"text", "a frame to be passed over"}});
    std::string document;
    Json request = channel.receive(-1).value();
    for (; request.at("type") == "document"; request = channel.receive(-1).value())
      document += request.at("data").get<std::string>();
    request["document"] = document + request.at("document").get<std::string>();
    behave(how, request, channel);
    while (channel.receive(-1).value().at("type") != "exit") {
    }
  } catch (const assay::Error&) {
    return 0;  // the other side is gone
  }
}
