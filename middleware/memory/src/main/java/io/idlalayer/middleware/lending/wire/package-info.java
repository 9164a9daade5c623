/** The protocol between borrowers and lenders of memory, and its authentication. */
@NullMarked
package io.idlalayer.middleware.lending.wire;

import org.jspecify.annotations.NullMarked;
