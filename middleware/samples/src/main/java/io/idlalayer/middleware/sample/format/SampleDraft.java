package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import java.util.List;
import java.util.Objects;

/**
 * Builds unlabelled samples from single values, for input that does not arrive as events, such as
 * the rows of tensors. The values become what the decoders of events make of them. Features are
 * named by their index in the schema. Confined to one thread.
 */
public final class SampleDraft {
  private final SampleSchema schema;
  private final int[] offsets;
  private final int denseWidth;
  private final IdDraft ids;
  private float[] dense = {};
  private int[] categorical = {};

  public SampleDraft(SampleSchema schema) {
    this.schema = schema;
    List<SampleSchema.DenseFeature> features = schema.dense();
    offsets = new int[features.size()];
    int width = 0;
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = width;
      width += features.get(i).width();
    }
    denseWidth = width;
    ids = new IdDraft(schema.ids());
    clear();
  }

  /** Begins the next sample, with dense values 0, no categories and no ids. */
  public void clear() {
    dense = new float[denseWidth];
    categorical = new int[schema.categorical().size()];
    ids.clear();
  }

  /**
   * Sets one number of a dense feature.
   *
   * @param element 0 to the width of the feature - 1
   * @throws MalformedSampleException if it is not finite
   */
  public void dense(int feature, int element, double value) throws MalformedSampleException {
    SampleSchema.DenseFeature of = schema.dense().get(feature);
    int place = offsets[feature] + Objects.checkIndex(element, of.width());
    dense[place] = FieldValues.finite(of.name(), value * of.scale());
  }

  /** Sets the value of a categorical feature; an empty text is a missing value. */
  public void category(int feature, String text) {
    categorical[feature] = FieldValues.bucket(schema.categorical().get(feature), text);
  }

  /**
   * Adds an id to those of an id feature; an empty text is no id.
   *
   * @throws MalformedSampleException if it is too long
   */
  public void id(int feature, String text) throws MalformedSampleException {
    ids.add(feature, text);
  }

  /**
   * Returns a sample of the values set since {@link #clear}, which must be called before the next
   * sample.
   *
   * @throws MalformedSampleException if a feature has too many ids
   */
  public Sample sample() throws MalformedSampleException {
    return new Sample("", dense, categorical, ids.lists(), Sample.NO_LABEL);
  }
}
