package io.idlalayer.datacontroller.intake;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;

/**
 * A sample that arrives.
 *
 * @param hash hash of the sample's content
 * @param payload encoding of the sample, which the store keeps unchanged
 * @param record the record that brought the sample
 */
public record Arriving(Sample sample, ContentHash hash, byte[] payload, EventRecord record) {}
