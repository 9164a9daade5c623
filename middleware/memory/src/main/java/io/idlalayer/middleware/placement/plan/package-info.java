/** Plans of steps: the interface of planners, their plans, and the policy that follows a plan. */
@NullMarked
package io.idlalayer.middleware.placement.plan;

import org.jspecify.annotations.NullMarked;
