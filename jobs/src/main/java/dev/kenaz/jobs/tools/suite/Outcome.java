package dev.kenaz.jobs.tools.suite;

import dev.kenaz.options.Backend;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What came of one case.
 *
 * @param name of the case within its program
 * @param fault what went wrong, unless all was well
 * @param note what people should know of how it was tested, if anything
 */
public record Outcome(
    Path file, Backend backend, String name, Optional<String> fault, Optional<String> note) {}
