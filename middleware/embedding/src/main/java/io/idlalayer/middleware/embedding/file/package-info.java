/** The embedding rows of a published version as a file: all of them, or those that changed. */
@NullMarked
package io.idlalayer.middleware.embedding.file;

import org.jspecify.annotations.NullMarked;
