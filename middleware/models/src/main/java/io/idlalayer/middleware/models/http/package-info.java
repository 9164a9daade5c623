/** Published models over HTTP: a read-only server of stored models, and its client. */
@NullMarked
package io.idlalayer.middleware.models.http;

import org.jspecify.annotations.NullMarked;
