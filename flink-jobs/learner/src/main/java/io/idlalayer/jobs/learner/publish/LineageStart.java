package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.modelcontroller.training.StartingNetwork;
import io.idlalayer.modelloader.imported.ImportedTable;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelStart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The trained network with which a learner's first training begins, if its application names one.
 * The file of the network is read once. From then on the network is in the learner's state until
 * the first model is accepted. The files of this model describe the start. Confined to one thread.
 */
public final class LineageStart {
  private final LearnerIdentity learner;
  private @Nullable ModelArtifact first;
  private String news = "";

  /** The first rows of the network's tables, until they are written into the learner's tables. */
  private List<ImportedTable> rows = List.of();

  public LineageStart(LearnerIdentity learner) {
    this.learner = learner;
  }

  /**
   * Finds the network in a learner's state, or reads its file if the learner has no model yet. The
   * network is written to the state at once.
   *
   * @throws LastingFailureException if the file cannot be read, or has another network than the
   *     application
   */
  public void open(LearnerState state) {
    String named = learner.settings().start();
    byte[] model = state.get(LearnerState.Slot.ARTIFACT);
    byte[] kept = state.get(LearnerState.Slot.START);
    requireOwnBeginning(model, kept);
    if (model != null) {
      news = named == null ? "" : compared(Path.of(named), ArtifactState.restore(model));
    } else if (kept != null) {
      ModelArtifact restored = ArtifactState.restore(kept);
      first = restored;
      news = named == null ? "" : compared(Path.of(named), restored);
    } else if (named != null) {
      StartingNetwork read = read(Path.of(named));
      first = read.artifact();
      rows = read.tables();
      state.put(LearnerState.Slot.START, snapshot());
      news = "begins with %s: %s".formatted(read.start().describe(), read.layers());
    }
  }

  /**
   * Writes the rows of the network's tables into the learner's tables, once, right after {@link
   * #open} has read the file.
   *
   * @param tables the learner's tables, which are empty; null if there are none
   * @param nowSeconds present time, since 1970
   */
  public void beginRows(LearnerState state, @Nullable RowTables tables, long nowSeconds) {
    byte[] begun = state.get(LearnerState.Slot.TABLES);
    if (tables == null) {
      return;
    } else if (begun != null) {
      tables.restore(begun);
      return;
    }
    for (ImportedTable each : rows) {
      tables.begin(each.table(), each.keys(), each.weights(), nowSeconds);
    }
    if (!rows.isEmpty()) {
      state.put(LearnerState.Slot.TABLES, tables.snapshot());
    }
    rows = List.of();
  }

  /**
   * Refuses the setting to forget samples for a model that began with a file, because the learner
   * could not train again from the network of the file.
   */
  private void requireOwnBeginning(byte @Nullable [] model, byte @Nullable [] kept) {
    boolean file =
        kept != null
            || (model != null
                && ArtifactState.restore(model).files().containsKey(ModelArtifact.START_FILE));
    if (file && learner.settings().data().forget().on()) {
      throw new LastingFailureException(
          "application %s has a model that began with a file. Such a model cannot forget samples: leave 'selection.forget' out, or start afresh in another work directory"
              .formatted(learner.settings().name()));
    }
  }

  private StartingNetwork read(Path file) {
    try {
      return StartingNetwork.read(file, learner.settings().model());
    } catch (IOException refused) {
      throw new LastingFailureException(
          "application %s cannot begin with 'model.start': %s"
              .formatted(learner.settings().name(), refused.getMessage()),
          refused);
    }
  }

  /** Returns a sentence if a model did not begin with the given file; else "". */
  private static String compared(Path file, ModelArtifact model) {
    byte[] start = model.files().get(ModelArtifact.START_FILE);
    String rest = "; to begin with it, start afresh in another work directory";
    if (start == null) {
      return "model.start has no effect: the application has a model that did not begin with a file"
          + rest;
    }
    try {
      ModelStart began = ModelStart.decode(start);
      if (!String.valueOf(file.getFileName()).equals(began.file())) {
        return "model.start names %s, but the application began with %s%s"
            .formatted(file.getFileName(), began.describe(), rest);
      } else if (StartingNetwork.changed(file, began)) {
        return "%s has changed since the application began with it (%s), and is not read again%s"
            .formatted(file, began.describe(), rest);
      }
      return "";
    } catch (IOException unreadable) {
      return "cannot find out whether the application began with %s: %s"
          .formatted(file, unreadable.getMessage());
    }
  }

  /** Returns the network; null if there is none, or if a model was accepted already. */
  public @Nullable ModelArtifact first() {
    return first;
  }

  /** Returns a message about the start for the user; "" if there is nothing to say. */
  public String news() {
    return news;
  }

  /** Removes the network after a model was accepted. Returns whether there was a network. */
  public boolean end() {
    boolean was = first != null;
    first = null;
    return was;
  }

  /** Returns the network as bytes for the state; null if there is none. */
  public byte @Nullable [] snapshot() {
    ModelArtifact network = first;
    return network == null ? null : ArtifactState.snapshot(network);
  }
}
