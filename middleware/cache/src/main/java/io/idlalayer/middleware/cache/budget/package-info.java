/** One budget of DRAM, which hot samples, embedding rows and tensors share by what they save. */
@NullMarked
package io.idlalayer.middleware.cache.budget;

import org.jspecify.annotations.NullMarked;
