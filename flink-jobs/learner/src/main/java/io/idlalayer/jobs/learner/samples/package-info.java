/**
 * The classes through which a learner reads its stored samples. They prefetch samples, use the hot
 * cache, and count reads and writes.
 */
@NullMarked
package io.idlalayer.jobs.learner.samples;

import org.jspecify.annotations.NullMarked;
