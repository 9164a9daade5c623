/**
 * The replay lab: runs every update rule on recorded arrivals in virtual time and compares it with
 * the optimum.
 */
@NullMarked
package io.idlalayer.modelcontroller.replay;

import org.jspecify.annotations.NullMarked;
