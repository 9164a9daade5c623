package io.idlalayer.jobs.inspection;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.jobs.settings.network.NetworkSize;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Describes, in lines of text, the inputs, parameters and memory that follow from the settings of
 * an application.
 */
public final class ClaimedMemory {
  /**
   * Upper bound of the heap bytes of a stored sample; docs/application-file.md shows the
   * calculation.
   */
  private static final int INDEX_BYTES = 172;

  private static final int INDEX_BYTES_WITH_IDS = 188;

  private ClaimedMemory() {}

  /**
   * Returns the lines.
   *
   * @param sample the report about events; null if no events were read
   */
  public static List<String> lines(
      ApplicationSettings application, @Nullable SampleInspection sample) {
    List<String> lines = new ArrayList<>();
    ModelSpec model = application.model();
    SampleSchema schema = model.schema();
    lines.add(network(model));
    tables(lines, model, sample);
    ApplicationSettings.Memory memory = application.memory();
    int index = schema.id() == null ? INDEX_BYTES : INDEX_BYTES_WITH_IDS;
    long samples = application.data().maxSamples();
    lines.add(
        "memory that the settings allow each of "
            + count(application.partitions(), "learner")
            + ":");
    lines.add(
        String.format(
            Locale.ROOT,
            "  %-34s %s of Java heap when full (%,d samples of up to %d bytes)",
            "selection.max-samples",
            size(samples * index),
            samples,
            index));
    String fits = "";
    if (sample != null && !Double.isNaN(sample.bytesOfSample())) {
      double each = sample.bytesOfSample();
      fits =
          String.format(
              Locale.ROOT,
              " (an event takes %.0f bytes, so max-samples of them take %s)",
              each,
              size((long) (each * samples)));
    }
    lines.add(
        String.format(
            Locale.ROOT,
            "  %-34s %s of stored samples%s",
            "selection.max-bytes",
            size(application.data().maxBytes()),
            fits));
    FastBudget budget = memory.budget();
    if (budget != null) {
      lines.add(
          String.format(
              Locale.ROOT,
              "  %-34s %s, of which %s are divided while it runs (%s; at first %s each)",
              "memory.fast-bytes",
              size(budget.bytes()),
              size(budget.dividedBytes()),
              budget.uses().stream().map(FastUse::toString).collect(Collectors.joining(", ")),
              size(budget.initialBytes())));
    }
    if (!memory.divides(FastUse.SAMPLES)) {
      lines.add(
          String.format(
              Locale.ROOT,
              "  %-34s %s outside the heap",
              "memory.hot-bytes",
              size(memory.hotBytes())));
    }
    if (!model.embeddings().tables().isEmpty() && !memory.divides(FastUse.ROWS)) {
      lines.add(
          String.format(
              Locale.ROOT,
              "  %-34s %s of Java heap",
              "memory.rows.fast-bytes",
              size(memory.rows().fastBytes())));
    }
    if (memory.divides(FastUse.TENSORS)) {
      lines.add(
          String.format(
              Locale.ROOT,
              "  %-34s a file of %s",
              "memory.tensors",
              size(memory.tensors().slowBytes())));
    } else if (memory.tensors().placed()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "  %-34s %s outside the heap, and a file of %s",
              "memory.tensors",
              size(memory.tensors().fastBytes()),
              size(memory.tensors().slowBytes())));
    }
    return lines;
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }

  private static String network(ModelSpec model) {
    double parameters = NetworkSize.parameters(model);
    String of =
        Double.isNaN(parameters)
            ? "parameters as its file says"
            : String.format(
                Locale.ROOT, "%,.0f parameters (%s)", parameters, size((long) (4 * parameters)));
    return String.format(
        Locale.ROOT,
        "network: %,d inputs, %,d outputs, %s",
        model.inputWidth(),
        model.outputWidth(),
        of);
  }

  private static void tables(
      List<String> lines, ModelSpec model, @Nullable SampleInspection sample) {
    List<EmbeddingPlan.Table> tables = EmbeddingPlans.of(model).tables();
    for (int i = 0; i < tables.size(); i++) {
      EmbeddingPlan.Table table = tables.get(i);
      long row = (long) Float.BYTES * table.layout().stride();
      long ids = 0;
      for (int feature = 0;
          sample != null && feature < model.embeddings().uses().size();
          feature++) {
        ids += model.embeddings().uses().get(feature).table() == i ? sample.idsOf(feature) : 0;
      }
      lines.add(
          String.format(
              Locale.ROOT,
              "table %s: rows of %,d bytes%s",
              table.name(),
              row,
              ids == 0
                  ? ""
                  : String.format(
                      Locale.ROOT,
                      "; the ids of these events take %,d rows, %s",
                      ids,
                      size(ids * row))));
    }
  }

  /** Returns the table of each id feature, in words. */
  static List<String> tables(ModelSpec model) {
    return model.embeddings().uses().stream()
        .map(
            use -> {
              ModelSpec.Table table = model.embeddings().table(use);
              return "a vector of " + table.dim() + " of table " + table.name();
            })
        .toList();
  }

  private static String size(long bytes) {
    String[] units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit + 1 < units.length) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  }
}
