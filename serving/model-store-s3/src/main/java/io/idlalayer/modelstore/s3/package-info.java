/** The store of published models in an S3 bucket. */
@NullMarked
package io.idlalayer.modelstore.s3;

import org.jspecify.annotations.NullMarked;
