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

/**
 * A package imports only packages that come before it in the list below, which is in the order of
 * the pipeline.
 */
final class PackageOrderTest {
  static final List<String> PACKAGES =
      List.of(
          "error",
          "value",
          "elementary",
          "options",
          "cache",
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
  @FieldSource("PACKAGES")
  void importsOnlyEarlierPackages(String name) {
    var later =
        PACKAGES.subList(PACKAGES.indexOf(name) + 1, PACKAGES.size()).stream()
            .map(s -> "dev.kenaz." + s + "..")
            .toArray(String[]::new);
    if (later.length > 0) {
      noClasses()
          .that()
          .resideInAPackage("dev.kenaz." + name + "..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(later)
          .allowEmptyShould(true)
          .check(classes);
    }
  }

  @ParameterizedTest
  @FieldSource("PACKAGES")
  void knowsNothingOfThePublicApi(String name) {
    noClasses()
        .that()
        .resideInAPackage("dev.kenaz." + name + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.kenaz")
        .allowEmptyShould(true)
        .check(classes);
  }

  /** The oracle shares nothing with what it is compared to but the program and the values. */
  @Test
  void interpreterNeedsOnlyProgramsAndValues() {
    var packages =
        PACKAGES.stream()
            .filter(s -> !List.of("error", "value", "ir").contains(s))
            .map(s -> "dev.kenaz." + s + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage("dev.kenaz.interpret..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages)
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
