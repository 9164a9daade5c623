/** Hardware's answer, emulated: the fast device as a cache of the slow one's lines. */
@NullMarked
package io.idlalayer.middleware.placement.policies.twolevel;

import org.jspecify.annotations.NullMarked;
