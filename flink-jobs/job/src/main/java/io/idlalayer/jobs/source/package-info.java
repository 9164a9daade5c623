/** The way from Kafka bytes to arrivals: decoding, dead letters, end-of-input markers. */
@NullMarked
package io.idlalayer.jobs.source;

import org.jspecify.annotations.NullMarked;
