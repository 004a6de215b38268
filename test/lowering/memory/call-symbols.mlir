// RUN: hlo-opt %s --call-symbols | FileCheck %s

module attributes {hlo.custom_calls = [
    {hlo.custom_call = "none", hlo.operand_types = [tensor<f32>], hlo.result_types = []},
    {hlo.custom_call = "one", hlo.operand_types = [tensor<f32>, tensor<f32>], hlo.result_types = [tensor<f32>]}]} {
  llvm.func @main(%calls: !llvm.ptr, %array: !llvm.ptr) {
    %one = llvm.mlir.constant(1 : i64) : i64
    llvm.call %calls(%one, %array) : !llvm.ptr, (i64, !llvm.ptr) -> ()
    %zero = llvm.mlir.constant(0 : i64) : i64
    llvm.call %calls(%zero, %array) : !llvm.ptr, (i64, !llvm.ptr) -> ()
    llvm.return
  }
}

// CHECK: llvm.func @main(%[[T:.*]]: !llvm.ptr, %[[A:.*]]: !llvm.ptr)
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK: %[[THIRD:.*]] = llvm.getelementptr %[[A]][2]
// CHECK: %[[OUT:.*]] = llvm.load %[[THIRD]]
// CHECK: %[[HOST:.*]] = llvm.load %[[T]]
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[T]][2]
// CHECK: %[[SYMBOL:.*]] = llvm.load %[[PLACE]]
// CHECK: %[[NATIVE:.*]] = llvm.icmp "ne" %[[SYMBOL]]
// CHECK: %[[NUMBER:.*]] = llvm.inttoptr %[[ONE]]
// CHECK: %[[FIRST:.*]] = llvm.select %[[NATIVE]], %[[OUT]], %[[NUMBER]]
// CHECK: %[[FUNCTION:.*]] = llvm.select %[[NATIVE]], %[[SYMBOL]], %[[HOST]]
// CHECK: llvm.call %[[FUNCTION]](%[[FIRST]], %[[A]]) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()

// No result: `out` is where its results' addresses would be.
// CHECK: %[[RESULTS:.*]] = llvm.getelementptr %[[A]][1]
// CHECK: llvm.select %{{.*}}, %[[RESULTS]], %{{.*}}
