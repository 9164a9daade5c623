/** Addresses on the fast device for the tensors of a plan. */
@NullMarked
package io.idlalayer.middleware.placement.plan.address;

import org.jspecify.annotations.NullMarked;
