package io.idlalayer.modelloader.serve;

import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.modelloader.artifact.MalformedModelException;
import io.idlalayer.modelloader.artifact.ModelArtifact;
import io.idlalayer.modelloader.artifact.ZipEntries;
import java.util.SortedMap;

/**
 * Loads published models of every kind for a {@link
 * io.idlalayer.middleware.models.serve.ModelSubscriber}. The published files say everything:
 * serving needs no application file, and nothing of a file is believed before it is checked.
 */
public final class Dl4jModelLoader implements ModelLoader<Dl4jModel> {
  private final long largestBytes;

  /** Takes models of up to 2 GiB. */
  public Dl4jModelLoader() {
    this(ZipEntries.LARGEST_BYTES);
  }

  /**
   * @param largestBytes most bytes that a model's files may have together, and most that may be
   *     packed in its network's file; above 0, larger than 2 GiB means 2 GiB
   */
  public Dl4jModelLoader(long largestBytes) {
    if (largestBytes < 1) {
      throw new IllegalArgumentException("largestBytes must be above 0, not " + largestBytes);
    }
    this.largestBytes = largestBytes;
  }

  @Override
  public Dl4jModel load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files)
      throws MalformedModelException {
    return Dl4jModel.load(new ModelArtifact(files), largestBytes);
  }

  @Override
  public void dispose(Dl4jModel model) {
    model.close();
  }
}
