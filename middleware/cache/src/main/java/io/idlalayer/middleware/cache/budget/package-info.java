/**
 * One budget of DRAM, which is divided between hot samples, embedding rows and tensors by the time
 * that each saves.
 */
@NullMarked
package io.idlalayer.middleware.cache.budget;

import org.jspecify.annotations.NullMarked;
