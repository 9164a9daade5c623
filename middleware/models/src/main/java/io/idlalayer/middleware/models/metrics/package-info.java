/** Micrometer meters of a subscriber. Only this package needs Micrometer on the class path. */
@NullMarked
package io.idlalayer.middleware.models.metrics;

import org.jspecify.annotations.NullMarked;
