"""Assembly formats: an op's short form is declared once, and reader and printer follow from the declaration.

    class TransposeOp(Op, mnemonic="transpose"):
        ASSEMBLY = "operands `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)"

    stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>

The formats are written as those of MLIR's operation definitions
(https://mlir.llvm.org/docs/DefiningDialects/Operations/#declarative-assembly-format): literals between backticks,
attributes behind `$`, directives, `(...)?` around what may be missing. A directive `custom<Name>` is a class of that
name in one of the files here; it takes no arguments. An op without a format has its generic form only."""

from hlo.dialect.assembly.format import AssemblyFormat, assembly_format

__all__ = ["AssemblyFormat", "assembly_format"]
