package dev.kenaz.ml;

import java.util.List;
import java.util.Map;

/**
 * How a training went.
 *
 * @param losses at the start and after each iteration; none if the program has no loss
 * @param metrics what the program's {@code metrics} give for the model
 * @param iterations how many there were
 * @param seconds how long the start and each iteration took
 * @param rows how many rows the model was trained on
 */
public record TrainingSummary(
    List<Double> losses,
    Map<String, Double> metrics,
    int iterations,
    List<Double> seconds,
    long rows) {}
