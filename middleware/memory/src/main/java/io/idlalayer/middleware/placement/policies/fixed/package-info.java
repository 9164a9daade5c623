/** Policies that decide once, when an object is made, and move nothing: bounds and baselines. */
@NullMarked
package io.idlalayer.middleware.placement.policies.fixed;

import org.jspecify.annotations.NullMarked;
