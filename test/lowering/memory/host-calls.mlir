// RUN: hlo-opt %s --compile-to=llvm | FileCheck %s

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<3xi1>) {
  %0:2 = "stablehlo.custom_call"(%x) {call_target_name = "some_target"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<3xi1>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<3xi1>
}

// The addresses of the operand and of both results, then the results' sizes in bytes.
// CHECK: llvm.func @hlo_entry(%{{.*}}: !llvm.ptr) -> i64
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64) : i64
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i64) : i64
// CHECK-DAG: %[[THREE:.*]] = llvm.mlir.constant(3 : i64) : i64
// CHECK-DAG: %[[SIXTEEN:.*]] = llvm.mlir.constant(16 : i64) : i64
// CHECK-DAG: %[[RECORD:.*]] = llvm.alloca %[[TWO]] x i64
// CHECK: %[[FLAG:.*]] = llvm.getelementptr %[[RECORD]][1]
// CHECK: llvm.store %[[ZERO]], %[[FLAG]]
// CHECK: llvm.store %[[SIXTEEN]], %[[AT:.*]] : i64
// CHECK: llvm.store %[[THREE]], %[[AT2:.*]] : i64
// CHECK: llvm.call @hlo_host_call(%[[RECORD]], %[[ZERO]], %{{.*}}, %{{.*}}, %[[TWO]])
// CHECK: %[[FAILED:.*]] = llvm.load %[[FLAG]]
// CHECK: llvm.return %[[FAILED]] : i64
// CHECK: llvm.func weak_odr @hlo_host_call
