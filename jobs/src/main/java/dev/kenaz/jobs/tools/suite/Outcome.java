package dev.kenaz.jobs.tools.suite;

import dev.kenaz.options.Backend;
import java.nio.file.Path;
import java.util.Optional;

/**
 * This is the outcome of one case.
 *
 * @param name the name of the case in its program
 * @param fault what is wrong, if anything is
 * @param note a note on how it was tested, if there is one
 */
public record Outcome(
    Path file, Backend backend, String name, Optional<String> fault, Optional<String> note) {}
