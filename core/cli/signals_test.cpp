// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace assay::cli {
namespace {

TEST(SignalCatcherDeathTest, CountsWhatCameAndLetsNoLaterOneReplaceTheExitCode) {
  EXPECT_EXIT(
      {
        {
          const SignalCatcher catcher;
          raise(SIGINT);
          raise(SIGTERM);
          if (SignalCatcher::received().signal != SIGINT || SignalCatcher::received().count != 2) _exit(1);
        }
        raise(SIGINT);
        _exit(130);
      },
      testing::ExitedWithCode(130), "");
}

TEST(SignalCatcherDeathTest, RestoresTheHandlersWhenNoSignalCame) {
  EXPECT_EXIT(
      {
        { const SignalCatcher catcher; }
        raise(SIGINT);
        _exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace assay::cli
