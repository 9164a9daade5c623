package io.idlalayer.jobs.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.events.MixingStatus;
import io.idlalayer.jobs.events.ProcessorUse;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.middleware.embedding.table.RowUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;

/** The report of a run as JSON; its fields are described in {@code docs/report.md}. */
public final class RunReport {
  private static final int FORMAT_VERSION = 1;
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL)
          .enable(SerializationFeature.INDENT_OUTPUT);

  private RunReport() {}

  /**
   * Builds a report of everything that a view has received, and of the state that the run has
   * saved.
   *
   * @param trainingRuntime the library of the kernels, its version and threads, in a line
   */
  public static ObjectNode of(
      RunView view, double wallSeconds, SavedState saved, String trainingRuntime) {
    ObjectNode report = of(view, wallSeconds);
    report.withObject("environment").put("trainingRuntime", trainingRuntime);
    report.setAll(JSON.<ObjectNode>valueToTree(saved));
    return report;
  }

  /** Builds a report of everything that a view has received. */
  public static ObjectNode of(RunView view, double wallSeconds) {
    List<RunView.Learner> learners = view.learners();
    ObjectNode report = JSON.createObjectNode();
    report.put("formatVersion", FORMAT_VERSION);
    fill(report, learners.stream().map(RunView.Learner::status).toList(), view.updates());
    report.put("droppedUpdates", view.dropped());
    report.put("forgettings", view.forgettings());
    report.put("wallSeconds", wallSeconds);
    report.set("environment", environment());
    List<String> names = learners.stream().map(RunView.Learner::application).distinct().toList();
    if (names.size() == 1) {
      report.set("survey", survey(learners));
    }
    if (learners.size() > 1) {
      ArrayNode applications = report.putArray("applications");
      for (String name : names) {
        List<RunView.Learner> own =
            learners.stream().filter(learner -> learner.application().equals(name)).toList();
        ObjectNode part = applications.addObject();
        part.put("application", name);
        part.put("partitions", own.size());
        fill(
            part,
            own.stream().map(RunView.Learner::status).toList(),
            own.stream().flatMap(learner -> learner.updates().stream()).toList());
        part.set("survey", survey(own));
      }
    } else if (!names.isEmpty()) {
      report.put("application", names.get(0));
    }
    return report;
  }

  /** Returns the survey of the present input of an application, over all of its learners. */
  private static JsonNode survey(List<RunView.Learner> learners) {
    return JSON.valueToTree(
        learners.stream()
            .map(learner -> learner.status().survey())
            .filter(Objects::nonNull)
            .reduce(Surveyed.NOTHING, Surveyed::plus));
  }

  private static void fill(ObjectNode report, List<Status> statuses, List<UpdateRecord> updates) {
    Status.Samples samples = Totals.samples(statuses);
    long trained = Totals.sum(statuses, Status::trainedNewSamples);
    long pending = Totals.sum(statuses, s -> s.decision().pending());
    report.set("samples", JSON.valueToTree(samples));
    report.set("stages", JSON.valueToTree(Totals.stages(statuses)));
    report.put("updatesTotal", Totals.sum(statuses, Status::updates));
    report.put("updatesShown", updates.size());
    report.set("updates", JSON.valueToTree(updates));
    report.set("prequential", JSON.valueToTree(Totals.prequential(statuses)));
    report.set("incorporation", JSON.valueToTree(Totals.incorporation(statuses)));
    report.put("trainedNewSamples", trained);
    RowUsage tables = Totals.tables(statuses);
    if (tables != null) {
      report.set("tables", JSON.valueToTree(tables));
    }
    // Each key belongs to one learner, and an application with a history has one partition.
    if (statuses.size() == 1 && statuses.get(0).history() != null) {
      report.set("history", JSON.valueToTree(statuses.get(0).history()));
    }
    // Each learner has its own weights of experts, and a mean of them would have no meaning.
    if (statuses.size() == 1 && statuses.get(0).network() != null) {
      report.set("network", JSON.valueToTree(statuses.get(0).network()));
    }
    ComparedVersions compared = Totals.compared(statuses);
    if (compared != null) {
      report.set("compared", JSON.valueToTree(compared));
    }
    List<MixingStatus> mixing =
        statuses.stream().map(Status::mixing).filter(Objects::nonNull).toList();
    if (!mixing.isEmpty()) {
      report.set("mixing", JSON.valueToTree(mixing));
    }
    if (statuses.size() == 1 && statuses.get(0).lastLabels() != null) {
      report.set("lastLabels", JSON.valueToTree(statuses.get(0).lastLabels()));
    }
    ProcessorUse processor = Totals.processor(statuses);
    if (processor != null) {
      report.set("processor", JSON.valueToTree(processor));
    }
    report.set(
        "engines", JSON.valueToTree(statuses.stream().map(Status::engine).distinct().toList()));
    report.set("decisions", JSON.valueToTree(statuses.stream().map(Status::decision).toList()));
    ObjectNode balance = report.putObject("balance");
    long accounted = samples.accounted(trained);
    balance.put("received", samples.received());
    balance.put("accounted", accounted);
    balance.put("pending", pending);
    Status.Input input = Totals.input(statuses);
    balance.put("lostOffsets", input.lostOffsets());
    balance.set("lost", JSON.valueToTree(input.lost()));
    balance.put("reread", input.reread());
    balance.put("refusedControls", input.refusedControls());
    balance.put("holds", accounted == samples.received() && input.lostOffsets() == 0);
  }

  private static ObjectNode environment() {
    ObjectNode environment = JSON.createObjectNode();
    environment.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    environment.put(
        "os",
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"));
    environment.put("cores", Runtime.getRuntime().availableProcessors());
    environment.put("maxHeapBytes", Runtime.getRuntime().maxMemory());
    return environment;
  }

  /** Writes a report. A reader sees either the old file or the complete new file. */
  public static void write(ObjectNode report, Path file) throws IOException {
    Path target = file.toAbsolutePath();
    Path parent = target.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Path staged = target.resolveSibling("." + target.getFileName() + ".tmp");
    Files.writeString(staged, JSON.writeValueAsString(report) + "\n");
    Files.move(staged, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
