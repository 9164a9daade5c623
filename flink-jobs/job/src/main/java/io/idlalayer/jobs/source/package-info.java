/**
 * The way from Kafka bytes to arrivals: records are decoded, refused ones become dead letters, and
 * repeated or lost ones are recognized.
 */
@NullMarked
package io.idlalayer.jobs.source;

import org.jspecify.annotations.NullMarked;
