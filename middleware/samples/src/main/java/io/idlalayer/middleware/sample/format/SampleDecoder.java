package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;

/** Decodes the bytes of an event to a sample. Implementations are confined to one thread each. */
public interface SampleDecoder {
  /**
   * Decodes the bytes of one event.
   *
   * @throws MalformedSampleException if the bytes are not a valid event. The bytes never cause any
   *     other exception, whatever they are
   */
  Sample decode(byte[] event) throws MalformedSampleException;
}
