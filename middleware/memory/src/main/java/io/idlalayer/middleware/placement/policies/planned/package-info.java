/** Policies that follow a plan of the step. */
@NullMarked
package io.idlalayer.middleware.placement.policies.planned;

import org.jspecify.annotations.NullMarked;
