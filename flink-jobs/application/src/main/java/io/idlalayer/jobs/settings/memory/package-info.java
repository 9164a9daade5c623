/**
 * Settings of one budget of DRAM, which samples, embedding rows and tensors share, and of the
 * memory of tensors.
 */
@NullMarked
package io.idlalayer.jobs.settings.memory;

import org.jspecify.annotations.NullMarked;
