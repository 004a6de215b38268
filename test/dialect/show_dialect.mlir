// RUN: hlo-opt --show-dialect | FileCheck %s
// The IRDL that the op classes generate: types, operands, which of them have one type, required attributes, enums, the
// arguments of regions, the spare region of one-region ops.

// CHECK: irdl.dialect @stablehlo {
// CHECK: irdl.type @token
// CHECK: irdl.operation @add {
// CHECK: irdl.operands(lhs: %0, rhs: %0)
// CHECK: irdl.results(result: %0)
// CHECK: irdl.operation @after_all {
// CHECK: %0 = irdl.base @stablehlo::@token
// CHECK: irdl.operands(inputs: variadic %0)
// CHECK: irdl.operation @cholesky {
// CHECK: irdl.operands(a: %0)
// CHECK: irdl.results(result: %0)
// CHECK: irdl.operation @compare {
// CHECK: irdl.operands(lhs: %0, rhs: %0)
// CHECK: irdl.results(result: %1)
// CHECK: %[[EQ:.*]] = irdl.is "EQ"
// CHECK: %[[LT:.*]] = irdl.is "LT"
// CHECK: %[[ANY:.*]] = irdl.any_of(%[[EQ]], {{.*}}, %[[LT]])
// CHECK: irdl.attributes {"comparison_direction" = %[[ANY]]}
// CHECK: irdl.operation @reduce_scatter {
// CHECK: %[[R:.*]] = irdl.region(%{{.*}}, %{{.*}}) with size 1
// CHECK: irdl.regions(computation: %[[R]], unused: %{{.*}})
// CHECK: irdl.operation @replica_id {
// CHECK: %0 = irdl.is tensor<ui32>
// CHECK: irdl.operation @triangular_solve {
// CHECK: %[[TRUE:.*]] = irdl.is true
// CHECK: %[[FALSE:.*]] = irdl.is false
// CHECK: %[[LEFT:.*]] = irdl.any_of(%[[TRUE]], %[[FALSE]])
// CHECK: irdl.attributes {"left_side" = %[[LEFT]]
// CHECK-NOT: @while
// CHECK: irdl.dialect @chlo {
// CHECK: irdl.operation @erf {
// CHECK: irdl.dialect @check {
// CHECK: irdl.operation @expect_eq {
// CHECK: irdl.dialect @interpreter {
