/**
 * The step that changes parameters: the updater, its schedule, penalties and the limit of
 * gradients.
 */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel.update;

import org.jspecify.annotations.NullMarked;
