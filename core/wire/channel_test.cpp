// SPDX-License-Identifier: Apache-2.0
#include "wire/channel.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <thread>

namespace assay::wire {
namespace {

std::string code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

std::string raw_frame(std::uint32_t length, const std::string& text) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xff);
  return bytes + text;
}

TEST(FrameReader, GivesFramesWhateverTheCuts) {
  std::string stream;
  for (int i = 0; i < 20; ++i)
    stream += encode_frame({{"type", "t"}, {"i", i}, {"text", std::string(i * 7, 'x')}});
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    FrameReader reader;
    int seen = 0;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t piece = std::min<std::size_t>(1 + random() % 90, stream.size() - at);
      reader.append(std::string_view(stream).substr(at, piece));
      at += piece;
      while (const auto json = reader.next()) EXPECT_EQ((*json)["i"], seen++);
    }
    EXPECT_EQ(seen, 20);
  }
}

TEST(FrameReader, GivesBytesAsTheyCame) {
  FrameReader reader;
  const std::string bytes("\0\xff{\"", 4);
  reader.append(encode_bytes(bytes) + encode_bytes("") + encode_frame({{"a", 1}}));
  EXPECT_EQ(reader.next(), Json({{"type", "bytes"}, {"data", bytes}}));
  EXPECT_EQ(reader.next(), Json({{"type", "bytes"}, {"data", ""}}));
  EXPECT_EQ(reader.next(), Json({{"a", 1}}));
  EXPECT_EQ(reader.next(), std::nullopt);
}

TEST(FrameReader, RefusesALengthOverTheLimitBeforeTheBytesCome) {
  for (const std::size_t flag : {std::size_t{0}, kBytesFlag}) {
    FrameReader reader;
    reader.append(raw_frame(static_cast<std::uint32_t>((kFrameLimit + 1) | flag), ""));
    EXPECT_EQ(code_of([&] { (void)reader.next(); }), "wire.malformed");
  }
}

TEST(FrameReader, RefusesWhatIsNoJsonObject) {
  for (const std::string text : {"", "{", "[]", "1", "{\"a\":1}x", "\xff\xfe", "null"}) {
    FrameReader reader;
    reader.append(raw_frame(static_cast<std::uint32_t>(text.size()), text));
    EXPECT_EQ(code_of([&] { (void)reader.next(); }), "wire.malformed") << text;
  }
}

TEST(FrameReader, SurvivesDeepNesting) {
  const std::string text(1'000'000, '[');
  FrameReader reader;
  reader.append(raw_frame(static_cast<std::uint32_t>(text.size()), text));
  EXPECT_EQ(code_of([&] { (void)reader.next(); }), "wire.malformed");
}

TEST(FrameReader, EndsInAFrameOrAnErrorOnAnyBytes) {
  std::mt19937 random(20260102);
  const std::string good =
      encode_frame({{"type", "visit"}, {"number", 1}, {"values", {1.5, "a", nullptr, true}}});
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good + good;
    for (auto change = random() % 6; change > 0; --change) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 3) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, random() % 5);
          break;
        default:
          bytes.insert(at, 1, static_cast<char>(random()));
          break;
      }
    }
    FrameReader reader;
    const std::string code = code_of([&] {
      for (std::size_t at = 0; at < bytes.size(); at += 13) {
        reader.append(std::string_view(bytes).substr(at, 13));
        while (const auto json = reader.next()) EXPECT_TRUE(json->is_object());
      }
    });
    EXPECT_TRUE(code.empty() || code == "wire.malformed") << code;
  }
}

TEST(Channel, CarriesFramesBothWays) {
  const auto ends = make_socket_pair();
  Channel left(ends[0]);
  Channel right(ends[1]);
  left.send({{"type", "a"}});
  right.send({{"type", "b"}});
  EXPECT_EQ((*right.receive(-1))["type"], "a");
  EXPECT_EQ((*left.receive(-1))["type"], "b");
  EXPECT_EQ(left.receive(0), std::nullopt);
}

TEST(Channel, SendsFramesLargerThanTheSocketBuffers) {
  const auto ends = make_socket_pair();
  Channel left(ends[0]);
  Channel right(ends[1]);
  const std::string text(8 << 20, 'd');
  std::thread sender([&] { left.send({{"type", "file"}, {"data", text}}); });
  EXPECT_EQ((*right.receive(-1))["data"], text);
  sender.join();
}

TEST(Channel, KeepsFramesOfSeveralThreadsWhole) {
  const auto ends = make_socket_pair();
  Channel left(ends[0]);
  Channel right(ends[1]);
  std::vector<std::thread> senders;
  for (int thread = 0; thread < 4; ++thread) {
    senders.emplace_back([&, thread] {
      for (int i = 0; i < 200; ++i) left.send({{"thread", thread}, {"i", i}, {"pad", std::string(i, 'p')}});
    });
  }
  std::vector<int> next(4, 0);
  for (int i = 0; i < 800; ++i) {
    const auto json = right.receive(-1);
    EXPECT_EQ((*json)["i"], next[(*json)["thread"].get<std::size_t>()]++);
  }
  for (auto& sender : senders) sender.join();
}

TEST(Channel, SaysThatTheOtherSideIsGone) {
  const auto ends = make_socket_pair();
  Channel left(ends[0]);
  {
    Channel right(ends[1]);
    right.send({{"type", "last"}});
  }
  EXPECT_EQ((*left.receive(-1))["type"], "last");
  EXPECT_EQ(code_of([&] { (void)left.receive(-1); }), "wire.closed");
  EXPECT_EQ(code_of([&] { left.send({{"type", "x"}}); }), "wire.closed");
  EXPECT_FALSE(left.fill());
}

TEST(Channel, FillReadsWithoutBlocking) {
  const auto ends = make_socket_pair();
  Channel left(ends[0]);
  Channel right(ends[1]);
  EXPECT_TRUE(left.fill());
  EXPECT_EQ(left.reader().next(), std::nullopt);
  right.send({{"type", "a"}});
  EXPECT_TRUE(left.fill());
  EXPECT_EQ((*left.reader().next())["type"], "a");
}

TEST(Channel, SendsTextThatIsNotUtf8WithReplacements) {
  const auto ends = make_socket_pair();
  Channel left(ends[0]);
  Channel right(ends[1]);
  left.send({{"text", "a\xff"}});
  EXPECT_EQ((*right.receive(-1))["text"], "a\xef\xbf\xbd");
}

}  // namespace
}  // namespace assay::wire
