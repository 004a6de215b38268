// RUN: hlo-opt --show-dialect | FileCheck %s
// The IRDL that the op classes generate: types, operands, required attributes, enums, the spare region of one-region ops.

// CHECK: irdl.dialect @stablehlo {
// CHECK: irdl.type @token
// CHECK: irdl.operation @add {
// CHECK: irdl.operands(lhs: %0, rhs: %1)
// CHECK: irdl.results(result: %2)
// CHECK: irdl.operation @after_all {
// CHECK: %0 = irdl.base @stablehlo::@token
// CHECK: irdl.operands(inputs: variadic %0)
// CHECK: irdl.operation @compare {
// CHECK: %[[EQ:.*]] = irdl.is "EQ"
// CHECK: %[[LT:.*]] = irdl.is "LT"
// CHECK: %[[ANY:.*]] = irdl.any_of(%[[EQ]], {{.*}}, %[[LT]])
// CHECK: irdl.attributes {"comparison_direction" = %[[ANY]]}
// CHECK: irdl.operation @reduce_scatter {
// CHECK: irdl.regions(computation: %{{.*}}, unused: %{{.*}})
// CHECK-NOT: @while
// CHECK: irdl.dialect @chlo {
// CHECK: irdl.operation @erf {
// CHECK: irdl.dialect @check {
// CHECK: irdl.operation @expect_eq {
// CHECK: irdl.dialect @interpreter {
