package io.idlalayer.jobs.learner.publish;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The files of a model as state. */
public final class ArtifactState {
  private static final StateFormat FORMAT = StateFormat.first("model artifact");

  private ArtifactState() {}

  /** Returns a writer that has the files of a model under tags 1 and 2. */
  static StateWriter writer(ModelArtifact artifact) {
    return FORMAT
        .writer()
        .putTexts(1, List.copyOf(artifact.files().keySet()))
        .putList(2, List.copyOf(artifact.files().values()));
  }

  /** Returns a reader of the bytes that a {@link #writer} wrote. */
  static StateReader reader(byte[] snapshot) {
    return FORMAT.reader(snapshot);
  }

  /** Returns the files of a model as bytes for {@link #restore}. */
  public static byte[] snapshot(ModelArtifact artifact) {
    return writer(artifact).bytes();
  }

  /**
   * Returns a model from its files.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not the files
   *     of a model
   */
  public static ModelArtifact restore(byte[] snapshot) {
    StateReader in = reader(snapshot);
    List<String> names = in.getTexts(1);
    List<byte[]> contents = in.getList(2);
    if (names.size() != contents.size()) {
      throw in.refused("it has %d names for %d files".formatted(names.size(), contents.size()));
    }
    SortedMap<String, byte[]> files = new TreeMap<>();
    for (int i = 0; i < names.size(); i++) {
      files.put(names.get(i), contents.get(i));
    }
    return new ModelArtifact(files);
  }
}
