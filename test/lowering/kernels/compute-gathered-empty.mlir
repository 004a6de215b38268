// RUN: hlo-opt %s --compute-gathered | FileCheck %s

// Nothing is read of a part without elements: it has none that could stand for those outside of it.
// CHECK-LABEL: func.func @empty_part
// CHECK: %[[P:.*]] = tensor.insert_slice %arg0
// CHECK: tensor.extract %[[P]]
func.func @empty_part(%part: tensor<0x64xf32>, %whole: tensor<500x64xf32>, %rows: tensor<16xindex>) -> tensor<16x64xf32> {
  %0 = tensor.insert_slice %part into %whole[0, 0] [0, 64] [1, 1] : tensor<0x64xf32> into tensor<500x64xf32>
  %1 = tensor.empty() : tensor<16x64xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<16xindex>) outs(%1 : tensor<16x64xf32>) {
  ^bb0(%row: index, %out: f32):
    %3 = linalg.index 1 : index
    %4 = tensor.extract %0[%row, %3] : tensor<500x64xf32>
    linalg.yield %4 : f32
  } -> tensor<16x64xf32>
  return %2 : tensor<16x64xf32>
}
