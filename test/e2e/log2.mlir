// log2: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = stablehlo.log2 %0 : tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[0xFF80, 0xFF80, 0.000000e+00, 0xFFC0, -1.000000e+00, 0xFFC0, 1.703125e+00, -9.937500e+00, 0xFFC0, 0x7F80, 0xFFC0, 0x7FC0]> : tensor<12xbf16>, tolerance = 1.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -1.000000e+02, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = stablehlo.log2 %0 : tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[0xFC00, 0xFC00, 0.000000e+00, 0xFE00, -1.000000e+00, 0xFE00, 1.700195e+00, -9.968750e+00, 0xFE00, 0x7C00, 0xFE00, 0x7E00]> : tensor<12xf16>, tolerance = 2.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = stablehlo.log2 %0 : tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[0xFF800000, 0xFF800000, 0.0e+00, 0xFFC00000, -1.0e+00, 0xFFC00000, 1.700439691543579e+00, -9.965784072875977e+00, 0xFFC00000, 0x7F800000, 0xFFC00000, 0x7FC00000]> : tensor<12xf32>, tolerance = 2.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -1.0e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = stablehlo.log2 %0 : tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[0xFFF0000000000000, 0xFFF0000000000000, 0.0e+00, 0xFFF8000000000000, -1.0e+00, 0xFFF8000000000000, 1.7004397181410922e+00, -9.965784284662087e+00, 0xFFF8000000000000, 0x7FF0000000000000, 0xFFF8000000000000, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 1.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f32>>
  %r = stablehlo.log2 %0 : tensor<12xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(-2.0e+00, 2.2661800384521484e+00), (5.849624872207642e-01, -2.2661800384521484e+00), (4.373142123222351e-02, 3.5342949628829956e-01), (8.502198457717896e-01, -1.4178715944290161e+00), (4.373142123222351e-02, 4.178930759429932e+00), (8.502198457717896e-01, -3.114488363265991e+00), (-8.390359282493591e-01, 6.689020991325378e-01), (6.609640717506409e-01, -1.8019920587539673e+00), (1.3291056156158447e+00, 4.38856840133667e+00), (1.5437313318252563e+00, -3.752699613571167e+00), (1.704695463180542e+00, 1.1075842380523682e-01), (1.8397400379180908e+00, -6.238325238227844e-01)]> : tensor<12xcomplex<f32>>, tolerance = 4.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f64>>
  %r = stablehlo.log2 %0 : tensor<12xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(-2.0e+00, 2.2661800709135966e+00), (5.849625007211562e-01, -2.2661800709135966e+00), (4.37314206251697e-02, 3.534295024167349e-01), (8.50219859070546e-01, -1.417871630745722e+00), (4.37314206251697e-02, 4.178930639410458e+00), (8.50219859070546e-01, -3.1144885110814715e+00), (-8.390359525563188e-01, 6.689021062254881e-01), (6.609640474436812e-01, -1.8019921416822866e+00), (1.3291057413758973e+00, 4.388568671146109e+00), (1.5437314206251698e+00, -3.7526996087871303e+00), (1.7046954680688509e+00, 1.1075842681457548e-01), (1.839740049752723e+00, -6.238325534574428e-01)]> : tensor<12xcomplex<f64>>, tolerance = 1.000000e-12
  return
}
