/** The replay lab: recorded arrivals against every update rule and the optimum, in virtual time. */
@NullMarked
package io.idlalayer.modelcontroller.replay;

import org.jspecify.annotations.NullMarked;
