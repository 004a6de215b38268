// RUN: hlo-opt %s --stablehlo-to-linalg='target=avx512/2' | FileCheck %s --check-prefixes=BOTH,SEVERAL
// RUN: hlo-opt %s --stablehlo-to-linalg='target=avx512/1' | FileCheck %s --check-prefixes=BOTH,ONE

// Systems are code of the program; on several threads those of complex matrices above 2 MiB are LAPACK's.
module {
  // BOTH-LABEL: func.func @small
  // BOTH-NOT: lapack
  func.func @small(%a: tensor<362x362xcomplex<f64>>, %b: tensor<362x40xcomplex<f64>>) -> tensor<362x40xcomplex<f64>> {
    %0 = stablehlo.custom_call @lapack_ztrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<362x362xcomplex<f64>>, tensor<362x40xcomplex<f64>>) -> tensor<362x40xcomplex<f64>>
    return %0 : tensor<362x40xcomplex<f64>>
  }

  // BOTH-LABEL: func.func @large
  // SEVERAL: lapack_ztrsm_ffi
  // ONE-NOT: lapack
  func.func @large(%a: tensor<363x363xcomplex<f64>>, %b: tensor<363x40xcomplex<f64>>) -> tensor<363x40xcomplex<f64>> {
    %0 = stablehlo.custom_call @lapack_ztrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<363x363xcomplex<f64>>, tensor<363x40xcomplex<f64>>) -> tensor<363x40xcomplex<f64>>
    return %0 : tensor<363x40xcomplex<f64>>
  }

  // BOTH-LABEL: func.func @real
  // BOTH-NOT: lapack
  func.func @real(%a: tensor<600x600xf64>, %b: tensor<600x40xf64>) -> tensor<600x40xf64> {
    %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<600x600xf64>, tensor<600x40xf64>) -> tensor<600x40xf64>
    return %0 : tensor<600x40xf64>
  }
}
