/**
 * Limits on how much a Kafka consumer unpacks. Kafka limits the size of a fetch, but a compressed
 * batch of a hundred kilobytes can unpack to gigabytes.
 */
@NullMarked
package io.idlalayer.middleware.models.kafka.bounds;

import org.jspecify.annotations.NullMarked;
