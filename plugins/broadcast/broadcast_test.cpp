// SPDX-License-Identifier: Apache-2.0
#include "bounds.hpp"

#include <gtest/gtest.h>
