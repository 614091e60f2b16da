package dev.kenaz.jobs.config;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.SequencedMap;

/**
 * A sweep, as {@code configs/schema/sweep.schema.json} describes it: one training job that runs
 * many times.
 *
 * @param job the job's configuration, or the name of a file that holds it
 * @param grid for each setting, by its path in the job, the values that it takes
 * @param output the path of a folder, as the document has it
 */
@JsonIgnoreProperties("$schema")
public record SweepConfig(JsonNode job, SequencedMap<String, List<JsonNode>> grid, String output) {}
