// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>> {
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 9>} : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  return %0 : tensor<3x9xcomplex<f32>>
}

// -----

func.func @accepted_rfft(%arg0: tensor<3x9xf32>) -> tensor<3x5xcomplex<f32>> {
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 9>} : (tensor<3x9xf32>) -> tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}

// -----

func.func @accepted_irfft(%arg0: tensor<3x5xcomplex<f64>>) -> tensor<3x9xf64> {
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 3, 9>} : (tensor<3x5xcomplex<f64>>) -> tensor<3x9xf64>
  return %0 : tensor<3x9xf64>
}

// -----

func.func @accepted_empty(%arg0: tensor<0xf32>) -> tensor<0xcomplex<f32>> {
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 0>} : (tensor<0xf32>) -> tensor<0xcomplex<f32>>
  return %0 : tensor<0xcomplex<f32>>
}

// -----

func.func @c1(%arg0: tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>> {
  // expected-error@+1 {{C1: operand must have rank 2 or more (the size of fft_length), found 1}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 3, 9>} : (tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  return %0 : tensor<9xcomplex<f32>>
}

// -----

func.func @c2(%arg0: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error@+1 {{C2: operand of FFT must have elements of type complex, found f32}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 9>} : (tensor<9xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

func.func @c2_2(%arg0: tensor<9xcomplex<f32>>) -> tensor<5xcomplex<f32>> {
  // expected-error@+1 {{C2: operand of RFFT must have elements of type f32 or f64, found complex<f32>}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 9>} : (tensor<9xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}

// -----

func.func @c2_c4_c5(%arg0: tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f64>> {
  // expected-error@+1 {{C2, C4, C5: result must have type tensor<9xcomplex<f32>>, found tensor<9xcomplex<f64>>}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 9>} : (tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f64>>
  return %0 : tensor<9xcomplex<f64>>
}

// -----

func.func @c3(%arg0: tensor<1x1x1x9xcomplex<f32>>) -> tensor<1x1x1x9xcomplex<f32>> {
  // expected-error@+1 {{C3: fft_length must have size 1 to 3, found 4}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 1, 1, 1, 9>} : (tensor<1x1x1x9xcomplex<f32>>) -> tensor<1x1x1x9xcomplex<f32>>
  return %0 : tensor<1x1x1x9xcomplex<f32>>
}

// -----

func.func @c3_2(%arg0: tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>> {
  // expected-error@+1 {{C3: fft_length must have size 1 to 3, found 0}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64>} : (tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  return %0 : tensor<9xcomplex<f32>>
}

// -----

func.func @c4(%arg0: tensor<9xf32>) -> tensor<5xcomplex<f32>> {
  // expected-error@+1 {{C4: last dimensions of operand must have sizes [8], found [9]}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<9xf32>) -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}

// -----

func.func @c5(%arg0: tensor<3x9xcomplex<f32>>) -> tensor<3x9xf32> {
  // expected-error@+1 {{C5: last dimensions of operand must have sizes [3, 5], found [3, 9]}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 3, 9>} : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xf32>
  return %0 : tensor<3x9xf32>
}

// -----

func.func @c2_c4_c5_2(%arg0: tensor<3x9xf32>) -> tensor<3x9xcomplex<f32>> {
  // expected-error@+1 {{C2, C4, C5: result must have type tensor<3x5xcomplex<f32>>, found tensor<3x9xcomplex<f32>>}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 9>} : (tensor<3x9xf32>) -> tensor<3x9xcomplex<f32>>
  return %0 : tensor<3x9xcomplex<f32>>
}

// -----

func.func @c2_c4_c5_3(%arg0: tensor<3x5xcomplex<f32>>) -> tensor<3x8xf32> {
  // expected-error@+1 {{C2, C4, C5: result must have type tensor<3x9xf32>, found tensor<3x8xf32>}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 9>} : (tensor<3x5xcomplex<f32>>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

func.func @length_of_complex_transforms_0(%arg0: tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>> {
  // expected-error@+1 {{last dimensions of operand must have sizes [8], found [9]}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>} : (tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  return %0 : tensor<9xcomplex<f32>>
}

// -----

func.func @length_of_complex_transforms_1(%arg0: tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>> {
  // expected-error@+1 {{last dimensions of operand must have sizes [10], found [9]}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 10>} : (tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  return %0 : tensor<9xcomplex<f32>>
}

// -----

func.func @length_of_complex_transforms_2(%arg0: tensor<2x9xcomplex<f32>>) -> tensor<2x9xcomplex<f32>> {
  // expected-error@+1 {{last dimensions of operand must have sizes [3, 9], found [2, 9]}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 3, 9>} : (tensor<2x9xcomplex<f32>>) -> tensor<2x9xcomplex<f32>>
  return %0 : tensor<2x9xcomplex<f32>>
}

// -----

func.func @length_of_complex_transforms_3(%arg0: tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>> {
  // expected-error@+1 {{last dimensions of operand must have sizes [0], found [9]}}
  %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 0>} : (tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  return %0 : tensor<9xcomplex<f32>>
}
