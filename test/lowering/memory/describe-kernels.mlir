// RUN: hlo-opt %s --describe-kernels | FileCheck %s

// A row for each kernel: its operations, what it reads and writes, where it comes from. Of an argument that is only sliced, the slice counts.

// CHECK:      module attributes {hlo.profile = [{
// CHECK-SAME:   code = "k.code", element = "f32", kind = "region", name = "k", names = ["jit(f)/add"], operations = 16 : i64,
// CHECK-SAME:   read = 96 : i64, sources = ["model.py:3:5", "model.py:4:7"], transcendentals = 8 : i64, written = 32 : i64
// CHECK-SAME: }]}
#id = affine_map<(d0) -> (d0)>
func.func private @k(%a: tensor<100xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.kernel = "region", hlo.code = @k.code} {
  %s = tensor.extract_slice %a[10] [8] [1] : tensor<100xf32> to tensor<8xf32> loc("model.py":4:7)
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%s, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32 loc("model.py":4:7)
    %1 = math.exp %0 : f32 loc("model.py":4:7)
    %2 = arith.addf %1, %z : f32 loc("jit(f)/add"("model.py":3:5))
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
} loc("jit(f)/add"("model.py":3:5))
