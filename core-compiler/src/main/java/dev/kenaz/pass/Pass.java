package dev.kenaz.pass;

import dev.kenaz.ir.CoreProgram;
import java.util.function.UnaryOperator;

/**
 * A step of the compiler over core programs.
 *
 * @param name what {@code kenaz dev --after} takes, timings are reported under and the verifier
 *     blames
 * @param description one line for people
 */
public record Pass(String name, String description, UnaryOperator<CoreProgram> function) {}
