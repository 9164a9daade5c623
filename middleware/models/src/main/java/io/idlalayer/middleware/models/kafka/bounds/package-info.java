/**
 * Bounds for what a Kafka consumer unpacks. Kafka bounds what it fetches, but a compressed batch of
 * a hundred kilobytes may unpack to gigabytes.
 */
@NullMarked
package io.idlalayer.middleware.models.kafka.bounds;

import org.jspecify.annotations.NullMarked;
