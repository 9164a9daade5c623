/**
 * Basic types that all modules share: samples, their encodings, training batches and contributions.
 */
@NullMarked
package io.idlalayer.middleware.sample;

import org.jspecify.annotations.NullMarked;
