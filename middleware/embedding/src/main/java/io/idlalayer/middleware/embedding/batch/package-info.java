/**
 * Copies of the embedding rows that a batch of samples uses. A training changes them, a prediction
 * reads them.
 */
@NullMarked
package io.idlalayer.middleware.embedding.batch;

import org.jspecify.annotations.NullMarked;
