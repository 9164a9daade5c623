package io.idlalayer.sql;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.util.Locale;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Loads published versions whose features and predictions match the columns of a query, and refuses
 * all other versions. After a refusal the previous version continues to serve.
 */
final class CheckedModelLoader implements ModelLoader<PlainModel> {
  private final PlainModelLoader loader = new PlainModelLoader();
  private final FeatureColumns inputs;
  private final OutputColumns outputs;
  private volatile @Nullable String mismatch;

  CheckedModelLoader(FeatureColumns inputs, OutputColumns outputs) {
    this.inputs = inputs;
    this.outputs = outputs;
  }

  @Override
  public PlainModel load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files)
      throws IOException {
    return checked(loader.load(checkpoint, files), checkpoint.manifest().version());
  }

  @Override
  public PlainModel load(LoadRequest<PlainModel> request) throws IOException {
    return checked(loader.load(request), request.checkpoint().manifest().version());
  }

  @Override
  public void dispose(PlainModel model) {
    loader.dispose(model);
  }

  /**
   * Returns how the version that was tried last differs from the query's columns; null if it does
   * not differ. If it differs, waiting for the version does not help, whereas a missing or damaged
   * version can still arrive. Thread-safe.
   */
  @Nullable String mismatch() {
    return mismatch;
  }

  private PlainModel checked(PlainModel model, long version) {
    SampleSchema schema = model.spec().schema();
    try {
      inputs.reader(schema);
      outputs.check(schema);
    } catch (IllegalArgumentException differs) {
      loader.dispose(model);
      mismatch = String.format(Locale.ROOT, "version %d: %s", version, differs.getMessage());
      throw differs;
    }
    mismatch = null;
    return model;
  }
}
