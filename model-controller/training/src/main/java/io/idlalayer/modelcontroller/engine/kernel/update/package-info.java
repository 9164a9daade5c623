/**
 * The kernels that change parameters by their gradients: updaters, schedules, penalties and limits
 * of gradients.
 */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel.update;

import org.jspecify.annotations.NullMarked;
