/**
 * Placement policies that choose a device when an object is allocated and never move it: bounds and
 * baselines for other policies.
 */
@NullMarked
package io.idlalayer.middleware.placement.policies.fixed;

import org.jspecify.annotations.NullMarked;
