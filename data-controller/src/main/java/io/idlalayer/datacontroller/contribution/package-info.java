/** What a sample was worth to an update. */
@NullMarked
package io.idlalayer.datacontroller.contribution;

import org.jspecify.annotations.NullMarked;
