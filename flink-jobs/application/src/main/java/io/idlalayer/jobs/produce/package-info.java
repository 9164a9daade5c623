/** Topics, and producing files into them. */
@NullMarked
package io.idlalayer.jobs.produce;

import org.jspecify.annotations.NullMarked;
