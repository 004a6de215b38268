// RUN: hlo-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{device_ids must be 0 to 7 (a mesh of 8 devices), each once, found [0, 1, 2]}}
sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[0, 1, 2]>

// -----
// expected-error@+1 {{axes of a mesh must have different names, found 'x' twice}}
sdy.mesh @mesh = <["x"=2, "x"=4]>

// -----
// expected-error@+1 {{sizes of axes must be above 0, found 'x' of size 0}}
sdy.mesh @mesh = <["x"=0]>

// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
// expected-error@+1 {{all meshes of a module must have as many devices, found 4 and 8}}
sdy.mesh @other = <["x"=2, "y"=2]>

// -----
sdy.mesh @whole = <["x"=2]>
// expected-error@+1 {{sizes of axes must be above 0, found 'x' of size 0}}
sdy.mesh @mesh = <["x"=0]>
// What names the mesh is no second mistake.
func.func @once(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@whole, [{"x"}, {}]>}) {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x8xf32>) {
    sdy.return %b : tensor<2x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error@+1 {{unknown mesh @mush, meshes of the module are @whole}}
  %2 = sdy.sharding_constraint %a <@mush, [{"x"}, {}]> : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----
// expected-error@+1 {{expected '=', found ']'}}
sdy.mesh @mesh = <["x"]>

// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
// expected-error@+1 {{argument 0: unknown axis 'z', axes of the mesh are 'x', 'y' (in <@mesh, [{"x"}, {"z"}]>)}}
func.func @axes(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z"}]>}) {
  return
}

// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
// expected-error@+1 {{result 0: a sharding must have a dimension for each of the tensor's, 2, found 1 in <@mesh, [{"x"}]>}}
func.func @ranks(%a: tensor<4x8xf32>) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %a : tensor<4x8xf32>
}

// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @ops(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{an axis must stand once in a sharding, found "x" twice or together with a part that overlaps it}}
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {"y", "x"}]> : tensor<4x8xf32>
  // expected-error@+1 {{unknown mesh @mush, meshes of the module are @mesh}}
  %1 = sdy.sharding_constraint %a <@mush, [{"x"}, {}]> : tensor<4x8xf32>
  // expected-error@+1 {{expected the name of an axis in quotes, found 'x'}}
  %2 = sdy.sharding_constraint %a <@mesh, [{x}, {}]> : tensor<4x8xf32>
  // expected-error@+1 {{"y":(2)4 must be a part of axis 'y' of size 4}}
  %3 = sdy.reshard %a <@mesh, [{"y":(2)4}, {}]> : tensor<4x8xf32>
  // expected-error@+1 {{found "y":(2)2 twice or together with a part that overlaps it}}
  %4 = sdy.reshard %a <@mesh, [{"y"}, {}], replicated={"y":(2)2}> : tensor<4x8xf32>
  // expected-error@+1 {{must have a sharding for each of 1 values, found 2}}
  %5 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>]>} : tensor<4x8xf32>
  return
}

// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @manual(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{in_shardings: manual axes must come before others in a dimension, found <@mesh, [{"y", "x"}, {}]>}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y", "x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x8xf32>) {
    sdy.return %b : tensor<2x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error@+1 {{unknown manual axis 'z', axes of the mesh are 'x', 'y'}}
  %1 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"z"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error@+1 {{the body must have a part of shape [2, 8] of tensor<4x8xf32>, found tensor<4x8xf32>}}
  %2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = stablehlo.slice %a [0:4, 0:6] : (tensor<4x8xf32>) -> tensor<4x6xf32>
  // expected-error@+1 {{manual axes must cut dimension 1 of tensor<4x6xf32> into equal parts, found 4 parts}}
  %3 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"y"} (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x6xf32>) -> tensor<4x2xf32>
  return
}

// -----
// Numbers of devices that no list of them could have.
// expected-error@+1 {{device_ids must be 0 to 8589934591 (a mesh of 8589934592 devices), each once, found [0, 1]}}
sdy.mesh @mesh = <["x"=2, "y"=4294967296], device_ids=[0, 1]>
