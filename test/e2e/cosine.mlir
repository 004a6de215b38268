// cosine: numpy's results are the expected ones. Made by generate.py.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = stablehlo.cosine %0 : tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[1.000000e+00, 1.000000e+00, 5.390625e-01, 5.390625e-01, 8.789062e-01, -8.007812e-01, -9.921875e-01, 1.000000e+00, 8.632812e-01, 0xFFC0, 0xFFC0, 0x7FC0]> : tensor<12xbf16>, tolerance = 1.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -1.000000e+02, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = stablehlo.cosine %0 : tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[1.000000e+00, 1.000000e+00, 5.405273e-01, 5.405273e-01, 8.774414e-01, -8.012695e-01, -9.941406e-01, 1.000000e+00, 8.623047e-01, 0xFE00, 0xFE00, 0x7E00]> : tensor<12xf16>, tolerance = 2.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = stablehlo.cosine %0 : tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[1.0e+00, 1.0e+00, 5.403022766113281e-01, 5.403022766113281e-01, 8.775825500488281e-01, -8.011435866355896e-01, -9.941296577453613e-01, 9.999995231628418e-01, 8.623188734054565e-01, 0xFFC00000, 0xFFC00000, 0x7FC00000]> : tensor<12xf32>, tolerance = 2.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -1.0e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = stablehlo.cosine %0 : tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[1.0e+00, 1.0e+00, 5.403023058681398e-01, 5.403023058681398e-01, 8.775825618903728e-01, -8.011436155469337e-01, -9.941296760805463e-01, 9.999995000000417e-01, 8.623188722876839e-01, 0xFFF8000000000000, 0xFFF8000000000000, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 1.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f32>>
  %r = stablehlo.cosine %0 : tensor<12xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(1.0314130783081055e+00, -0.0e+00), (2.352409601211548e+00, 0.0e+00), (5.572748184204102e-01, -2.1256592869758606e-01), (1.271012306213379e+00, 1.7917267084121704e+00), (5.572748184204102e-01, 2.1256592869758606e-01), (1.271012306213379e+00, -1.7917267084121704e+00), (9.051501154899597e-01, -1.2110880017280579e-01), (2.0644335746765137e+00, 1.0208309888839722e+00), (-8.263099789619446e-01, 1.511814296245575e-01), (-1.8846179246902466e+00, -1.274314284324646e+00), (-1.0253583192825317e+00, 2.733142487704754e-02), (-2.3386001586914062e+00, -2.30377659201622e-01)]> : tensor<12xcomplex<f32>>, tolerance = 4.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f64>>
  %r = stablehlo.cosine %0 : tensor<12xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.0314130998795732e+00, -0.0e+00), (2.352409615243247e+00, 0.0e+00), (5.572748761675393e-01, -2.1256593499917373e-01), (1.2710123394623098e+00, 1.7917268800098571e+00), (5.572748761675393e-01, 2.1256593499917373e-01), (1.2710123394623098e+00, -1.7917268800098571e+00), (9.051501505596068e-01, -1.2110879604381165e-01), (2.064433656760715e+00, 1.0208309495976966e+00), (-8.263100199599919e-01, 1.5118143486725244e-01), (-1.8846179444033462e+00, -1.2743144408870997e+00), (-1.0253583708885121e+00, 2.733142360102213e-02), (-2.338600208810532e+00, -2.303776770961796e-01)]> : tensor<12xcomplex<f64>>, tolerance = 1.000000e-12
  return
}
