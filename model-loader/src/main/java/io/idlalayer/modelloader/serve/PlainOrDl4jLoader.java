package io.idlalayer.modelloader.serve;

import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.IOException;
import java.util.SortedMap;

/**
 * Loads published models to predict in plain Java, or with Deeplearning4j if the network has
 * something that plain Java does not know.
 */
public final class PlainOrDl4jLoader implements ModelLoader<Predictor> {
  private final PlainModelLoader plain = new PlainModelLoader();
  private final Dl4jModelLoader dl4j = new Dl4jModelLoader();

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
      withNativeMemory.close();
    }
  }
}
