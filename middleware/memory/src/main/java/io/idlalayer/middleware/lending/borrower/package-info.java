/** Borrows memory of other processes as a place for tensors. */
@NullMarked
package io.idlalayer.middleware.lending.borrower;

import org.jspecify.annotations.NullMarked;
