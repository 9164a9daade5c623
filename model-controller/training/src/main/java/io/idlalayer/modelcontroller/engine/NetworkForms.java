package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Caches the last used forms of an application's network files. If a learner or a test of models
 * has read a form, it is not read again. Thread-safe.
 */
public final class NetworkForms {
  /** Largest number of forms in the cache: usually one for each learner of a subtask. */
  private static final int MOST = 16;

  private final List<NetworkForm> latestFirst = new ArrayList<>();

  /** Returns all forms in the cache. The form that was used last comes first. */
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

  /** Moves a form to the front of the cache, and adds the form if it is new. */
  synchronized void used(NetworkForm form) {
    latestFirst.remove(form);
    latestFirst.add(0, form);
    if (latestFirst.size() > MOST) {
      latestFirst.remove(MOST);
    }
  }
}
