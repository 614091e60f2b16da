package dev.kenaz;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A stage imports only what stands before it; the list below is the pipeline. */
final class PackageOrderTest {
  static final List<String> STAGES =
      List.of(
          "error",
          "value",
          "options",
          "source",
          "typing",
          "ir",
          "analysis",
          "bind",
          "pass",
          "lower",
          "simplify",
          "ad",
          "fuse",
          "distribute",
          "segir",
          "flatten",
          "loopir",
          "loops",
          "jvm",
          "kernels",
          "cuda",
          "simulate",
          "pipeline");

  private static JavaClasses classes;

  @BeforeAll
  static void importClasses() {
    classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.kenaz");
  }

  @ParameterizedTest
  @FieldSource("STAGES")
  void importsOnlyEarlierStages(String stage) {
    var later =
        STAGES.subList(STAGES.indexOf(stage) + 1, STAGES.size()).stream()
            .map(s -> "dev.kenaz." + s + "..")
            .toArray(String[]::new);
    if (later.length > 0) {
      noClasses()
          .that()
          .resideInAPackage("dev.kenaz." + stage + "..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(later)
          .allowEmptyShould(true)
          .check(classes);
    }
  }

  @ParameterizedTest
  @FieldSource("STAGES")
  void knowsNothingOfThePublicApi(String stage) {
    noClasses()
        .that()
        .resideInAPackage("dev.kenaz." + stage + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.kenaz")
        .allowEmptyShould(true)
        .check(classes);
  }

  /** The oracle shares nothing with what it is compared to but the program and the values. */
  @Test
  void interpreterNeedsOnlyProgramsAndValues() {
    var stages =
        STAGES.stream()
            .filter(s -> !List.of("error", "value", "ir").contains(s))
            .map(s -> "dev.kenaz." + s + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage("dev.kenaz.interpret..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(stages)
        .allowEmptyShould(true)
        .check(classes);
  }

  @Test
  void compilerKnowsNoEngine() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.spark..", "org.apache.arrow..")
        .check(classes);
  }
}
