/** When to train: the update rules and the controller that gates them. */
@NullMarked
package io.idlalayer.modelcontroller.update;

import org.jspecify.annotations.NullMarked;
