// Functions for test_jax_ffi.py, written with the headers of jax.ffi.include_dir().
#include <cstdint>
#include <string>
#include <string_view>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

// out = factor * in + shift, counts = how many elements there are.
static ffi::Error Scale(float factor, int64_t shift, ffi::Buffer<ffi::F32> in, ffi::ResultBuffer<ffi::F32> out,
                        ffi::ResultBuffer<ffi::S32> count) {
  for (size_t i = 0; i < in.element_count(); ++i) out->typed_data()[i] = factor * in.typed_data()[i] + shift;
  count->typed_data()[0] = static_cast<int32_t>(in.element_count());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(scale, Scale,
                              ffi::Ffi::Bind().Attr<float>("factor").Attr<int64_t>("shift").Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::S32>>());

// The sum of all attributes, to see that each arrives with its own type.
static ffi::Error Sum(bool flag, uint8_t small, double wide, std::string_view text, ffi::Span<const int64_t> numbers,
                      ffi::Span<const float> none, ffi::ResultBuffer<ffi::F64> out) {
  double sum = (flag ? 1 : 0) + small + wide + static_cast<double>(text.size()) + static_cast<double>(none.size());
  for (int64_t n : numbers) sum += static_cast<double>(n);
  out->typed_data()[0] = sum;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(sum, Sum,
                              ffi::Ffi::Bind().Attr<bool>("flag").Attr<uint8_t>("small").Attr<double>("wide")
                                  .Attr<std::string_view>("text").Attr<ffi::Span<const int64_t>>("numbers")
                                  .Attr<ffi::Span<const float>>("none").Ret<ffi::Buffer<ffi::F64>>());

// Copies bytes of any type and shape, and refuses those of int8 whose first is negative.
static ffi::Error Copy(ffi::AnyBuffer in, ffi::Result<ffi::AnyBuffer> out) {
  if (in.element_type() != out->element_type() || in.dimensions().size() != out->dimensions().size())
    return ffi::Error::InvalidArgument("types differ");
  const char* from = static_cast<const char*>(in.untyped_data());
  if (in.element_type() == ffi::S8 && in.size_bytes() && from[0] < 0) return ffi::Error(ffi::ErrorCode::kOutOfRange, "a negative byte");
  for (size_t i = 0; i < in.size_bytes(); ++i) static_cast<char*>(out->untyped_data())[i] = from[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(copy, Copy, ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

// Says that it was compiled with other headers.
extern "C" XLA_FFI_Error* future(XLA_FFI_CallFrame* frame) {
  auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  extension->metadata->api_version.major_version = 1;
  extension->metadata->api_version.minor_version = 7;
  return nullptr;
}
