package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The model stores of a subtask. Each is opened once. Only the thread of the operator uses this
 * class.
 */
final class ModelStores implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ModelStores.class);

  /** Folder, or prefix, beside the models in which learners store what they contribute to a mix. */
  private static final String CONTRIBUTIONS = ".contributions";

  private final Map<String, ModelStore> stores = new HashMap<>();
  private final PublisherIdentity publisher;
  private final RuntimeContext context;

  ModelStores(RuntimeContext context) {
    this.context = context;
    TaskInfo task = context.getTaskInfo();
    // All attempts of a job share the name of the run.
    publisher =
        new PublisherIdentity(
            "job " + context.getJobInfo().getJobId(),
            "attempt %d of subtask %d, %s"
                .formatted(
                    task.getAttemptNumber(),
                    task.getIndexOfThisSubtask(),
                    PublisherIdentity.ofThisProcess().place()));
  }

  /**
   * Returns the place of the contributions to the mixes that are published to a place of models.
   */
  static String contributions(String place) {
    return ModelStore.isAddress(place)
        ? place.replaceAll("/+$", "") + "/" + CONTRIBUTIONS
        : Path.of(place).resolve(CONTRIBUTIONS).toString();
  }

  /**
   * Returns the model store in a folder or an object store. The learners of a subtask share it.
   *
   * @throws LastingFailureException if the place is invalid, so that the store can never be opened
   * @throws UncheckedIOException if the store cannot be reached now
   */
  ModelStore open(String place) {
    ModelStore known = stores.get(place);
    if (known != null) {
      return known;
    }
    try {
      ModelStore opened = ModelStore.open(place, InstantSource.system(), publisher);
      stores.put(place, opened);
      return opened;
    } catch (IllegalArgumentException refused) {
      throw new LastingFailureException(
          "publishing.directory cannot be opened: " + refused.getMessage());
    } catch (IOException failed) {
      // Flink restarts the job, and the object store might be reachable then.
      throw new UncheckedIOException(
          "publishing.directory cannot be opened: " + failed.getMessage(), failed);
    }
  }

  /**
   * Returns the folder for files that belong beside models. If the models are in an object store,
   * the returned folder is the default folder of models, or a temporary folder of the process.
   *
   * @param otherwise default folder of models; null if there is none
   */
  Path local(ModelStore models, @Nullable String otherwise) {
    return models
        .folder()
        .orElseGet(
            () -> Path.of(otherwise == null ? temporary(context, "idla-models") : otherwise));
  }

  /** Returns a folder for temporary files of this process. */
  static String temporary(RuntimeContext context, String name) {
    String[] folders =
        ((StreamingRuntimeContext) context).getTaskManagerRuntimeInfo().getTmpDirectories();
    return Path.of(folders[0], name).toAbsolutePath().toString();
  }

  /** Closes all stores; a failure is logged. */
  @Override
  public void close() {
    for (ModelStore store : stores.values()) {
      try {
        store.close();
      } catch (RuntimeException failed) {
        LOG.warn("the model store {} could not be closed", store.address(), failed);
      }
    }
  }
}
