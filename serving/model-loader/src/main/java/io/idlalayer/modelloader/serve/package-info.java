/** What a serving process uses: loads a published version and predicts. */
@NullMarked
package io.idlalayer.modelloader.serve;

import org.jspecify.annotations.NullMarked;
