/** The vocabulary every module shares: samples, their encodings, batches and contributions. */
@NullMarked
package io.idlalayer.middleware.sample;

import org.jspecify.annotations.NullMarked;
