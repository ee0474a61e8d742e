// SPDX-License-Identifier: Apache-2.0
//
// How a plugin says no. Throw one of these anywhere inside a call from the host; the layer turns it into the
// status and the reason of the C interface. Nothing thrown ever crosses the library's border.
#pragma once

#include <assay/abi/v1.h>

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace assay {

// It cannot run here, and that is not an error: "needs compute capability 9.0, cuda:0 has 8.0".
class Skip : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// cancelled() was true.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

// An error, with the status that the host sees and, if another library reported it, that library's own code.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& text, assay_status status = ASSAY_E_INTERNAL, std::string domain = "",
                   std::int64_t code = 0)
      : std::runtime_error(text), status_(status), domain_(std::move(domain)), code_(code) {}

  assay_status status() const noexcept { return status_; }
  const std::string& domain() const noexcept { return domain_; }
  std::int64_t code() const noexcept { return code_; }

 private:
  assay_status status_;
  std::string domain_;
  std::int64_t code_;
};

// A device of the case no longer answers: it alone is withdrawn from the run. `device` is as suites name it,
// Device::name.
class Lost : public Failure {
 public:
  Lost(std::string device, const std::string& text, std::string domain = "", std::int64_t code = 0)
      : Failure(text, ASSAY_E_LOST, std::move(domain), code), device_(std::move(device)) {}

  const std::string& device() const noexcept { return device_; }

 private:
  std::string device_;
};

// A parameter is impossible here; the host prints the text at the parameter's line in the suite.
class BadParameter : public Failure {
 public:
  BadParameter(std::string parameter, const std::string& text)
      : Failure(text, ASSAY_E_INVALID), parameter_(std::move(parameter)) {}

  const std::string& parameter() const noexcept { return parameter_; }

 private:
  std::string parameter_;
};

namespace detail {

// Receives the reason of a status. Copies the texts before it returns.
class ReasonSink {
 public:
  virtual void fail(const char* domain, std::int64_t code, const char* text) noexcept = 0;
  virtual void fail_parameter(const char* parameter, const char* text) noexcept = 0;
  // Beside fail().
  virtual void lost(const char*, const char*) noexcept {}

 protected:
  ~ReasonSink() = default;
};

// Runs `body` and returns what the C interface says about how it ended.
template <class Body>
assay_status guarded(ReasonSink& sink, Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return ASSAY_OK;
  } catch (const Skip& skip) {
    sink.fail("", 0, skip.what());
    return ASSAY_SKIPPED;
  } catch (const Cancelled&) {
    return ASSAY_CANCELLED;
  } catch (const BadParameter& error) {
    sink.fail_parameter(error.parameter().c_str(), error.what());
    return error.status();
  } catch (const Lost& error) {
    sink.fail(error.domain().c_str(), error.code(), error.what());
    sink.lost(error.device().c_str(), error.what());
    return error.status();
  } catch (const Failure& error) {
    sink.fail(error.domain().c_str(), error.code(), error.what());
    return error.status();
  } catch (const std::bad_alloc&) {
    sink.fail("", 0, "not enough host memory");
    return ASSAY_E_RESOURCE;
  } catch (const std::system_error& error) {
    sink.fail(error.code().category() == std::generic_category() ||
                      error.code().category() == std::system_category()
                  ? "errno"
                  : error.code().category().name(),
              error.code().value(), error.what());
    return ASSAY_E_RESOURCE;
  } catch (const std::exception& error) {
    sink.fail("", 0, error.what());
    return ASSAY_E_INTERNAL;
  } catch (...) {
    sink.fail("", 0, "the plugin threw something that is not a std::exception");
    return ASSAY_E_INTERNAL;
  }
}

}  // namespace detail
}  // namespace assay
