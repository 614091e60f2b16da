package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ModelTableTest {
  private static ModelTable.Run run(String folder, String program, int k, double loss) {
    var nodes = JsonNodeFactory.instance;
    return new ModelTable.Run(
        Path.of(folder),
        Map.of("program", nodes.textNode(program), "k", nodes.numberNode(k)),
        Map.of("loss", loss),
        3,
        100,
        1.5,
        Instant.EPOCH);
  }

  private static List<String> lines(ModelTable.Run... runs) {
    return new ModelTable(List.of(runs), new LinkedHashMap<>())
        .lines().stream().map(l -> l.replaceAll(" +", " ")).toList();
  }

  @Test
  void eachProgramHasATableOfWhatDiffersThere() {
    var lines = lines(run("a", "x.fut", 1, 2), run("b", "y.fut", 1, 3), run("c", "x.fut", 2, 4));
    assertEquals("x.fut", lines.get(0));
    assertEquals("folder k loss iterations seconds finished", lines.get(1));
    assertEquals("a 1 2.00000 3 1.5", lines.get(2).substring(0, 17));
    assertEquals("c 2 4.00000 3 1.5", lines.get(3).substring(0, 17));
    assertEquals(
        List.of("", "y.fut", "folder loss iterations seconds finished"), lines.subList(4, 7));
    assertEquals(9, lines.size());
  }

  @Test
  void oneProgramNeedsNoName() {
    assertEquals(
        "folder loss iterations seconds finished", lines(run("a", "x.fut", 1, 2)).getFirst());
  }
}
