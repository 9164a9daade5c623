package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import java.util.List;
import java.util.Objects;

/**
 * Builds unlabelled samples from single values, for input that does not arrive as events, such as
 * the rows of tensors. The values are converted by the same rules as in the decoders of events.
 * Features are named by their index in the schema. Confined to one thread.
 */
public final class SampleDraft {
  private final SampleSchema schema;
  private final List<DenseField> fields;
  private final int denseWidth;
  private final IdDraft ids;
  private double[] dense = {};
  private int[] categorical = {};

  public SampleDraft(SampleSchema schema) {
    this.schema = schema;
    fields = DenseField.of(schema, NumberNotation.PLAIN);
    denseWidth = schema.denseWidth();
    ids = new IdDraft(schema.ids());
    clear();
  }

  /**
   * Begins the next sample, with no categories and no ids, and with dense features that are
   * missing. A dense feature that is not allowed to be missing has the values 0.
   */
  public void clear() {
    dense = new double[denseWidth];
    for (int i = 0; i < fields.size(); i++) {
      if (!fields.get(i).needed()) {
        missing(i);
      }
    }
    categorical = new int[schema.categorical().size()];
    ids.clear();
  }

  /**
   * Sets one number of a dense feature; for a time stamp, its epoch seconds or parts of them. NaN
   * is a missing number.
   *
   * @param element 0 to the width of the feature - 1
   * @throws MalformedSampleException if the value is not finite, or is missing although the feature
   *     must not be missing
   */
  public void dense(int feature, int element, double value) throws MalformedSampleException {
    DenseField field = fields.get(feature);
    field.number(value, Objects.checkIndex(element, field.feature().width()), dense);
  }

  /**
   * Sets one number or time of a dense feature from its text.
   *
   * @param element 0 to the width of the feature - 1
   * @throws MalformedSampleException if the text is no number or time, or is missing although the
   *     feature must not be missing
   */
  public void dense(int feature, int element, String text) throws MalformedSampleException {
    DenseField field = fields.get(feature);
    field.text(text, Objects.checkIndex(element, field.feature().width()), dense);
  }

  /** Returns whether a dense feature is allowed to be missing. */
  public boolean optional(int feature) {
    return !fields.get(feature).needed();
  }

  private void missing(int feature) {
    try {
      fields.get(feature).absent(dense);
    } catch (MalformedSampleException needed) {
      throw new IllegalStateException(needed);
    }
  }

  /**
   * Sets the value of a categorical feature; an empty text is a missing value.
   *
   * @throws MalformedSampleException if the text has half of a character
   */
  public void category(int feature, String text) throws MalformedSampleException {
    SampleSchema.CategoricalFeature of = schema.categorical().get(feature);
    EventEncoding.checkCharacters(of.name(), text);
    categorical[feature] = FieldValues.bucket(of, text);
  }

  /**
   * Adds an id to the ids of an id feature; an empty text is not an id.
   *
   * @throws MalformedSampleException if the id is too long, or has half of a character
   */
  public void id(int feature, String text) throws MalformedSampleException {
    EventEncoding.checkCharacters(schema.ids().get(feature).name(), text);
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
