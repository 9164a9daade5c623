package io.idlalayer.datacontroller.intake;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;

/**
 * A sample that arrives.
 *
 * @param hash hash of its content
 * @param payload its encoding, which the store keeps as it is
 * @param record the record that brought it
 */
public record Arriving(Sample sample, ContentHash hash, byte[] payload, EventRecord record) {}
