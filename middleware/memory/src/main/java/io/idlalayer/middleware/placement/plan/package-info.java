/** Planners: from a step that is known beforehand to a plan of its moves. */
@NullMarked
package io.idlalayer.middleware.placement.plan;

import org.jspecify.annotations.NullMarked;
