package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;

/** Turns one event's bytes into a sample. Implementations are confined to one thread each. */
public interface SampleDecoder {
  /**
   * Decodes one event.
   *
   * @throws MalformedSampleException if the bytes are not a valid event: never any other exception,
   *     whatever the bytes are
   */
  Sample decode(byte[] event) throws MalformedSampleException;
}
