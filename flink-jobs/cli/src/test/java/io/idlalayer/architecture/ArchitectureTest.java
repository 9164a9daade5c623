package io.idlalayer.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The laws of the house, on the classes of all modules. Plain tests, so that none is skipped. */
final class ArchitectureTest {
  private static final String BASE = "io.idlalayer";
  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          // Tests that modules share are jars once they are packaged.
          .withImportOption(location -> !location.contains("-tests.jar"))
          // Generated from the definition of the protocol.
          .withImportOption(location -> !location.contains("/inferencegrpc/protocol/"))
          .importPackages(BASE);

  @Test
  void classes_ofEveryModule_areSeen() {
    Set<String> modules = new TreeSet<>();
    ALL.forEach(type -> modules.add(type.getPackageName().split("\\.", -1)[2]));
    assertThat(modules)
        .contains(
            "middleware",
            "modelruntime",
            "modelloader",
            "inferencegrpc",
            "modelstore",
            "datacontroller",
            "modelcontroller",
            "jobs");
  }

  @Test
  void theCanary_aLawThatIsBrokenFails() {
    assertThatThrownBy(
            () ->
                noClasses()
                    .that()
                    .resideInAPackage(BASE + ".jobs..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(BASE + ".middleware..")
                    .check(ALL))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> fields().that().areFinal().should().notBeFinal().check(ALL))
        .isInstanceOf(AssertionError.class);
  }

  private static void mayNotSee(String from, String... to) {
    noClasses()
        .that()
        .resideInAPackage(BASE + from)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(to)
        .check(ALL);
  }

  @Test
  void modules_dependOneWay() {
    mayNotSee(
        ".middleware..",
        BASE + ".modelruntime..",
        BASE + ".modelloader..",
        BASE + ".modelstore..",
        BASE + ".datacontroller..",
        BASE + ".modelcontroller..",
        BASE + ".jobs..");
    mayNotSee(
        ".modelruntime..",
        BASE + ".modelloader..",
        BASE + ".datacontroller..",
        BASE + ".modelcontroller..",
        BASE + ".jobs..");
    mayNotSee(
        ".modelloader..",
        BASE + ".datacontroller..",
        BASE + ".modelcontroller..",
        BASE + ".jobs..");
    mayNotSee(
        ".modelstore..",
        BASE + ".modelruntime..",
        BASE + ".modelloader..",
        BASE + ".datacontroller..",
        BASE + ".modelcontroller..",
        BASE + ".jobs..");
    mayNotSee(".datacontroller..", BASE + ".modelruntime..", BASE + ".modelloader..");
    mayNotSee(".datacontroller..", BASE + ".modelcontroller..", BASE + ".jobs..");
    mayNotSee(".modelcontroller..", BASE + ".datacontroller..", BASE + ".jobs..");
  }

  /** What serving processes put into their builds. */
  @Test
  void clientJars_dependOnTheVocabularyOnly() {
    String[] ours = {
      BASE + ".middleware.memory..",
      BASE + ".middleware.placement..",
      BASE + ".middleware.cache..",
      BASE + ".middleware.fuzzy.."
    };
    mayNotSee(".middleware.models..", ours);
    mayNotSee(".middleware.models..", BASE + ".middleware.sample..");
    mayNotSee(".modelruntime..", ours);
    mayNotSee(".modelruntime..", BASE + ".middleware.models.kafka..");
    mayNotSee(".modelloader..", ours);
  }

  /** Policies look and decide; the engine copies, locks, waits and allocates. */
  @Test
  void placementPolicies_touchNoMemory() {
    noClasses()
        .that()
        .resideInAPackage(BASE + ".middleware.placement.policies..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.util.concurrent..", BASE + ".middleware.placement.engine..")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName(BASE + ".middleware.memory.object.TieredMemory")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName(BASE + ".middleware.memory.object.Move")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName(BASE + ".middleware.memory.object.Region")
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(BASE + ".middleware.memory.device.TieredMemoryException")
        .check(ALL);
  }

  @Test
  void packages_formNoCycle() {
    slices().matching(BASE + ".(**)").should().beFreeOfCycles().check(ALL);
  }

