/** What models are worth that several learners learn together. */
@NullMarked
package io.idlalayer.benchmarks.mixing;

import org.jspecify.annotations.NullMarked;
