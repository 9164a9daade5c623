package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.checkpoint.ModelCheckpoint;
import io.idlalayer.middleware.checkpoint.ModelLoader;
import java.io.IOException;
import java.util.SortedMap;

/**
 * Loads published models of every kind for a {@link
 * io.idlalayer.middleware.checkpoint.ModelSubscriber}. The published files say everything: serving
 * needs no application file.
 */
public final class Dl4jModelLoader implements ModelLoader<Dl4jModel> {
  @Override
  public Dl4jModel load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files)
      throws IOException {
    return Dl4jModel.load(new ModelArtifact(files));
  }

  @Override
  public void dispose(Dl4jModel model) {
    model.close();
  }
}
