/**
 * Micrometer meters of a subscriber. Needs Micrometer on the class path, which nothing else does.
 */
@NullMarked
package io.idlalayer.middleware.models.metrics;

import org.jspecify.annotations.NullMarked;
