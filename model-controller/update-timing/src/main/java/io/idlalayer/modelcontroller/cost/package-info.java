/** Estimates the costs of trainings by a regression of their duration on their size. */
@NullMarked
package io.idlalayer.modelcontroller.cost;

import org.jspecify.annotations.NullMarked;