  @Test
  void engines_areUsedInTheirPackagesOnly() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            BASE + ".jobs.source..",
            BASE + ".jobs.operator..",
            BASE + ".jobs.stream..",
            BASE + ".jobs.submission..",
            BASE + ".jobs.metrics..",
            BASE + ".jobs.job..",
            BASE + ".jobs.recovery..",
            BASE + ".jobs.rest..",
            BASE + ".jobs.run..",
            BASE + ".jobs.embedded..",
            BASE + ".jobs.cluster..",
            BASE + ".jobs.cli..",
            BASE + ".testkit.flink..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.flink..")
        .check(ALL);
    noClasses()
        .that()
        .resideOutsideOfPackages(BASE + ".jobs..", BASE + ".middleware.models.kafka..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.kafka..", "kafka..")
        .check(ALL);
    noClasses()
        .that()
        .resideOutsideOfPackages(
            BASE + ".modelcontroller.engine.kernel..",
            BASE + ".modelcontroller.engine.tape..",
            BASE + ".modelloader.natives..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.bytedeco..")
        .check(ALL);
    // One module, which the product runs without.
    noClasses()
        .that()
        .resideOutsideOfPackages(
            BASE + ".modelcontroller.deeplearning4j..",
            BASE + ".modelloader.network..",
            BASE + ".modelloader.nd4j..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.deeplearning4j..",
            "org.nd4j..",
            "onnx..",
            BASE + ".modelcontroller.deeplearning4j..",
            BASE + ".modelloader.network..",
            BASE + ".modelloader.nd4j..")
        .check(ALL);
    noClasses()
        .that()
        .resideOutsideOfPackage(BASE + ".modelstore.s3..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("software.amazon..")
        .check(ALL);
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(BASE + ".jobs.run.RocksDbOptions")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.rocksdb..")
        .check(ALL);
  }

  /** Micrometer is optional: a process without it can use everything else. */
  @Test
  void micrometer_isUsedByTheMetersOfSubscribersOnly() {
    noClasses()
        .that()
        .resideOutsideOfPackage(BASE + ".middleware.models.metrics..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micrometer..", BASE + ".middleware.models.metrics..")
        .check(ALL);
  }

  /** Who reads an application file, a topic or a report needs no engine. */
  @Test
  void application_needsNoTrainingEngine() {
    for (String application :
        Set.of(
            "settings",
            "start",
            "events",
            "report",
            "replay",
            "produce",
            "topics",
            "terminal",
            "demo")) {
      mayNotSee(
          ".jobs." + application + "..",
          BASE + ".modelcontroller.engine..",
          BASE + ".modelcontroller.training..",
          BASE + ".modelcontroller.evaluation..",
          BASE + ".modelcontroller.deeplearning4j..",
          BASE + ".modelloader..",
          BASE + ".jobs.learner..",
          BASE + ".jobs.capacity..",
          BASE + ".jobs.job..");
    }
  }

  @Test
  void updateTiming_needsNoTrainingEngine() {
    for (String timing :
        Set.of("update", "cost", "drift", "gate", "optimum", "replay", "quality")) {
      mayNotSee(
          ".modelcontroller." + timing + "..",
          BASE + ".modelcontroller.engine..",
          BASE + ".modelcontroller.training..",
          BASE + ".modelcontroller.evaluation..",
          BASE + ".modelloader..",
          BASE + ".modelruntime..");
    }
  }

  @Test
  void learner_needsNeitherFlinkNorKafka() {
    mayNotSee(
        ".jobs.learner..",
        "org.apache.flink..",
        "org.apache.kafka..",
        BASE + ".jobs.operator..",
        BASE + ".jobs.source..",
        BASE + ".jobs.job..");
  }

  @Test
  void kafkaServer_isUsedByTheBrokerOnly() {
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.EmbeddedBroker")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "kafka.server..", "org.apache.kafka.metadata..", "org.apache.kafka.server..")
        .check(ALL);
  }

  @Test
  void policies_useNeitherFilesNorThreadsNorClocks() {
    noClasses()
        .that()
        .resideInAnyPackage(
            BASE + ".modelcontroller.update..",
            BASE + ".modelcontroller.cost..",
            BASE + ".datacontroller..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.nio.file..", "java.util.concurrent..", "org.slf4j..")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(ALL);
  }

  @Test
  void classNames_sayWhatAThingIs() {
    classes()
        .should()
        .haveNameNotMatching(".*(Manager|Helper|Util|Utils|Impl|Common)(\\$.*)?")
        .andShould()
        .haveNameNotMatching(".*\\.Abstract\\w+")
        .check(ALL);
  }

  @Test
  void staticFields_areFinal() {
    fields().that().areStatic().should().beFinal().check(ALL);
  }

  /** A package is one idea: one that outgrows this wants to be two. */
  @Test
  void packages_haveAtMost25Files() {
    Map<String, Set<String>> files = new TreeMap<>();
    ALL.forEach(
        type ->
            files
                .computeIfAbsent(type.getPackageName(), each -> new TreeSet<>())
                .add(type.getSource().flatMap(Source::getFileName).orElseThrow()));
    files.values().forEach(each -> each.remove("package-info.java"));
    assertThat(files).allSatisfy((name, each) -> assertThat(each).hasSizeBetween(1, 25));
  }

  @Test
  void packages_areNullMarked() {
    Set<String> marked = new TreeSet<>();
    Set<String> packages = new TreeSet<>();
    ALL.forEach(
        type -> {
          packages.add(type.getPackageName());
          if (type.getSimpleName().equals("package-info")) {
            marked.add(type.getPackageName());
          }
        });
    assertThat(marked).containsAll(packages);
  }
}
