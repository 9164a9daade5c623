/** How a learner divides its DRAM between samples, embedding rows and tensors while it runs. */
@NullMarked
package io.idlalayer.jobs.learner.memory;

import org.jspecify.annotations.NullMarked;
