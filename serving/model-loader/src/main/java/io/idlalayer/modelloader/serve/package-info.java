/** The API for a serving process: loads a published version and predicts. */
@NullMarked
package io.idlalayer.modelloader.serve;

import org.jspecify.annotations.NullMarked;
