package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The port to the versions that the mixer of an application publishes. The looks thread calls it,
 * unless a method says otherwise.
 */
public interface MixedModels {
  /**
   * Returns a new random name for the learner, which no learner of an earlier or later start has.
   * The operator's thread calls it.
   */
  String incarnation();

  /**
   * Returns the newest mixed versions: the version that serves, and the newest version that is only
   * for learners; empty before the first version.
   */
  List<ModelCheckpoint> newest() throws IOException;

  /**
   * Returns the newest model that is to be compared before it is published; empty if there is none.
   */
  Optional<ModelCheckpoint> candidate() throws IOException;

  /** Returns the newest verdict on such a model; empty if there is none. */
  Optional<ModelCheckpoint> verdict() throws IOException;

  /**
   * Returns the files of a version or of a model to compare, verified.
   *
   * @throws IOException if the version does not exist any more, or is damaged
   */
  SortedMap<String, byte[]> load(ModelCheckpoint version) throws IOException;
}
