package dev.kenaz.jobs.train;

import dev.kenaz.value.Value;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Says on the way what the models of a training are worth.
 *
 * @param every how many rounds there are from one judgement to the next
 * @param validates whether it judges by other data than that of the training
 * @param scores judges the model at a place; the values are those of a model that has the parts
 *     that aren't trained
 */
public record Judge(
    int every, boolean validates, BiFunction<Steps.Place, List<Value>, Scores> scores) {}
