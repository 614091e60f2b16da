package dev.kenaz;

/**
 * This is a parameter of an entry point.
 *
 * @param name the name in the program, or {@code _} where it has none
 * @param type the type in the program, without sizes: {@code [][]f64}, {@code (i32, f32)}, {@code
 *     point}
 */
public record Parameter(String name, String type) {}
