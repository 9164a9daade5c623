/** Published models in an S3 object store. */
@NullMarked
package io.idlalayer.modelstore.s3;

import org.jspecify.annotations.NullMarked;
