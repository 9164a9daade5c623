package io.idlalayer.modelloader.serve;

import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.IOException;
import java.util.SortedMap;

/**
 * Loads published models to predict in plain Java, or with Deeplearning4j if plain Java does not
 * support a part of the network.
 */
public final class PlainOrDl4jLoader implements ModelLoader<Predictor> {
  private final PlainModelLoader plain;
  private final Dl4jModelLoader dl4j;

  /** Creates a loader that keeps the rows of tables on the heap. */
  public PlainOrDl4jLoader() {
    this(new PlainModelLoader(), new Dl4jModelLoader());
  }

  private PlainOrDl4jLoader(PlainModelLoader plain, Dl4jModelLoader dl4j) {
    this.plain = plain;
    this.dl4j = dl4j;
  }

  /**
   * Returns a loader that keeps the rows of tables in mapped files of a folder instead of the heap.
   */
  public PlainOrDl4jLoader mappingRowsIn(RowsFolder folder) {
    return new PlainOrDl4jLoader(plain.mappingRowsIn(folder), dl4j.mappingRowsIn(folder));
  }

  @Override
  public Predictor load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files)
      throws IOException {
    try {
      return plain.load(new ModelArtifact(files));
    } catch (UnsupportedModelException notPlain) {
      return dl4j.load(checkpoint, files);
    }
  }

  @Override
  public Predictor load(LoadRequest<Predictor> request) throws IOException {
    try {
      return plain.load(request.as(PlainModel.class));
    } catch (UnsupportedModelException notPlain) {
      return dl4j.load(request.as(Dl4jModel.class));
    }
  }

  @Override
  public void dispose(Predictor model) {
    if (model instanceof Dl4jModel withNativeMemory) {
      dl4j.dispose(withNativeMemory);
    } else if (model instanceof PlainModel inPlainJava) {
      plain.dispose(inPlainJava);
    }
  }
}
