/**
 * Defines the elementary functions, such as {@code exp} and {@code sin}, as straight-line code of
 * operations that round in one way only.
 *
 * <p>Processors and libraries round such functions in ways of their own, and HotSpot uses other
 * code for them before and after it has compiled a loop, and for vectors. Here a function is a
 * {@link dev.kenaz.elementary.Formula}: sums, products, quotients and fused multiplications of IEEE
 * 754, and operations on bits. The interpreter runs it step by step; the JVM backend emits it as
 * bytecode, for scalars and for vectors. So the result of an argument is the same wherever and
 * whenever it is computed.
 */
package dev.kenaz.elementary;
