// SPDX-License-Identifier: Apache-2.0
//
// A worker that behaves as the name of the library that it should load says: the tests' other end of the
// wire.
#include "base/error.hpp"
#include "wire/channel.hpp"
#include "wire/messages.hpp"
#include "wire/shared_text.hpp"

#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <string>

namespace {

using assay::Json;

void send_file(assay::wire::Channel& channel, const Json& name, const std::string& data) {
  channel.send({{"type", "file"}, {"name", name}});
  channel.send_bytes(data);
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
    send_file(channel, nullptr, "half");
    channel.send({{"type", "error"}, {"code", "reporter.failed"}, {"text", "cannot draw \x1b[31m this"}});
    return;
  }
  if (how == "large") {
    channel.send(
        {{"type", "error"}, {"code", assay::wire::kTooLargeReport}, {"text", "its files are large"}});
    return;
  }
  if (how == "outside") send_file(channel, "../outside.txt", "x");
  if (how == "absolute") send_file(channel, "/tmp/outside.txt", "x");
  if (how == "twice") {
    send_file(channel, "a.txt", "1");
    send_file(channel, "a.txt", "2");
  }
  if (how == "several") {
    send_file(channel, "parts/one.svg", "<svg/>");
    send_file(channel, nullptr, "first ");
    channel.send_bytes("second");
  }
  if (how == "endless") {
    const std::string piece(std::size_t{1} << 20, 'x');
    for (;;) send_file(channel, "x", piece);
  }
  if (how == "countless") {
    for (int i = 0;; ++i) send_file(channel, std::to_string(i), "x");
  }
  if (how == "echo") {
    const assay::wire::MappedText document(STDIN_FILENO);
    std::string text(document.text());
    for (const Json& option : request.at("options")) {
      text += "\n" + option.at(0).get<std::string>() + "=" + option.at(1).get<std::string>();
    }
    send_file(channel, nullptr, text);
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
    behave(how, channel.receive(-1).value(), channel);
    while (channel.receive(-1).value().at("type") != "exit") {
    }
  } catch (const assay::Error&) {
    return 0;  // the other side is gone
  }
}
