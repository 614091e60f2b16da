package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;

/**
 * What becomes of a condition: the number of iterations in which it holds, or whether it holds in
 * any or in all of them.
 *
 * @param op addition, OR or AND
 */
record Counter(Reg reg, BinaryOp op, Expr condition) {}
