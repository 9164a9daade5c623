package io.idlalayer.jobs.topics;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.SampleDecoder;

/**
 * Decodes a record that brings the label of an event by the event's id. The weight of a sample
 * always comes from the event, not from the label.
 */
final class LabelDecoder implements SampleDecoder {
  private final SampleSchema schema;
  private final SampleDecoder fields;
  private final double weight;

  /**
   * @param schema names of the fields with id and label
   * @param fields decoder of these fields
   * @param weighted whether events have weights
   */
  LabelDecoder(SampleSchema schema, SampleDecoder fields, boolean weighted) {
    this.schema = schema;
    this.fields = fields;
    weight = weighted ? Sample.NO_WEIGHT : 1;
  }

  @Override
  public Sample decode(byte[] event) throws MalformedSampleException {
    Sample read = fields.decode(event);
    if (read.id().isEmpty()) {
      throw new MalformedSampleException(
          String.valueOf(schema.id()), "missing; a label needs the id of its event");
    }
    if (!read.labeled()) {
      throw new MalformedSampleException(schema.label().name(), "missing");
    }
    return Sample.labelOf(read.id(), read.label()).withWeight(weight);
  }
}
