/** Embedding rows that stay in DRAM, and the policies that choose them. */
@NullMarked
package io.idlalayer.middleware.embedding.hot;

import org.jspecify.annotations.NullMarked;
