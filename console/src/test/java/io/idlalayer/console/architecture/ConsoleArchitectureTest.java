package io.idlalayer.console.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The console reads topics and model stores; it runs nothing. */
final class ConsoleArchitectureTest {
  private static final JavaClasses CONSOLE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.idlalayer.console");

  @Test
  void theConsole_neitherTrainsNorRunsJobs() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.flink..",
            "org.rocksdb..",
            "org.nd4j..",
            "org.deeplearning4j..",
            "org.bytedeco..",
            "io.idlalayer.middleware.memory..",
            "io.idlalayer.middleware.cache..",
            "io.idlalayer.middleware.embedding..",
            "io.idlalayer.modelcontroller.engine..",
            "io.idlalayer.modelcontroller.training..",
            "io.idlalayer.jobs.learner..",
            "io.idlalayer.jobs.operator..",
            "io.idlalayer.jobs.job..",
            "io.idlalayer.jobs.run..",
            "io.idlalayer.jobs.embedded..",
            "io.idlalayer.jobs.cluster..")
        .check(CONSOLE);
  }

  @Test
  void whatIsKnown_knowsNothingOfHttp() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.idlalayer.console", "io.idlalayer.console.server..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.javalin..", "org.eclipse.jetty..", "io.idlalayer.console.server..")
        .check(CONSOLE);
  }
}
