package io.idlalayer.sql;

import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.util.SortedMap;

/** Loads versions that a query can use; any other one is refused, and the one before serves on. */
final class CheckedModelLoader implements ModelLoader<PlainModel> {
  private final PlainModelLoader loader = new PlainModelLoader();
  private final InputColumns inputs;
  private final OutputColumns outputs;

  CheckedModelLoader(InputColumns inputs, OutputColumns outputs) {
    this.inputs = inputs;
    this.outputs = outputs;
  }

  @Override
  public PlainModel load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files)
      throws IOException {
    return checked(loader.load(checkpoint, files));
  }

  @Override
  public PlainModel load(LoadRequest<PlainModel> request) throws IOException {
    return checked(loader.load(request));
  }

  @Override
  public void dispose(PlainModel model) {
    loader.dispose(model);
  }

  private PlainModel checked(PlainModel model) {
    SampleSchema schema = model.spec().schema();
    inputs.reader(schema);
    outputs.check(schema);
    return model;
  }
}
