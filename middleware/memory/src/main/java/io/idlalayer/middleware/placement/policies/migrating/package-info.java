/**
 * The ReDL policy: tensors migrate between the devices one period of a step ahead of their use, and
 * kernels read what arrives late where it is.
 */
@NullMarked
package io.idlalayer.middleware.placement.policies.migrating;

import org.jspecify.annotations.NullMarked;
