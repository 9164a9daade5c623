/** Periods of the ReDL policy, searched by rehearsing steps under a virtual clock. */
@NullMarked
package io.idlalayer.middleware.placement.plan.redl;

import org.jspecify.annotations.NullMarked;
