package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Caches the forms of an application's network files that were used last. A form that a learner or
 * a test of models has read need not be read with Deeplearning4j again. Safe from any thread.
 */
public final class NetworkForms {
  /** Number of forms that are kept: usually one for each learner of a subtask. */
  private static final int MOST = 16;

  private final List<NetworkForm> latestFirst = new ArrayList<>();

  /** Returns all known forms, the one that was used last first. */
  synchronized List<NetworkForm> latestFirst() {
    return List.copyOf(latestFirst);
  }

  /**
   * Returns the form of a file; null if no known form matches.
   *
   * @throws MalformedModelException if the file has no configuration
   */
  @Nullable NetworkForm of(Map<String, byte[]> entries) throws MalformedModelException {
    List<NetworkForm> all = latestFirst();
    for (NetworkForm known : all) {
      if (known.isOf(entries)) {
        used(known);
        return known;
      }
    }
    for (NetworkForm known : all) {
      NetworkForm found = known.withSeedsOf(entries);
      if (found != null) {
        used(found);
        return found;
      }
    }
    return null;
  }

  /** Moves a form, perhaps a new one, to the front of the cache. */
  synchronized void used(NetworkForm form) {
    latestFirst.remove(form);
    latestFirst.add(0, form);
    if (latestFirst.size() > MOST) {
      latestFirst.remove(MOST);
    }
  }
}
