// get_tuple_element: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @element_0() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %c1 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<10xui8>
  %c2 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<10xi64>
  %c3 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %3 = stablehlo.optimization_barrier %c3 : tensor<12xbf16>
  %c4 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<12xf32>
  %c5 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %5 = stablehlo.optimization_barrier %c5 : tensor<12xcomplex<f64>>
  %t = stablehlo.tuple %0, %1, %2, %3, %4, %5 : tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>
  %r = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[false, true, true, false]> : tensor<4xi1>
  return
}

func.func @element_1() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %c1 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<10xui8>
  %c2 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<10xi64>
  %c3 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %3 = stablehlo.optimization_barrier %c3 : tensor<12xbf16>
  %c4 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<12xf32>
  %c5 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %5 = stablehlo.optimization_barrier %c5 : tensor<12xcomplex<f64>>
  %t = stablehlo.tuple %0, %1, %2, %3, %4, %5 : tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>
  %r = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>) -> tensor<10xui8>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  return
}

func.func @element_2() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %c1 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<10xui8>
  %c2 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<10xi64>
  %c3 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %3 = stablehlo.optimization_barrier %c3 : tensor<12xbf16>
  %c4 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<12xf32>
  %c5 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %5 = stablehlo.optimization_barrier %c5 : tensor<12xcomplex<f64>>
  %t = stablehlo.tuple %0, %1, %2, %3, %4, %5 : tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>
  %r = stablehlo.get_tuple_element %t[2] : (tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>) -> tensor<10xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  return
}

func.func @element_3() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %c1 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<10xui8>
  %c2 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<10xi64>
  %c3 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %3 = stablehlo.optimization_barrier %c3 : tensor<12xbf16>
  %c4 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<12xf32>
  %c5 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %5 = stablehlo.optimization_barrier %c5 : tensor<12xcomplex<f64>>
  %t = stablehlo.tuple %0, %1, %2, %3, %4, %5 : tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>
  %r = stablehlo.get_tuple_element %t[3] : (tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>) -> tensor<12xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  return
}

func.func @element_4() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %c1 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<10xui8>
  %c2 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<10xi64>
  %c3 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %3 = stablehlo.optimization_barrier %c3 : tensor<12xbf16>
  %c4 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<12xf32>
  %c5 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %5 = stablehlo.optimization_barrier %c5 : tensor<12xcomplex<f64>>
  %t = stablehlo.tuple %0, %1, %2, %3, %4, %5 : tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>
  %r = stablehlo.get_tuple_element %t[4] : (tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>) -> tensor<12xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  return
}

func.func @element_5() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %c1 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<10xui8>
  %c2 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<10xi64>
  %c3 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %3 = stablehlo.optimization_barrier %c3 : tensor<12xbf16>
  %c4 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<12xf32>
  %c5 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %5 = stablehlo.optimization_barrier %c5 : tensor<12xcomplex<f64>>
  %t = stablehlo.tuple %0, %1, %2, %3, %4, %5 : tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>
  %r = stablehlo.get_tuple_element %t[5] : (tuple<tensor<4xi1>, tensor<10xui8>, tensor<10xi64>, tensor<12xbf16>, tensor<12xf32>, tensor<12xcomplex<f64>>>) -> tensor<12xcomplex<f64>>
  check.expect_eq_const %r, dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  return
}

func.func @of_a_function() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<true> : tensor<i1>
  %1 = stablehlo.optimization_barrier %c1 : tensor<i1>
  %p = stablehlo.tuple %1 : tuple<tensor<i1>>
  %t = func.call @both(%0, %p) : (tensor<3xf32>, tuple<tensor<i1>>) -> tuple<tensor<3xf32>, tuple<tensor<i1>>>
  %r0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<3xf32>, tuple<tensor<i1>>>) -> tensor<3xf32>
  %q = stablehlo.get_tuple_element %t[1] : (tuple<tensor<3xf32>, tuple<tensor<i1>>>) -> tuple<tensor<i1>>
  %r1 = stablehlo.get_tuple_element %q[0] : (tuple<tensor<i1>>) -> tensor<i1>
  check.expect_eq_const %r0, dense<[-0.0e+00, -1.0e+00, -2.0e+00]> : tensor<3xf32>
  check.expect_eq_const %r1, dense<true> : tensor<i1>
  return
}

func.func private @both(%x: tensor<3xf32>, %p: tuple<tensor<i1>>) -> tuple<tensor<3xf32>, tuple<tensor<i1>>> {
  %n = stablehlo.negate %x : tensor<3xf32>
  %t = stablehlo.tuple %n, %p : tuple<tensor<3xf32>, tuple<tensor<i1>>>
  return %t : tuple<tensor<3xf32>, tuple<tensor<i1>>>
}
