/** Lends memory of this process to other processes. */
@NullMarked
package io.idlalayer.middleware.lending.lender;

import org.jspecify.annotations.NullMarked;
