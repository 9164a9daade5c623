/** Settings of one budget of DRAM, which samples, embedding rows and tensors share. */
@NullMarked
package io.idlalayer.jobs.settings.memory;

import org.jspecify.annotations.NullMarked;
